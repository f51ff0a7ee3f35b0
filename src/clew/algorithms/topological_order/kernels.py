# mypy: ignore-errors
"""Kahn's algorithm, generation by generation."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def generations(indptr, indices, waiting, queue, starts):
    """Vertices whose in-edges all come from earlier generations; ``waiting`` is the in-degree of every vertex.

    The queue becomes all of them, one generation after another. Generation g is queue[starts[g]:starts[g + 1]]. Returns
    the number of generations. Vertices on or behind cycles are in none.
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
