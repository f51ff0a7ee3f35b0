# mypy: ignore-errors
"""The CPU's half of an exchange: sparse vectors packed and unpacked by all threads, a block of words to each.

``words`` are bitmaps of 64 vertices each, ``bounds`` the blocks of words, ``starts`` how many bits are set before each
block; ``first`` is the block that piece 0 is, since large vectors go in several batches.
"""

import numpy as np

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.jit import njit

ONE, SIX, LOW_SIX = np.uint64(1), np.uint64(6), np.uint64(63)


@njit(cache=True, nogil=True)
def count_bits(piece, bounds, words):
    """How many bits of a block are set."""
    found = np.uint64(0)
    for word in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        found += atomic.ones(words[word])
    return np.int64(found)


@njit(cache=True, nogil=True)
def list_bits(piece, first, bounds, words, starts, ids):
    """The vertices of a block, ascending."""
    place = np.uint64(starts[first + piece])
    for word in range(np.uint64(bounds[first + piece]), np.uint64(bounds[first + piece + 1])):
        bits = words[word]
        while bits != 0:
            ids[place] = (word << SIX) + atomic.trailing_zeros(bits)
            place += ONE
            bits &= bits - ONE


@njit(cache=True, nogil=True)
def gather_bits(piece, first, bounds, words, starts, values, packed):
    """The values of a block's vertices, side by side."""
    place = np.uint64(starts[first + piece])
    for word in range(np.uint64(bounds[first + piece]), np.uint64(bounds[first + piece + 1])):
        bits = words[word]
        while bits != 0:
            packed[place] = values[(word << SIX) + atomic.trailing_zeros(bits)]
            place += ONE
            bits &= bits - ONE


@njit(cache=True, nogil=True)
def scatter_bits(piece, first, bounds, words, starts, packed, values):
    """Packed values to the places of a block's vertices."""
    place = np.uint64(starts[first + piece])
    for word in range(np.uint64(bounds[first + piece]), np.uint64(bounds[first + piece + 1])):
        bits = words[word]
        while bits != 0:
            values[(word << SIX) + atomic.trailing_zeros(bits)] = packed[place]
            place += ONE
            bits &= bits - ONE


@njit(cache=True, nogil=True)
def set_bits(piece, bounds, ids, words):
    """The bits of some of the listed vertices; who has others may be in the same word."""
    for k in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        v = np.uint64(ids[k])
        atomic.bitwise_or(words, v >> SIX, ONE << (v & LOW_SIX))


@njit(cache=True, nogil=True)
def scatter_list(piece, bounds, ids, packed, values):
    """Values of some of the listed vertices to their places."""
    for k in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        values[np.uint64(ids[k])] = packed[k]


@njit(cache=True, nogil=True)
def copy(piece, first, bounds, source, target):
    """A share of an array."""
    for k in range(np.uint64(bounds[first + piece]), np.uint64(bounds[first + piece + 1])):
        target[k] = source[k]


@njit(cache=True, nogil=True)
def fill(piece, bounds, array, number):
    """Set a share of an array."""
    for k in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        array[k] = number
