# mypy: ignore-errors
"""The weights of the triangles at every vertex."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def weighted_triangles(piece, bounds, indptr, indices, weights, total):
    """The sum over the triangles at the vertices of a piece of the product of their weights, each counted twice.

    Rows are those of a simple undirected graph.
    """
    n = indptr.size - 1
    here = np.zeros(n)  # the weights of the edges of u
    for u in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        for j in range(indptr[u], indptr[u + ONE]):
            here[indices[j]] = weights[j]
        total[u] = 0.0
        for i in range(indptr[u], indptr[u + ONE]):
            v = np.uint64(indices[i])
            found = 0.0
            for j in range(indptr[v], indptr[v + ONE]):
                found += weights[j] * here[indices[j]]
            total[u] += found * weights[i]
        for j in range(indptr[u], indptr[u + ONE]):
            here[indices[j]] = 0.0
