# mypy: ignore-errors
"""Shared neighbours, of pairs of vertices and of the ends of edges, and onion layers.

Rows are those of a simple graph and may be in any order.
"""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def shared_neighbors(indptr, indices, source, target, value, label, counts, totals):
    """Compare the neighbours of every pair of vertices; pairs with the same source should be adjacent.

    Row 0 of ``counts`` is the number of shared neighbours. Row 1 is the number of those that are neither end of the
    pair. Row 2 is the number of these with the label of the source. ``totals`` has the sums of their values, as in rows
    1 and 2.
    """
    marks = np.full(indptr.size - 1, -1, dtype=np.int64)
    last = np.int64(-1)
    for i in range(source.size):
        u, v = np.uint64(source[i]), np.uint64(target[i])
        if np.int64(u) != last:
            last = np.int64(u)
            for j in range(indptr[u], indptr[u + ONE]):
                marks[indices[j]] = last
        for j in range(indptr[v], indptr[v + ONE]):
            w = np.uint64(indices[j])
            if marks[w] != last:
                continue
            counts[0, i] += 1
            if w != u and w != v:
                counts[1, i] += 1
                totals[0, i] += value[w]
                if label[w] == label[u]:
                    counts[2, i] += 1
                    totals[1, i] += value[w]


@njit(cache=True, nogil=True)
def edge_supports(indptr, indices, support):
    """Write into ``support`` in how many triangles the edge of every entry is; entries of self-loops have 0."""
    marks = np.full(indptr.size - 1, -1, dtype=np.int64)
    for u in range(np.uint64(indptr.size - 1)):
        for j in range(indptr[u], indptr[u + ONE]):
            marks[indices[j]] = u
        for i in range(indptr[u], indptr[u + ONE]):
            v = np.uint64(indices[i])
            support[i] = 0
            if v == u:
                continue
            for j in range(indptr[v], indptr[v + ONE]):
                w = np.uint64(indices[j])
                if marks[w] == np.int64(u) and w != u and w != v:
                    support[i] += 1


@njit(cache=True, nogil=True)
def onion(indptr, indices, degree, layer, start_degree):
    """Write the layer of every vertex, and the degree that it had when its layer was peeled off."""
    n = layer.size
    this, following = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    layer[:] = 0
    done = size = 0
    current = core = 1
    for v in range(n):
        if degree[v] == 0:
            layer[v], start_degree[v] = 1, 0
            done += 1
    if done:
        current = 2
    while done < n:
        if size == 0:
            smallest = np.int64(n)
            for v in range(n):
                if layer[v] == 0:
                    smallest = min(smallest, degree[v])
            core = max(core, smallest)
            for v in range(n):
                if layer[v] == 0 and degree[v] <= core:
                    this[size] = v
                    size += 1
        for i in range(size):
            layer[this[i]], start_degree[this[i]] = current, degree[this[i]]
        more = 0
        for i in range(size):
            v = np.uint64(this[i])
            for j in range(indptr[v], indptr[v + ONE]):
                w = np.int64(indices[j])
                if layer[w] == 0:
                    degree[w] -= 1
                    if degree[w] == core:
                        following[more] = w
                        more += 1
        done += size
        this, following, size = following, this, more
        current += 1
