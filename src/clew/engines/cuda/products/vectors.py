"""Operations on vectors on the GPU: operators, bit vectors, the places where a mask is true, and merge sort."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew.engines.cuda.balance.launches import launch_over
from clew.engines.cuda.toolchain.device import Device, blocks_for
from clew.engines.cuda.toolchain.source import Compiled, ctype
from clew.operators import Operator

THREADS = 256
SPAN = 1024  # places of a warp, as in compact.cuh
SORTED = 1024  # items of a stretch that a block sorts, as in merge_sort.cuh


def elementwise(device: Device, operator: Operator, u: Any, v: Any, out: Any) -> None:
    """out[k] = operator(u[k], v[k])."""
    if out.size:
        defines, operators = _typed(operator, u.dtype, v.dtype, out.dtype)
        given = (out.size, u, v, out, np.uint64(out.size))
        launch_over(device, "elementwise.cuh", "elementwise", defines, *given, operators=operators)


def outer(device: Device, operator: Operator, u: Any, v: Any, out: Any) -> None:
    """out[i, j] = operator(u[i], v[j])."""
    if out.size:
        kernel = device.kernel("elementwise.cuh", "outer", *_typed(operator, u.dtype, v.dtype, out.dtype))
        blocks = blocks_for(device, u.size, 1)
        device.launch(kernel, blocks, THREADS, u, v, out, np.uint64(u.size), np.uint64(v.size))


def _typed(
    operator: Operator, left: np.dtype[Any], right: np.dtype[Any], result: np.dtype[Any]
) -> tuple[dict[str, str], dict[str, Compiled]]:
    defines = {"left_t": ctype(left), "right_t": ctype(right), "sum_t": ctype(result)}
    return defines, {"clew_operator": Compiled(operator.function, (left, right), result)}


def packed(device: Device, values: Any) -> Any:
    """Booleans as 32-bit words, the first in the lowest bit."""
    words = device.empty(-(-values.size // 32), np.uint32)
    if values.size:
        launch_over(device, "bits.cuh", "pack_bits", {}, values.size, values, words, np.uint64(values.size))
    return words


def unpacked(device: Device, words: Any, count: int) -> Any:
    """The first ``count`` bits as booleans."""
    values = device.empty(count, np.bool_)
    if count:
        launch_over(device, "bits.cuh", "unpack_bits", {}, count, words, values, np.uint64(count))
    return values


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
    counts = device.empty(spans, np.int64)
    given = (spans * 32, mask, np.uint64(count), np.uint64(spans))
    launch_over(device, "compact.cuh", "count_true", defines, *given, counts)
    ends = device.xp.cumsum(counts)
    total = int(ends[-1])
    places = device.empty(total, dtype)
    taken = None if values is None else device.empty(total, taken_dtype)
    launch_over(device, "compact.cuh", "write_true", defines, *given, ends, places, values, taken)
    return places, taken


def merge_sorted(device: Device, items: Any) -> Any:
    """64-bit items, ascending; overwrites what it was given."""
    count = items.size
    other = device.empty(count, np.uint64)
    blocks = blocks_for(device, -(-count // SORTED), 1)
    kernel = device.kernel("merge_sort.cuh", "sort_stretches")
    device.launch(kernel, blocks, THREADS, items, other, np.uint64(count))
    items, other = other, items
    width = SORTED
    while width < count:
        given = (count, items, other, np.uint64(count), np.uint64(width))
        launch_over(device, "merge_sort.cuh", "merge_stretches", {}, *given)
        items, other = other, items
        width *= 2
    return items
