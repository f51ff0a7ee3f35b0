# mypy: ignore-errors
"""Depth-first searches that follow the order of rows, and paths around edges.

Rows have every neighbour once. Each search is the work of one thread, since its order depends on all that came before.
"""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)
FORWARD, NONTREE, REVERSE, CUT_OFF = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def depth_first(indptr, indices, sources, limit, others, parent, child, event):
    """Write the events of a search from each of ``sources`` that is not visited yet; returns how many there are.

    A source is its own parent. ``others`` says whether edges to visited vertices are events too. A vertex at depth
    ``limit`` is cut off: it has no events of its own.
    """
    n = indptr.size - 1
    visited = np.zeros(n, dtype=np.bool_)
    at, path = indptr[:-1].copy(), np.empty(n, dtype=np.uint64)
    count = 0
    for source in sources:
        if visited[source]:
            continue
        visited[source] = True
        parent[count], child[count], event[count] = source, source, FORWARD
        count += 1
        path[0] = source
        deep = 1
        while deep > 0:
            v = path[deep - 1]
            if at[v] == indptr[v + ONE]:
                deep -= 1
                parent[count], child[count], event[count] = path[max(deep - 1, 0)], v, REVERSE
                count += 1
                continue
            w = np.uint64(indices[at[v]])
            at[v] += ONE
            if visited[w]:
                if others:
                    parent[count], child[count], event[count] = v, w, NONTREE
                    count += 1
                continue
            visited[w] = True
            parent[count], child[count], event[count] = v, w, FORWARD
            count += 1
            if deep < limit:
                path[deep] = w
                deep += 1
            else:
                parent[count], child[count], event[count] = v, w, CUT_OFF
                count += 1
    return count


@njit(cache=True, nogil=True)
def detours(indptr, indices, source, target, length):
    """Write the length of the shortest path between the ends of every edge without that edge; -1 if there is none."""
    n = indptr.size - 1
    depth = np.zeros((2, n), dtype=np.int64)  # 1 + the distance from either end, where stamp says so
    stamp = np.full((2, n), -1, dtype=np.int64)
    queue = np.empty((2, n), dtype=np.uint64)
    read, count = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    for edge in range(source.size):
        a, b = np.uint64(source[edge]), np.uint64(target[edge])
        for side in range(2):
            start = a if side == 0 else b
            queue[side, 0], stamp[side, start], depth[side, start] = start, edge, 0
            read[side], count[side] = 0, 1
        best = np.int64(-1)
        while best < 0 and read[0] < count[0] and read[1] < count[1]:
            side = 0 if count[0] - read[0] <= count[1] - read[1] else 1
            end = count[side]
            for i in range(read[side], end):  # one level
                v = queue[side, i]
                for j in range(indptr[v], indptr[v + ONE]):
                    w = np.uint64(indices[j])
                    if (v == a and w == b) or (v == b and w == a):
                        continue
                    if stamp[1 - side, w] == edge:
                        whole = depth[side, v] + 1 + depth[1 - side, w]
                        if best < 0 or whole < best:
                            best = whole
                    if stamp[side, w] != edge:
                        stamp[side, w] = edge
                        depth[side, w] = depth[side, v] + 1
                        queue[side, count[side]] = w
                        count[side] += 1
            read[side] = end
        length[edge] = best
