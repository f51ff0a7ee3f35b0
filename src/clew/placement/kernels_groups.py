# mypy: ignore-errors
"""Vertices divided into a slow and a fast group: how large these are, and new ids. A piece of the vertices each."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def count_chosen(piece, pieces, chosen):
    """How many vertices of a piece are chosen."""
    count = np.int64(0)
    for v in range(np.uint64(piece * chosen.size // pieces), np.uint64((piece + 1) * chosen.size // pieces)):
        count += chosen[v]
    return count


@njit(cache=True, nogil=True)
def count_arcs(piece, pieces, indptr, chosen):
    """How many arcs the chosen vertices of a piece have."""
    count = np.uint64(0)
    for v in range(np.uint64(piece * chosen.size // pieces), np.uint64((piece + 1) * chosen.size // pieces)):
        if chosen[v]:
            count += indptr[v + ONE] - indptr[v]
    return count


@njit(cache=True, nogil=True)
def number_groups(piece, pieces, fast, before, boundary, permutation):
    """New ids of a piece: slow vertices from 0 on, fast ones from the boundary on, each in the order they had."""
    first = piece * fast.size // pieces
    next_fast = boundary + before[piece]
    next_slow = first - before[piece]
    for v in range(np.uint64(first), np.uint64((piece + 1) * fast.size // pieces)):
        if fast[v]:
            permutation[v] = next_fast
            next_fast += 1
        else:
            permutation[v] = next_slow
            next_slow += 1


@njit(cache=True, nogil=True)
def keep_fitting(chosen, indptr, edge, offset, budget):
    """Of the chosen vertices, in the order of their ids, keep those whose row still fits."""
    left = budget
    for v in range(np.uint64(chosen.size)):
        if chosen[v]:
            size = (indptr[v + ONE] - indptr[v]) * edge + offset
            if size <= left:
                left -= size
            else:
                chosen[v] = False
