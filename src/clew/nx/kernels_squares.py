# mypy: ignore-errors
"""Cycles of four edges: paths of two edges from a vertex, counted by where they end."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def squares(piece, bounds, indptr, indices, degrees, coefficient):
    """Fill ``coefficient`` for the vertices of a piece: squares at a vertex, divided by those that are possible.

    Rows hold no vertex twice; self-loops are skipped, and ``degrees`` has the lengths without them. Where p paths of
    two edges lead from v to x, v and x are opposite corners of p(p-1)/2 squares. For a pair u, w of neighbours of v,
    what is possible is one square for each neighbour that u or w has besides v and each other, a shared one counted
    once.
    """
    ways = np.zeros(indptr.size - 1, np.uint32)
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        first, last = indptr[v], indptr[v + ONE]
        own = degrees[v]
        pairs = np.int64(0)  # two for every square
        reach = np.int64(0)
        for i in range(first, last):
            u = np.uint64(indices[i])
            if u == v:
                continue
            reach += degrees[u]
            for j in range(indptr[u], indptr[u + ONE]):
                x = np.uint64(indices[j])
                if x != u and x != v:
                    pairs += 2 * np.int64(ways[x])
                    ways[x] += np.uint32(1)
        closed = np.int64(0)  # two for every triangle
        for i in range(first, last):
            if indices[i] != v:
                closed += ways[indices[i]]
        for i in range(first, last):
            u = np.uint64(indices[i])
            for j in range(indptr[u], indptr[u + ONE]):
                ways[indices[j]] = 0
        found = pairs // 2
        possible = (own - 1) * reach - own * (own - 1) - closed - found
        coefficient[v] = found / possible if own > 1 and possible > 0 else 0.0
