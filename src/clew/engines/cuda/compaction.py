"""The places where a mask is true, in two passes over it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew.engines.cuda.device import Device, blocks_for
from clew.engines.cuda.source import Program, ctype

THREADS = 256
SPAN = 1024  # places of a warp, as in compact.cuh


def true_places(
    device: Device, mask: Any, count: int, dtype: npt.DTypeLike, *, bits: bool = False, values: Any = None
) -> tuple[Any, Any]:
    """Where the first ``count`` entries of a mask are true, ascending, and what ``values`` has there."""
    spans = -(-count // SPAN)
    taken_dtype = np.dtype(np.uint8) if values is None else values.dtype
    if spans == 0:
        return device.empty(0, dtype), None if values is None else device.empty(0, taken_dtype)
    defines = {
        "mask_t": "unsigned int" if bits else "unsigned char",
        "MASK_BITS": int(bits),
        "id_t": ctype(dtype),
        "taken_t": ctype(taken_dtype),
        "TAKE": int(values is not None),
    }
    blocks = blocks_for(device, spans * 32, THREADS)
    counts = device.empty(spans, np.int64)
    given = (mask, np.uint64(count), np.uint64(spans))
    device.launch(device.kernel("compact.cuh", "count_true", defines), blocks, THREADS, *given, counts)
    ends = device.xp.cumsum(counts)
    total = int(ends[-1])
    places = device.empty(total, dtype)
    taken = None if values is None else device.empty(total, taken_dtype)
    kernel = device.kernel("compact.cuh", "write_true", defines)
    device.launch(kernel, blocks, THREADS, *given, ends, places, values, taken)
    return places, taken


VARIANTS = [
    Program.of(
        "compact.cuh",
        {"mask_t": mask, "MASK_BITS": bits, "id_t": "long long", "taken_t": "double", "TAKE": bits},
    )
    for mask, bits in (("unsigned char", 0), ("unsigned int", 1))
]
