"""The neighbour and the weight of an edge beside each other, in one array of 8-byte pairs.

What limits kernels that read edges over the link is the number of requests, and host memory is not cached on the GPU: a
short row whose neighbours and weights are in two arrays takes two requests. Where edges are in two memories, which
takes copies of them anyway, searches have them copied in pairs.
"""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.dtypes import Array

PAIR = np.dtype(np.uint64)
WORD = np.dtype(np.uint32)
WORD_BITS = np.uint64(32)  # by which the weight, the second word of a pair, is above the neighbour
BLOCK = 1 << 16  # pairs written at a time, first one half and then the other: few enough to be in the cache until then

#: Algorithms whose kernels read pairs.
SEARCHES = ("sssp", "sswp", "bellman_ford")


def can_pair(indices: Array, weights: Array | None) -> bool:
    """Whether an edge is two words of 4 bytes."""
    return weights is not None and indices.itemsize == weights.itemsize == WORD.itemsize


def write_pairs(target: Array, start: int, first: Array, second: Array) -> None:
    """Fill a buffer of bytes with the pairs of two arrays from byte ``start`` on; whole pairs of them."""
    begin, count = start // PAIR.itemsize, target.size // PAIR.itemsize
    pairs = target.view(WORD).reshape(count, 2)
    halves = [half[begin : begin + count].view(WORD) for half in (first, second)]
    for low in range(0, count, BLOCK):
        for column, half in enumerate(halves):
            pairs[low : low + BLOCK, column] = half[low : low + BLOCK]


def write_pairs_on_all_cores(target: Array, first: Array, second: Array) -> None:
    """Fill a buffer of bytes with the first pairs of two arrays."""
    count = target.size // PAIR.itemsize
    pieces = threads.pieces(count, BLOCK)
    bounds = [count * k // pieces * PAIR.itemsize for k in range(pieces + 1)]
    threads.each(lambda k: write_pairs(target[bounds[k] : bounds[k + 1]], bounds[k], first, second), pieces)
