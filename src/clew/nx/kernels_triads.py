# mypy: ignore-errors
"""Weighted and directed triangles, triads, and shortest paths through edges.

Rows of neighbours in either direction have ``sides``: 1 where an edge leads to the neighbour, 2 where one comes from
it, 3 where both do.
"""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def weighted_triangles(indptr, indices, roots, total):
    """The sum over the triangles at every vertex of the product of the ``roots`` of its edges, each counted twice.

    Rows are those of an undirected graph. ``roots`` are cube roots of weights.
    """
    n = indptr.size - 1
    marks = np.full(n, -1, dtype=np.int64)
    here = np.zeros(n)
    for u in range(np.uint64(n)):
        for j in range(indptr[u], indptr[u + ONE]):
            marks[indices[j]], here[indices[j]] = u, roots[j]
        total[u] = 0.0
        for i in range(indptr[u], indptr[u + ONE]):
            v = np.uint64(indices[i])
            if v == u:
                continue
            found = 0.0
            for j in range(indptr[v], indptr[v + ONE]):
                w = np.uint64(indices[j])
                if marks[w] == np.int64(u) and w != u and w != v:
                    found += roots[j] * here[w]
            total[u] += found * roots[i]


@njit(cache=True, nogil=True)
def directed_triangles(indptr, indices, out, back, total):
    """The same for directed graphs: ``out`` and ``back`` are the roots of the edges to and from a neighbour, or 0.

    Every way to close a triangle with three edges counts, in whatever directions they go.
    """
    n = indptr.size - 1
    marks = np.full(n, -1, dtype=np.int64)
    here = np.zeros(n)
    for u in range(np.uint64(n)):
        for j in range(indptr[u], indptr[u + ONE]):
            marks[indices[j]], here[indices[j]] = u, out[j] + back[j]
        total[u] = 0.0
        for i in range(indptr[u], indptr[u + ONE]):
            v = np.uint64(indices[i])
            if v == u:
                continue
            found = 0.0
            for j in range(indptr[v], indptr[v + ONE]):
                w = np.uint64(indices[j])
                if marks[w] == np.int64(u) and w != u and w != v:
                    found += (out[j] + back[j]) * here[w]
            total[u] += found * here[v]


@njit(cache=True, nogil=True)
def triad_codes(indptr, indices, sides, codes, pairs):
    """Count connected triads by NetworkX's code of their edges, and pairs of vertices that no third one touches.

    ``codes`` has room for 64 counts. ``pairs`` are those with one edge and those with two. Rows have no self-loops.
    """
    n = indptr.size - 1
    marks = np.zeros(n, dtype=np.int64)
    for v in range(np.uint64(n)):
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
                    codes[between + 4 * marks[w] + 16 * np.int64(sides[j])] += 1
                marks[w] += 4  # a neighbour of both
            for j in range(indptr[v], indptr[v + ONE]):
                w = np.uint64(indices[j])
                if w != u and marks[w] < 4 and u < w:
                    codes[between + 4 * marks[w]] += 1
            for j in range(indptr[u], indptr[u + ONE]):
                w = np.uint64(indices[j])
                if w != v:
                    marks[w] -= 4
            pairs[1 if between == 3 else 0] += n - near - 2
        for j in range(indptr[v], indptr[v + ONE]):
            marks[indices[j]] = 0
