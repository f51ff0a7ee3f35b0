# mypy: ignore-errors
"""Triads around every pair of neighbours, after Batagelj and Mrvar."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def triad_codes(piece, bounds, indptr, indices, sides, codes, pairs):
    """Count connected triads by the code of their edges, and pairs of vertices that no third one touches.

    Rows have the neighbours in either direction, without self-loops. ``sides`` is 1 where an edge leads to the
    neighbour, 2 where one comes from it, and 3 where both do. ``codes`` has 64 counts for every piece. ``pairs`` are
    those with one edge and those with two.
    """
    n = indptr.size - 1
    marks = np.zeros(n, dtype=np.int64)
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        for j in range(indptr[v], indptr[v + ONE]):
            marks[indices[j]] = sides[j]
        for i in range(indptr[v], indptr[v + ONE]):
            u = np.uint64(indices[i])
            if u <= v:
                continue
            between = np.int64(sides[i])
            near = np.int64(indptr[v + ONE] - indptr[v]) - 1  # neighbours of v other than u
            for j in range(indptr[u], indptr[u + ONE]):
                w = np.uint64(indices[j])
                if w == v:
                    continue
                if marks[w] == 0:
                    near += 1
                if u < w or (v < w and w < u and marks[w] == 0):
                    codes[piece, between + 4 * marks[w] + 16 * np.int64(sides[j])] += 1
                marks[w] += 4  # a neighbour of both
            for j in range(indptr[v], indptr[v + ONE]):
                w = np.uint64(indices[j])
                if w != u and marks[w] < 4 and u < w:
                    codes[piece, between + 4 * marks[w]] += 1
            for j in range(indptr[u], indptr[u + ONE]):
                w = np.uint64(indices[j])
                if w != v:
                    marks[w] -= 4
            pairs[piece, 1 if between == 3 else 0] += n - near - 2
        for j in range(indptr[v], indptr[v + ONE]):
            marks[indices[j]] = 0
