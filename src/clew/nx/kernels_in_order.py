# mypy: ignore-errors
"""Searches that heed the order in which rows list their neighbours, for callers to whom that order means something.

One thread's work: which of two neighbours comes first depends on all that came before.
"""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def search(indptr, indices, found, limit, queue, parent, depth):
    """Breadth first from the ``found`` vertices that are in the queue already; returns how many were reached.

    The queue becomes the order in which vertices are found. ``depth`` is -1 but at the start, and no vertex deeper than
    ``limit`` is looked for.
    """
    read = np.uint64(0)
    count = np.uint64(found)
    while read < count:
        v = np.uint64(queue[read])
        read += ONE
        level = depth[v] + 1
        if level > limit:
            break
        for j in range(indptr[v], indptr[v + ONE]):
            w = np.uint64(indices[j])
            if depth[w] < 0:
                depth[w] = level
                parent[w] = v
                queue[count] = w
                count += ONE
    return count


@njit(cache=True, nogil=True)
def generations(indptr, indices, waiting, queue, starts):
    """Vertices whose in-edges all come from earlier generations; ``waiting`` is the in-degree of every vertex.

    The queue becomes all of them, generation after generation; ``starts[g]`` is where generation g begins in it, and
    there is one more, the end. Returns the number of generations; vertices on or behind cycles are in none.
    """
    count = np.uint64(0)
    for v in range(np.uint64(waiting.size)):
        if waiting[v] == 0:
            queue[count] = v
            count += ONE
    done = 0
    read = np.uint64(0)
    starts[0] = 0
    while read < count:
        end = count
        for i in range(read, end):
            v = np.uint64(queue[i])
            for j in range(indptr[v], indptr[v + ONE]):
                w = np.uint64(indices[j])
                waiting[w] -= 1
                if waiting[w] == 0:
                    queue[count] = w
                    count += ONE
        read = end
        done += 1
        starts[done] = end
    return done


@njit(cache=True, nogil=True)
def strong_components(indptr, indices, label):
    """Number the strongly connected components in the order in which Tarjan's search completes them.

    ``label`` has a number for every vertex when the kernel returns the count; those behind a component are before it.
    """
    n = label.size
    preorder, lowlink = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    at = indptr[:-1].copy()
    path, waiting = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    waits = seen = count = 0
    label[:] = -1
    for source in range(np.uint64(n)):
        if preorder[source] > 0:
            continue
        path[0] = source
        deep = 1
        while deep > 0:
            v = path[deep - 1]
            if preorder[v] == 0:
                seen += 1
                preorder[v] = seen
            deeper = False
            while at[v] < indptr[v + ONE] and not deeper:
                w = np.uint64(indices[at[v]])
                at[v] += ONE
                if preorder[w] == 0:
                    path[deep] = w
                    deep += 1
                    deeper = True
            if deeper:
                continue
            deep -= 1
            lowlink[v] = preorder[v]
            for j in range(indptr[v], indptr[v + ONE]):
                w = np.uint64(indices[j])
                if label[w] < 0:
                    lowlink[v] = min(lowlink[v], lowlink[w] if preorder[w] > preorder[v] else preorder[w])
            if lowlink[v] < preorder[v]:
                waiting[waits] = v
                waits += 1
                continue
            label[v] = count
            while waits > 0 and preorder[waiting[waits - 1]] > preorder[v]:
                waits -= 1
                label[waiting[waits]] = count
            count += 1
    return count


@njit(cache=True, nogil=True)
def postorder(indptr, indices, found):
    """Write into ``found`` when a depth-first search from one vertex after the other is done with each."""
    n = found.size
    at, path = indptr[:-1].copy(), np.empty(n, dtype=np.uint64)
    seen = np.zeros(n, dtype=np.bool_)
    count = 0
    for source in range(np.uint64(n)):
        if seen[source]:
            continue
        seen[source] = True
        path[0] = source
        deep = 1
        while deep > 0:
            v = path[deep - 1]
            if at[v] == indptr[v + ONE]:
                deep -= 1
                found[v] = count
                count += 1
                continue
            w = np.uint64(indices[at[v]])
            at[v] += ONE
            if not seen[w]:
                seen[w] = True
                path[deep] = w
                deep += 1
