"""Sorting of products by what they belong to: merge sort in our own kernels, radix sort in the array library's."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.engines.cuda.device import Device, blocks_for
from clew.engines.cuda.source import Program

THREADS = 256
SORTED = 1024  # items of a stretch that a block sorts, as in merge_sort.cuh


def merge_sorted(device: Device, items: Any) -> Any:
    """64-bit items, ascending; overwrites what it was given."""
    count = items.size
    other = device.empty(count, np.uint64)
    blocks = blocks_for(device, -(-count // SORTED), 1)
    kernel = device.kernel("merge_sort.cuh", "sort_stretches")
    device.launch(kernel, blocks, THREADS, items, other, np.uint64(count))
    items, other = other, items
    merge = device.kernel("merge_sort.cuh", "merge_stretches")
    width = SORTED
    while width < count:
        blocks = blocks_for(device, count, THREADS)
        device.launch(merge, blocks, THREADS, items, other, np.uint64(count), np.uint64(width))
        items, other = other, items
        width *= 2
    return items


def stable_order(keys: Any) -> Any:
    """The order that sorts integers, equal ones as they were: CuPy's sort is a radix sort, and always stable."""
    return keys.argsort(kind="stable") if isinstance(keys, np.ndarray) else keys.argsort()


VARIANTS = [Program.of("merge_sort.cuh")]
