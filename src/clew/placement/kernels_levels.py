# mypy: ignore-errors
"""Breadth-first levels: narrow ones by one thread without coming back to Python, wide ones by all threads.

``seen`` is a bit per vertex that says that it was found already. It is a hint, small enough for a core's own cache:
bits are set without atomic operations, so some get lost, and then the depth is looked up, which is always right.
"""

import numpy as np

from clew.jit import njit

ONE, THREE, LOW_THREE = np.uint64(1), np.uint64(3), np.uint64(7)


@njit(cache=True, nogil=True)
def search_narrow(indptr, indices, depth, queue, start, stop, level, wide):
    """Levels by one thread while the frontier has fewer than ``wide`` edges; where the frontier is then, and its level.

    The frontier is queue[start:stop], at depth ``level``; what is found follows it.
    """
    tail = stop
    while start < stop:
        edges = np.uint64(0)
        for i in range(start, stop):
            u = queue[i]
            edges += indptr[u + ONE] - indptr[u]
        if edges >= wide:
            break
        level += 1
        for i in range(start, stop):
            u = queue[i]
            for j in range(indptr[u], indptr[u + ONE]):
                v = indices[j]
                if depth[v] < 0:
                    depth[v] = level
                    queue[tail] = v
                    tail += ONE
        start, stop = stop, tail
    return start, stop, level


@njit(cache=True, nogil=True)
def search_wide(piece, pieces, indptr, indices, depth, seen, owner, frontier, level):
    """What one piece of the frontier finds. Two pieces may find the same vertex; the last to say so owns it."""
    first, last = piece * frontier.size // pieces, (piece + 1) * frontier.size // pieces
    edges = np.uint64(0)
    for i in range(np.uint64(first), np.uint64(last)):
        u = frontier[i]
        edges += indptr[u + ONE] - indptr[u]
    found = np.empty(min(edges, np.uint64(depth.size)), frontier.dtype)  # pages that are not written take no memory
    count = np.uint64(0)
    for i in range(np.uint64(first), np.uint64(last)):
        u = frontier[i]
        for j in range(indptr[u], indptr[u + ONE]):
            v = np.uint64(indices[j])
            bit = np.uint8(ONE << (v & LOW_THREE))
            if seen[v >> THREE] & bit:
                continue
            seen[v >> THREE] |= bit
            if depth[v] < 0:
                depth[v] = level
                owner[v] = piece
                found[count] = v
                count += ONE
    return found[:count]


@njit(cache=True, nogil=True)
def look_back(piece, pieces, indptr, indices, depth, level):
    """One level for one piece of the vertices, by looking for an in-neighbour on the level before.

    Returns what was found. Others write to ``depth`` meanwhile, but never the level before.
    """
    first, last = np.uint64(piece * depth.size // pieces), np.uint64((piece + 1) * depth.size // pieces)
    found = np.empty(last - first, indices.dtype)
    count = np.uint64(0)
    for v in range(first, last):
        if depth[v] < 0:
            for j in range(indptr[v], indptr[v + ONE]):
                if depth[indices[j]] == level - 1:
                    depth[v] = level
                    found[count] = v
                    count += ONE
                    break
    return found[:count]


@njit(cache=True, nogil=True)
def keep_own(piece, mine, owner):
    """Drop from what a piece found what another one owns; how many are left, at its front."""
    kept = np.uint64(0)
    for i in range(np.uint64(mine.size)):
        v = mine[i]
        mine[kept] = v
        kept += np.uint64(owner[v] == piece)
    return kept


@njit(cache=True, nogil=True)
def places_in_levels(depth, sizes, place):
    """place[v] = how many vertices with smaller ids are on the same level as v; ``sizes`` holds zeros at first."""
    for v in range(np.uint64(depth.size)):
        if depth[v] >= 0:
            level = np.uint64(depth[v])
            place[v] = sizes[level]
            sizes[level] += 1


@njit(cache=True, nogil=True)
def level_sizes(depth, indptr):
    """How many vertices are on every level, and how many edges they have."""
    levels = np.int64(1)
    for v in range(np.uint64(depth.size)):
        levels = max(levels, np.int64(depth[v]) + 1)
    found, edges = np.zeros(levels, np.int64), np.zeros(levels, np.int64)
    for v in range(np.uint64(depth.size)):
        if depth[v] >= 0:
            level = np.uint64(depth[v])
            found[level] += 1
            edges[level] += np.int64(indptr[v + ONE] - indptr[v])
    return found, edges


@njit(cache=True, nogil=True)
def on_levels(piece, pieces, depth, chosen, fast):
    """Mark, of one piece of the vertices, those whose level is chosen."""
    for v in range(np.uint64(piece * depth.size // pieces), np.uint64((piece + 1) * depth.size // pieces)):
        fast[v] = depth[v] >= 0 and chosen[np.uint64(depth[v])]
