# mypy: ignore-errors
"""Searches from both ends of a path that meet in the middle; neighbours are taken in the order of the rows.

``rows`` are those of the edges out and in, or the same twice. A search is one thread's work and looks at few vertices.
"""

from heapq import heappop, heappush

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def fewest_edges(rows, source, target, before):
    """The vertex where a search from ``source`` and one from ``target`` meet, or -1.

    ``before[0]`` leads from there back to the source and ``before[1]`` on to the target; -2 where a search was not.
    """
    before[0, source] = before[1, target] = -1
    n = before.shape[1]
    fringe = np.empty((2, n), dtype=np.int64)
    fringe[0, 0], fringe[1, 0] = source, target
    first, last = np.zeros(2, dtype=np.int64), np.ones(2, dtype=np.int64)
    while first[0] < last[0] and first[1] < last[1]:
        side = 0 if last[0] - first[0] <= last[1] - first[1] else 1
        indptr, indices = rows[side]
        end = last[side]
        for i in range(first[side], end):
            v = np.uint64(fringe[side, i])
            for j in range(indptr[v], indptr[v + ONE]):
                w = np.int64(indices[j])
                if before[side, w] == -2:
                    before[side, w] = v
                    fringe[side, last[side]] = w
                    last[side] += 1
                if before[1 - side, w] != -2:
                    return w
        first[side] = end
    return -1


@njit(cache=True, nogil=True)
def least_weight(rows, weights, source, target, before, seen):
    """The vertex at which Dijkstra's algorithm from ``source`` and from ``target`` meet, or -1; and the distance.

    ``weights`` are those of the rows, or None where each counts 1; ``seen`` is room for distances in their type.
    Equal distances are taken in the order in which they were found.
    """
    n = before.shape[1]
    zero = seen[0, 0] - seen[0, 0]
    done = np.zeros((2, n), dtype=np.bool_)
    before[0, source] = before[1, target] = -1
    seen[0, source] = seen[1, target] = zero
    forward, backward = [(zero, np.int64(0), np.int64(source))], [(zero, np.int64(1), np.int64(target))]
    found, best, meet = np.int64(2), zero, np.int64(-1)
    side = 1
    while len(forward) > 0 and len(backward) > 0:
        side = 1 - side
        distance, _, near = heappop(forward) if side == 0 else heappop(backward)
        if done[side, near]:
            continue
        done[side, near] = True
        if done[1 - side, near]:
            return meet, best
        indptr, indices = rows[side]
        v = np.uint64(near)
        j, end = indptr[v], indptr[v + ONE]
        while j < end:
            w = np.int64(indices[j])
            length = distance + (1 if weights is None else weights[side][j])
            j += ONE
            while j < end and np.int64(indices[j]) == w:  # of parallel edges, the shortest
                if weights is not None:
                    length = min(length, distance + weights[side][j])
                j += ONE
            if done[side, w] or (before[side, w] != -2 and length >= seen[side, w]):
                continue
            seen[side, w] = length
            before[side, w] = near
            if side == 0:
                heappush(forward, (length, found, w))
            else:
                heappush(backward, (length, found, w))
            found += 1
            if before[1 - side, w] != -2 and (meet < 0 or best > length + seen[1 - side, w]):
                best, meet = length + seen[1 - side, w], w
    return np.int64(-1), zero
