# mypy: ignore-errors
"""The blocks of an undirected graph, by Hopcroft and Tarjan's depth-first search.

The search is the work of one thread, since its order depends on all that came before.
"""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def blocks(indptr, indices, parent, discovered, low, entries, ends, cuts):
    """Find the blocks and articulation points, in the order of the search; returns how many of each there are.

    The edges of block b are ``entries`` of ``indices`` from ends[b - 1] to ends[b], each in one of its rows.
    Articulation points are ``cuts``. ``parent`` is -1 at roots. ``discovered`` is when. ``low`` is the earliest vertex
    that the subtree of a vertex has an edge to. Of parallel edges to the parent, one is the way here.
    """
    n = parent.size
    at, path = indptr[:-1].copy(), np.empty(n, dtype=np.uint64)
    stack = np.empty(entries.size, dtype=np.int64)
    height = np.zeros(n, dtype=np.int64)  # of the stack of edges when a vertex was found
    is_cut, came_back = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    discovered[:] = -1
    clock = stacked = written = count = points = 0
    for root in range(np.uint64(n)):
        if discovered[root] >= 0:
            continue
        discovered[root] = low[root] = clock
        clock += 1
        parent[root] = -1
        path[0] = root
        deep = 1
        children = 0
        while deep > 0:
            v = path[deep - 1]
            before = path[max(deep - 2, 0)]
            if at[v] < indptr[v + ONE]:
                entry = at[v]
                w = np.uint64(indices[entry])
                at[v] += ONE
                if w == before and not came_back[v]:
                    came_back[v] = True
                elif discovered[w] < 0:
                    discovered[w] = low[w] = clock
                    clock += 1
                    parent[w] = v
                    height[w] = stacked
                    stack[stacked] = entry
                    stacked += 1
                    path[deep] = w
                    deep += 1
                elif discovered[w] <= discovered[v]:
                    low[v] = min(low[v], discovered[w])
                    stack[stacked] = entry
                    stacked += 1
                continue
            deep -= 1
            if deep == 0:
                break
            if deep > 1:
                closed = low[v] >= discovered[before]
                low[before] = min(low[before], low[v])
            else:
                closed = True
                children += 1
            if closed:
                if deep > 1 and not is_cut[before]:
                    is_cut[before] = True
                    cuts[points] = before
                    points += 1
                for i in range(height[v], stacked):
                    entries[written] = stack[i]
                    written += 1
                stacked = height[v]
                ends[count] = written
                count += 1
        stacked = 0
        if children > 1:
            cuts[points] = root
            points += 1
    return count, points
