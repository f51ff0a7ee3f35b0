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
