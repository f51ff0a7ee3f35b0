# mypy: ignore-errors
"""Searches in sorted arrays, for kernels. Places are uint64. A search of low…high-1 returns ``high`` for none."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def first_from(values, low, high, limit):
    """The first place whose value is ``limit`` or more."""
    while low < high:
        middle = (low + high) >> ONE
        if values[middle] < limit:
            low = middle + ONE
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def first_above(values, low, high, limit):
    """The first place whose value is above ``limit``."""
    while low < high:
        middle = (low + high) >> ONE
        if values[middle] > limit:
            high = middle
        else:
            low = middle + ONE
    return low


@njit(cache=True, nogil=True)
def next_from(values, low, high, limit):
    """The same as ``first_from``, for places soon after ``low``: by steps that double and then halve."""
    step, stop = ONE, low
    while stop < high and values[stop] < limit:
        low = stop + ONE
        stop += step
        step += step
    return first_from(values, low, min(stop, high), limit)


@njit(cache=True, nogil=True)
def next_shared(indices, j, stop, fetched, k, last):
    """Where the next entry is that both rows have; the ends if there is none. Each row is searched for the other."""
    while j < stop and k < last:
        w, x = np.int64(indices[j]), np.int64(fetched[k])
        if w == x:
            return j, k
        if w < x:
            j = next_from(indices, j, stop, x)
        else:
            k = next_from(fetched, k, last, w)
    return stop, last


@njit(cache=True, nogil=True)
def has_edge(rows, u, v):
    """Whether v is in the row of u."""
    end = rows[0][u + ONE]
    place = first_from(rows[1], rows[0][u], end, v)
    return place < end and rows[1][place] == v
