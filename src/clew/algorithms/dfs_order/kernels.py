# mypy: ignore-errors
"""Depth-first search that follows the order of rows.

It is the work of one thread, since its order depends on all that came before.
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
