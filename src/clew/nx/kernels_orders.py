# mypy: ignore-errors
"""Spanning forests, longest paths, sorted orders and reductions of acyclic graphs, over compressed rows."""

from heapq import heappop, heappush

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def prim(indptr, indices, weights, root, visited, chosen):
    """Grow a tree from ``root`` by the smallest edge that leaves it, the first seen of several.

    Writes the entries taken into ``chosen`` and returns how many there are. ``visited`` is shared by all trees.
    """
    heap = [(weights[0], np.int64(0), np.int64(0))]
    heap.pop()
    clock = np.int64(0)
    count = 0
    v = np.uint64(root)
    visited[v] = True
    for j in range(indptr[v], indptr[v + ONE]):
        heappush(heap, (weights[j], clock, np.int64(j)))
        clock += 1
    while heap:
        _, _, entry = heappop(heap)
        v = np.uint64(indices[entry])
        if visited[v]:
            continue
        visited[v] = True
        chosen[count] = entry
        count += 1
        for j in range(indptr[v], indptr[v + ONE]):
            if not visited[indices[j]]:
                heappush(heap, (weights[j], clock, np.int64(j)))
                clock += 1
    return count


@njit(cache=True, nogil=True)
def longest_paths(indptr, indices, weights, order, length, before):
    """The longest path that ends at every vertex, over in-edges, with the vertices in topological order.

    ``before`` is the entry of the path's last edge, the first of several, and -1 where the path is a vertex alone.
    """
    for v in order:
        v = np.uint64(v)
        before[v] = -1
        length[v] = 0
        for j in range(indptr[v], indptr[v + ONE]):
            here = length[indices[j]] + weights[j]
            if before[v] < 0 or here > length[v]:
                length[v], before[v] = here, j
        if length[v] < 0:
            length[v], before[v] = 0, -1


@njit(cache=True, nogil=True)
def ranked_order(indptr, indices, rank, at_rank, waiting, order):
    """A topological order in which the vertex of least rank comes first; returns how many vertices are in it.

    ``waiting`` is the in-degree of every vertex. ``at_rank`` is the vertex of every rank.
    """
    heap = [np.int64(0)]
    heap.pop()
    for v in range(waiting.size):
        if waiting[v] == 0:
            heappush(heap, rank[v])
    count = 0
    while heap:
        v = np.uint64(at_rank[heappop(heap)])
        order[count] = v
        count += 1
        for j in range(indptr[v], indptr[v + ONE]):
            w = indices[j]
            waiting[w] -= 1
            if waiting[w] == 0:
                heappush(heap, rank[w])
    return count


@njit(cache=True, nogil=True)
def reduce_rows(indptr, indices, place, needed):
    """Mark the entries of an acyclic graph that no longer path replaces; ``place`` is a topological order's place."""
    n = indptr.size - 1
    seen = np.full(n, -1, dtype=np.int64)
    stack = np.empty(n, dtype=np.uint64)
    for u in range(np.uint64(n)):
        first, last = indptr[u], indptr[u + ONE]
        row = np.empty(np.int64(last - first), dtype=np.int64)
        for j in range(first, last):
            row[np.int64(j - first)] = place[indices[j]]
        farthest = row.max() if row.size else 0
        # The nearest neighbour first: a neighbour that an earlier one reaches is seen by then.
        for k in np.argsort(row):
            j = first + np.uint64(k)
            v = np.uint64(indices[j])
            needed[j] = seen[v] != np.int64(u)
            if not needed[j]:
                continue
            seen[v] = u
            stack[0] = v
            size = 1
            while size > 0:
                size -= 1
                x = stack[size]
                for i in range(indptr[x], indptr[x + ONE]):
                    w = np.uint64(indices[i])
                    if seen[w] != np.int64(u) and place[w] <= farthest:
                        seen[w] = u
                        stack[size] = w
                        size += 1
