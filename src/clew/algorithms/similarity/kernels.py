# mypy: ignore-errors
"""Shared neighbours of pairs of vertices, and of every vertex with those two steps away.

Rows are sorted. Neighbours that are there twice, and a vertex in its own row, do not count.
"""

from math import sqrt

import numpy as np

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.jit import njit
from clew.kernels_search import next_from

ONE = np.uint64(1)
LONGER = np.uint64(8)  # times that a row is longer than another from which on it is searched, not merged
BLOCK = 64  # vertices that a member takes at a time
JACCARD, OVERLAP, COSINE = range(3)


@njit(cache=True, nogil=True)
def count_distinct(part, bounds, rows, count):
    """How many distinct neighbours, other than itself, every vertex of a block has."""
    for u in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        for j in range(rows[0][u], rows[0][u + ONE]):
            count[u] += _counts(rows, u, j)


@njit(cache=True, nogil=True)
def _counts(rows, u, j):
    """Whether entry j of the row of u is a neighbour that counts."""
    indptr, indices = rows
    return indices[j] != u and (j == indptr[u] or indices[j] != indices[j - ONE])


@njit(cache=True, nogil=True)
def score(method, shared, one, other):
    """The score of two vertices by their numbers of neighbours and the sum of the values that they share."""
    if shared == 0.0:
        return 0.0
    if method == JACCARD:
        return shared / (one + other - shared)
    if method == OVERLAP:
        return shared / min(one, other)
    return shared / sqrt(np.float64(one) * other) if method == COSINE else shared


@njit(cache=True, nogil=True)
def score_pairs(part, parts, rows, first, second, method, value, count, marked, scores):
    """The scores of a share of the pairs; with ``marked``, pairs with the same first vertex follow each other."""
    indptr, indices = rows
    size = np.uint64(first.size)
    start, stop = np.uint64(part) * size // np.uint64(parts), np.uint64(part + 1) * size // np.uint64(parts)
    mark = np.full(count.size if marked else 0, count.size, np.int64)  # the last first vertex that has this neighbour
    current = np.int64(-1)
    for i in range(start, stop):
        u, v = first[i], second[i]
        one, other = indptr[u + ONE] - indptr[u], indptr[v + ONE] - indptr[v]
        if marked and other < LONGER * one:
            if current != np.int64(u):
                _mark(rows, u, mark)
                current = np.int64(u)
            shared = 0.0
            for j in range(indptr[v], indptr[v + ONE]):
                w = indices[j]
                if mark[w] == u and _counts(rows, v, j):
                    shared += value[w]
        else:
            shared = _shared(rows, u, v, value) if one < other else _shared(rows, v, u, value)
        scores[i] = score(method, shared, count[u], count[v])


@njit(cache=True, nogil=True)
def _mark(rows, u, mark):
    for j in range(rows[0][u], rows[0][u + ONE]):
        if rows[1][j] != u:
            mark[rows[1][j]] = u


@njit(cache=True, nogil=True)
def _shared(rows, u, v, value):
    """The sum of the values of the neighbours that u shares with v, whose row is no shorter."""
    indptr, indices = rows
    total = 0.0
    j, end = indptr[v], indptr[v + ONE]
    search = LONGER * (indptr[u + ONE] - indptr[u]) < end - j
    for i in range(indptr[u], indptr[u + ONE]):
        w = indices[i]
        if not _counts(rows, u, i) or w == v:
            continue
        if search:
            j = next_from(indices, j, end, w)
        else:
            while j < end and indices[j] < w:
                j += ONE
        if j == end:
            break
        if indices[j] == w:
            total += value[w]
    return total


@njit(cache=True, nogil=True)
def best_of_all(member, taken, rows, back, method, value, count, similar, scores):
    """For every vertex, the most similar others in descending order; members take blocks of vertices.

    ``back`` has the rows of in-edges, in which a neighbour finds who shares it.
    """
    n = np.uint64(count.size)
    totals, near = np.zeros(n), np.empty(n, rows[1].dtype)
    while True:
        first = np.uint64(atomic.add(taken, np.uint64(0), np.int64(BLOCK)))
        if first >= n:
            break
        for u in range(first, min(first + np.uint64(BLOCK), n)):
            found = _two_steps(rows, back, u, value, totals, near)
            for i in range(found):
                v = near[i]
                insert(similar[u], scores[u], v, score(method, totals[v], count[u], count[v]))
                totals[v] = 0.0


@njit(cache=True, nogil=True)
def _two_steps(rows, back, u, value, totals, near):
    """Add up what u shares with every other vertex; returns how many share something, which are in ``near``."""
    found = np.uint64(0)
    for j in range(rows[0][u], rows[0][u + ONE]):
        if not _counts(rows, u, j):
            continue
        w = rows[1][j]
        for i in range(back[0][w], back[0][w + ONE]):
            v = back[1][i]
            if v == u or not _counts(back, w, i):
                continue
            if totals[v] == 0.0:
                near[found] = v
                found += ONE
            totals[v] += value[w]
    return found


@njit(cache=True, nogil=True)
def insert(similar, scores, v, score):
    """Put a vertex in its place in a descending list, if it belongs there; of equal scores, the smaller id first."""
    place = similar.size
    while place > 0 and (
        similar[place - 1] < 0 or scores[place - 1] < score or (scores[place - 1] == score and similar[place - 1] > v)
    ):
        place -= 1
    if place == similar.size:
        return
    for i in range(similar.size - 1, place, -1):
        similar[i], scores[i] = similar[i - 1], scores[i - 1]
    similar[place], scores[place] = v, score
