# mypy: ignore-errors
"""Counting how often each of some numbers occurs, with a hash table.

A multiset is ``(values, counts, table)``: the different values and how often each occurs, and a table of a power of two
of places, at least twice the number of values there can be. A place holds 1 + the index of a value, and 0 if nobody's;
the table is empty between two multisets.
"""

import numpy as np

from clew.engines.cpu import kernels_atomic as atomic
from clew.jit import njit

FEW = 16  # values that are found sooner by looking at all of them
ONE, TWO = np.uint64(1), np.uint64(2)
FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / the golden ratio: neighbouring numbers end up far apart


@njit(cache=True, nogil=True, inline="always")
def count(multiset, mask, size, value):
    """Count ``value`` in a multiset of ``size`` different values in any order; how many it has then."""
    values, counts, table = multiset
    place = _first_place(value, mask)
    while table[place] != 0:
        i = np.uint64(table[place]) - ONE
        if values[i] == value:
            counts[i] += 1
            return size
        place = (place + ONE) & mask
    values[size], counts[size] = value, 1
    size += ONE
    table[place] = size
    return size


@njit(cache=True, nogil=True)
def forget(multiset, mask, size):
    """Empty the table, whose values stay listed. Backwards: then nothing lies between a value and its place."""
    values, _, table = multiset
    for k in range(size):
        i = size - ONE - k
        place = _first_place(values[i], mask)
        while table[place] != i + ONE:
            place = (place + ONE) & mask
        table[place] = 0


@njit(cache=True, nogil=True)
def mask_for(length):
    """The places to use for up to ``length`` values, less one: small multisets use the start of a large table."""
    places = TWO
    while places < TWO * length:
        places *= TWO
    return places - ONE


@njit(cache=True, nogil=True)
def sort(multiset, size):
    """Bring the values into ascending order, and the counts with them: heapsort, which needs no memory."""
    values, counts, _ = multiset
    for start in range(size // TWO):
        _sift(values, counts, size // TWO - ONE - start, size)
    for k in range(size):
        last = size - ONE - k
        values[0], values[last] = values[last], values[0]
        counts[0], counts[last] = counts[last], counts[0]
        _sift(values, counts, np.uint64(0), last)


@njit(cache=True, nogil=True)
def _sift(values, counts, i, size):
    """Move entry ``i`` down until none below it is larger."""
    value, number = values[i], counts[i]
    child = TWO * i + ONE
    while child < size:
        if child + ONE < size and values[child + ONE] > values[child]:
            child += ONE
        if values[child] <= value:
            break
        values[i], counts[i] = values[child], counts[child]
        i = child
        child = TWO * i + ONE
    values[i], counts[i] = value, number


@njit(cache=True, nogil=True, inline="always")
def _first_place(value, mask):
    if value == 0:  # -0.0 is the same value, and has other bits
        return np.uint64(0)
    mixed = np.uint64(atomic.to_bits(value)) * FACTOR
    return (mixed >> np.uint64(32)) & mask
