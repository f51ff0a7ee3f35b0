# mypy: ignore-errors
"""Bipartite matching, label propagation and squares.

The matching is Hopcroft and Karp's: augmenting paths in phases, in a given order of the left vertices. One thread does
it, since the order of vertices and rows decides which of several maximum matchings is found. Labels are propagated one
vertex at a time: neighbours never change together.
"""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)
FAR = np.int64(1) << np.int64(62)


@njit(cache=True, nogil=True)
def maximum_matching(indptr, indices, left, mate):
    """Write the partner of every matched vertex into ``mate``, which starts as -1 everywhere."""
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
    """The number of pairs from a free left vertex to the nearest free right one; fills in ``distance``."""
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


@njit(cache=True, nogil=True)
def sweep(indptr, indices, order, labels, votes, seen):
    """One turn for every vertex, in ``order``; returns how many labels changed.

    A vertex keeps its label where no other is more frequent among its neighbours; else it takes the most frequent one,
    the largest of several. ``votes`` has a zero per label, and ``seen`` room for the longest row.
    """
    changed = 0
    for i in range(np.uint64(order.size)):
        v = np.uint64(order[i])
        most, best = np.uint32(0), labels[v]
        count = np.uint64(0)
        for j in range(indptr[v], indptr[v + ONE]):
            label = labels[indices[j]]
            votes[label] += np.uint32(1)
            seen[count] = label
            count += ONE
            if votes[label] > most or (votes[label] == most and label > best):
                most, best = votes[label], label
        if count > 0 and votes[labels[v]] < most:
            labels[v] = best
            changed += 1
        for k in range(count):
            votes[seen[k]] = 0
    return changed


@njit(cache=True, nogil=True)
def squares(piece, bounds, indptr, indices, degrees, coefficient):
    """Fill ``coefficient`` for the vertices of a piece: squares at a vertex, divided by those that are possible.

    Rows hold no vertex twice; self-loops are skipped, and ``degrees`` has the lengths without them. Where p paths of
    two edges lead from v to x, v and x are opposite corners of p(p-1)/2 squares. A pair u, w of neighbours of v could
    form a square with each neighbour of u or w other than u, v and w. A shared neighbour counts once.
    """
    ways = np.zeros(indptr.size - 1, np.uint32)
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        first, last = indptr[v], indptr[v + ONE]
        own = degrees[v]
        pairs = np.int64(0)  # two for every square
        reach = np.int64(0)
        for i in range(first, last):
            u = np.uint64(indices[i])
            if u == v:
                continue
            reach += degrees[u]
            for j in range(indptr[u], indptr[u + ONE]):
                x = np.uint64(indices[j])
                if x != u and x != v:
                    pairs += 2 * np.int64(ways[x])
                    ways[x] += np.uint32(1)
        closed = np.int64(0)  # two for every triangle
        for i in range(first, last):
            if indices[i] != v:
                closed += ways[indices[i]]
        for i in range(first, last):
            u = np.uint64(indices[i])
            for j in range(indptr[u], indptr[u + ONE]):
                ways[indices[j]] = 0
        found = pairs // 2
        possible = (own - 1) * reach - own * (own - 1) - closed - found
        coefficient[v] = found / possible if own > 1 and possible > 0 else 0.0
