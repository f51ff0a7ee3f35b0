"""Truth values as bit vectors on the device: an eighth of the bytes, so that far more of x stays in a cache."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.engines.cuda.device import Device, blocks_for
from clew.engines.cuda.source import Program

THREADS = 256


def packed(device: Device, values: Any) -> Any:
    """Booleans as 32-bit words, the first in the lowest bit."""
    words = device.empty(-(-values.size // 32), np.uint32)
    if values.size:
        kernel = device.kernel("bits.cuh", "pack_bits")
        device.launch(kernel, blocks_for(device, values.size, THREADS), THREADS, values, words, np.uint64(values.size))
    return words


def unpacked(device: Device, words: Any, count: int) -> Any:
    """The first ``count`` bits as booleans."""
    values = device.empty(count, np.bool_)
    if count:
        kernel = device.kernel("bits.cuh", "unpack_bits")
        device.launch(kernel, blocks_for(device, count, THREADS), THREADS, words, values, np.uint64(count))
    return values


VARIANTS = [Program.of("bits.cuh")]
