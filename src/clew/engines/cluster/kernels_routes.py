# mypy: ignore-errors
"""Values to and from the places that members have agreed on: packed, put in place, combined; and sums over rows."""

import numpy as np

from clew.engines.cpu.team.kernels import row_sums
from clew.engines.cpu.team.kernels_intrinsics import ones, trailing_zeros
from clew.jit import njit

ONE, SIX, LOW_SIX = np.uint64(1), np.uint64(6), np.uint64(63)


@njit(cache=True, nogil=True)
def _range(piece, pieces, places):
    """The numbers of one piece of some places."""
    return range(piece * places.size // pieces, (piece + 1) * places.size // pieces)


@njit(cache=True, nogil=True)
def pack(piece, pieces, places, values, packed):
    """The values at some places, side by side."""
    for k in _range(piece, pieces, places):
        packed[k] = values[np.uint64(places[k])]


@njit(cache=True, nogil=True)
def put(piece, pieces, places, packed, values):
    """Packed values to their places."""
    for k in _range(piece, pieces, places):
        values[np.uint64(places[k])] = packed[k]


@njit(cache=True, nogil=True)
def move(piece, pieces, places, values, to, moved):
    """The values at some places to other places of another array."""
    for k in _range(piece, pieces, places):
        moved[np.uint64(to[k])] = values[np.uint64(places[k])]


@njit(cache=True, nogil=True)
def add(piece, pieces, places, packed, values):
    """Add packed values at their places."""
    for k in _range(piece, pieces, places):
        values[np.uint64(places[k])] += packed[k]


def make_combine(function, mark):
    """The same with any operator."""

    @njit(cache=True, nogil=True, error_model="numpy")
    def combine(places, packed, values):
        mark  # noqa: B018, captured: see the compiler
        kind = values.dtype.type
        for k in range(places.size):
            place = np.uint64(places[k])
            values[place] = kind(function(values[place], packed[k]))

    return combine


@njit(cache=True, nogil=True)
def sum_rows(piece, blocks, ahead, rows, factors, values, sums):
    """Sums of the values at every row's neighbours, over one block of rows."""
    row_sums(np.uint64(blocks[piece, 0]), np.uint64(blocks[piece, 1]), rows, ahead, factors, values, sums)


@njit(cache=True, nogil=True)
def number(places, words, before):
    """Set a bit for every place, and count the places before every word."""
    for k in range(places.size):
        place = np.uint64(places[k])
        words[place >> SIX] |= ONE << (place & LOW_SIX)
    count = 0
    for word in range(words.size):
        before[word] = count
        count += np.int64(ones(words[word]))


@njit(cache=True, nogil=True)
def list_places(words, places):
    """The places whose bits are set, ascending: undoes ``number``."""
    k = np.uint64(0)
    for word in range(np.uint64(words.size)):
        bits = words[word]
        while bits != 0:
            places[k] = (word << SIX) + np.uint64(trailing_zeros(bits))
            bits &= bits - ONE
            k += ONE


@njit(cache=True, nogil=True)
def numbers_of(listed, count, start, words, before, first, numbers):
    """The numbers of those places of a list, counted from ``start``, that have one, from ``first``; and how many."""
    kept = 0
    for i in range(count):
        place = np.uint64(listed[i] + start)
        word, shift = words[place >> SIX], place & LOW_SIX
        # No branch: whether a place has a number is hard to predict.
        numbers[kept] = before[place >> SIX] + np.int32(ones(word & ((ONE << shift) - ONE))) - first
        kept += np.int64(word >> shift & ONE)
    return kept
