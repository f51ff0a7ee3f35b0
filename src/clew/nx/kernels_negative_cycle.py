# mypy: ignore-errors
"""Which of several negative cycles a queue of vertices to relax comes across first.

The Bellman-Ford algorithm with a queue, as NetworkX has it: one thread's work, and the answer depends on the order of
the rows. Predecessors are lists, linked from the last one that was added to those before it.
"""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def _longer(array):
    """The same entries, with room for as many more."""
    room = np.empty(2 * array.size, dtype=array.dtype)
    room[: array.size] = array
    return room


@njit(cache=True, nogil=True)
def _waits(link, vertex, before, queued):
    """Whether one of the linked predecessors is still to be relaxed, so that what it leads to can wait."""
    while link >= 0 and not queued[vertex[link]]:
        link = before[link]
    return link >= 0


@njit(cache=True, nogil=True)
def on_a_cycle(indptr, indices, weights, source, last):
    """A vertex on a negative cycle or -1, and the linked predecessors: vertices, and what was added before.

    ``last[v]`` is the predecessor of v that was added last, -1 for none.
    """
    n = last.size
    distance = np.zeros(n, dtype=weights.dtype)
    known, queued = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    times = np.zeros(n, dtype=np.int64)
    through = np.full(n, -1, dtype=np.int64)  # the predecessor that improved a vertex last
    updated = np.full((n, 2), -1, dtype=np.int64)  # the edge that began the chain of improvements
    vertex, before = np.empty(n + 1, dtype=np.int64), np.empty(n + 1, dtype=np.int64)
    linked = 0
    queue = np.empty(n + 1, dtype=np.int64)
    read, write = 0, 1
    last[:] = -1
    queue[0], known[source], queued[source] = source, True, True
    while read != write:
        u = queue[read]
        read = (read + 1) % queue.size
        queued[u] = False
        if _waits(last[u], vertex, before, queued):
            continue
        j, end = indptr[np.uint64(u)], indptr[np.uint64(u) + ONE]
        while j < end:
            v = np.int64(indices[j])
            length = distance[u] + weights[j]
            j += ONE
            while j < end and np.int64(indices[j]) == v:  # of parallel edges, the shortest
                length = min(length, distance[u] + weights[j])
                j += ONE
            better = not known[v] or length < distance[v]
            if not better and length != distance[v]:
                continue
            if linked == vertex.size:
                vertex, before = _longer(vertex), _longer(before)
            vertex[linked] = u
            if better:
                if updated[u, 0] == v or updated[u, 1] == v:
                    before[linked], last[v] = last[v], linked
                    return v, vertex, before
                if through[v] == u:
                    updated[v] = updated[u]
                else:
                    updated[v, 0], updated[v, 1] = u, v
                if not queued[v]:
                    queue[write] = v
                    write = (write + 1) % queue.size
                    queued[v] = True
                    times[v] += 1
                    if times[v] == n:
                        return v, vertex, before
                distance[v], known[v], through[v] = length, True, u
                before[linked] = -1
            else:
                before[linked] = last[v]
            last[v] = linked
            linked += 1
    return -1, vertex, before
