# mypy: ignore-errors
"""Rows by heat: how many bytes those of every heat have, and taking those that are hot enough and fit.

Only rows count that are cooler than ``below`` and have at most ``left`` bytes: the others have been decided upon, or
cannot fit.
"""

import numpy as np

from clew.build.kernels_sort import sort_row
from clew.jit import njit

ZERO, ONE = np.uint64(0), np.uint64(1)


@njit(cache=True, nogil=True)
def bytes_by_digit(piece, pieces, heats, indptr, edge, offset, below, left, prefix, shift, digits):
    """Of a piece of the vertices, the bytes of rows whose heat begins with ``prefix``, by the ``digits`` bits after."""
    sizes = np.zeros(ONE << digits, np.uint64)
    mask = (ONE << digits) - ONE
    for v in range(np.uint64(piece * heats.size // pieces), np.uint64((piece + 1) * heats.size // pieces)):
        heat = np.uint64(heats[v])
        if heat < below and (heat >> shift) >> digits == prefix:
            size = (indptr[v + ONE] - indptr[v]) * edge + offset
            if size <= left:
                sizes[(heat >> shift) & mask] += size
    return sizes


@njit(cache=True, nogil=True)
def take(piece, pieces, heats, indptr, edge, offset, below, left, least, fast):
    """Take all of a piece that are at least as hot as ``least``."""
    for v in range(np.uint64(piece * heats.size // pieces), np.uint64((piece + 1) * heats.size // pieces)):
        if least <= np.uint64(heats[v]) < below and (indptr[v + ONE] - indptr[v]) * edge + offset <= left:
            fast[v] = True


@njit(cache=True, nogil=True)
def take_equals(heats, indptr, edge, offset, heat, room, fast):
    """Take those of one heat in the order of ids, each if it still fits into ``room``; what is left of that."""
    for v in range(np.uint64(heats.size)):
        if np.uint64(heats[v]) == heat:
            size = (indptr[v + ONE] - indptr[v]) * edge + offset
            if size <= room:
                room -= size
                fast[v] = True
                if room < offset:
                    break
    return room


@njit(cache=True, nogil=True)
def take_sorted(heats, indptr, edge, offset, below, left, fast):
    """Take those that fit, hottest first, of equals the smallest id."""
    count = ZERO
    for v in range(np.uint64(heats.size)):
        count += np.uint64(np.uint64(heats[v]) < below and (indptr[v + ONE] - indptr[v]) * edge + offset <= left)
    keys, vertices = np.empty(count, np.uint64), np.empty(count, np.uint64)
    count = ZERO
    for v in range(np.uint64(heats.size)):
        if np.uint64(heats[v]) < below and (indptr[v + ONE] - indptr[v]) * edge + offset <= left:
            keys[count], vertices[count] = below - np.uint64(heats[v]), v
            count += ONE
    sort_row(keys, vertices, ZERO, count, False)
    for i in range(count):
        v = vertices[i]
        size = (indptr[v + ONE] - indptr[v]) * edge + offset
        if size <= left:
            left -= size
            fast[v] = True
