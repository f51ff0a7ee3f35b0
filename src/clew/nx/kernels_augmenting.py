# mypy: ignore-errors
"""A maximum matching by augmenting paths in phases (Hopcroft and Karp), in a given order of the left vertices.

One thread's work: which of several maximum matchings is found depends on the order of the vertices and of the rows.
"""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)
FAR = np.int64(1) << np.int64(62)


@njit(cache=True, nogil=True)
def maximum_matching(indptr, indices, left, mate):
    """Write the partner of every matched vertex into ``mate``, which is -1 throughout at first."""
    distance = np.empty(mate.size, dtype=np.int64)
    queue, path = np.empty(left.size, dtype=np.int64), np.empty(left.size, dtype=np.int64)
    at = np.empty(left.size, dtype=np.uint64)
    while True:
        free = _layers(indptr, indices, left, mate, distance, queue)
        if free == FAR:
            return
        for v in left:
            if mate[v] < 0:
                _augment(indptr, indices, v, mate, distance, free, path, at)


@njit(cache=True, nogil=True)
def _layers(indptr, indices, left, mate, distance, queue):
    """How many pairs a free right vertex is away from a free left one; ``distance`` of the left ones on the way."""
    read = write = 0
    for v in left:
        distance[v] = FAR
        if mate[v] < 0:
            distance[v] = 0
            queue[write] = v
            write += 1
    free = FAR
    while read < write:
        v = np.uint64(queue[read])
        read += 1
        if distance[v] >= free:
            continue
        for j in range(indptr[v], indptr[v + ONE]):
            other = mate[indices[j]]
            if other < 0:
                free = min(free, distance[v] + 1)
            elif distance[other] == FAR:
                distance[other] = distance[v] + 1
                queue[write] = other
                write += 1
    return free


@njit(cache=True, nogil=True)
def _augment(indptr, indices, root, mate, distance, free, path, at):
    """Match one more left vertex along a path through the layers, if there is one."""
    path[0], at[0] = root, indptr[np.uint64(root)]
    deep = 0
    while deep >= 0:
        v = np.uint64(path[deep])
        if at[deep] == indptr[v + ONE]:
            distance[v] = FAR  # a dead end for the others too
            deep -= 1
            continue
        other = mate[indices[at[deep]]]
        at[deep] += ONE
        if other >= 0:
            if distance[other] == distance[v] + 1:
                deep += 1
                path[deep], at[deep] = other, indptr[np.uint64(other)]
        elif distance[v] + 1 == free:
            for step in range(deep + 1):
                right = indices[at[step] - ONE]
                mate[right], mate[path[step]] = path[step], right
            return
