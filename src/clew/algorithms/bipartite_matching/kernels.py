# mypy: ignore-errors
"""Matching in bipartite graphs: two sides, a good start by Karp and Sipser, and the rest by Pothen and Fan.

``rows`` are (indptr, indices), unsigned, with every edge in both directions. ``mate`` is unsigned. It is ``none``, all
bits set, where a vertex is free. Everything runs on one thread: the start is one pass over the edges, and few paths are
left to find after it.
"""

import numpy as np

from clew.jit import njit

ZERO, ONE = np.uint64(0), np.uint64(1)
UNKNOWN, LEFT, RIGHT = 0, 1, 2  # sides


@njit(cache=True, nogil=True)
def two_sides(rows, side, queue):
    """Fill ``side``, the smallest vertex of each component on the left; (u, v, True) is an edge where that fails."""
    indptr, indices = rows
    for root in range(np.uint64(side.size)):
        if side[root] != UNKNOWN:
            continue
        side[root] = LEFT
        queue[0] = root
        head, tail = ZERO, ONE
        while head < tail:
            u = np.uint64(queue[head])
            head += ONE
            for j in range(indptr[u], indptr[u + ONE]):
                v = np.uint64(indices[j])
                if side[v] == UNKNOWN:
                    side[v] = LEFT + RIGHT - side[u]
                    queue[tail] = v
                    tail += ONE
                elif side[v] == side[u]:
                    return u, v, True
    return ZERO, ZERO, False


@njit(cache=True, nogil=True)
def edge_within_a_side(part, bounds, rows, side):
    """The first edge (u, v, True) of a block of rows whose ends are on the same side; else (0, 0, False)."""
    indptr, indices = rows
    for u in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        for j in range(indptr[u], indptr[u + ONE]):
            v = np.uint64(indices[j])
            if side[v] == side[u]:
                return u, v, True
    return ZERO, ZERO, False


@njit(cache=True, nogil=True)
def karp_sipser(rows, side, degree, stack, mate, none):
    """A maximal matching, usually within a percent of the maximum; returns its size.

    A vertex with one free neighbour left is matched to it at once, which is always optimal. If there is none, the next
    vertex takes its free neighbour of the lowest degree. ``degree`` counts free neighbours.
    """
    indptr = rows[0]
    n = np.uint64(mate.size)
    top = ZERO
    for v in range(n):
        degree[v] = indptr[v + ONE] - indptr[v]
        if degree[v] == ONE:
            stack[top] = v
            top += ONE
    size = 0
    for start in range(n):
        if side[start] == LEFT and mate[start] == none:
            top, size = _forced(rows, degree, stack, top, mate, none, size)
            if mate[start] == none:
                top, matched = _match(rows, degree, stack, top, mate, none, start)
                size += matched
    top, size = _forced(rows, degree, stack, top, mate, none, size)
    return size


@njit(cache=True, nogil=True)
def _forced(rows, degree, stack, top, mate, none, size):
    while top > ZERO:
        top -= ONE
        v = np.uint64(stack[top])
        if mate[v] == none:
            top, matched = _match(rows, degree, stack, top, mate, none, v)
            size += matched
    return top, size


@njit(cache=True, nogil=True)
def _match(rows, degree, stack, top, mate, none, v):
    """Match ``v`` to its free neighbour of the lowest degree, where it has one; (top of the stack, 1 or 0)."""
    indptr, indices = rows
    best = v
    for j in range(indptr[v], indptr[v + ONE]):
        u = np.uint64(indices[j])
        if mate[u] == none and (best == v or degree[u] < degree[best]):
            best = u
    if best == v:
        return top, 0
    mate[v] = best
    mate[best] = v
    top = _leave(rows, degree, stack, top, mate, none, v)
    return _leave(rows, degree, stack, top, mate, none, best), 1


@njit(cache=True, nogil=True)
def _leave(rows, degree, stack, top, mate, none, v):
    """Tell the free neighbours that ``v`` is free no more; those with one choice left go on the stack."""
    indptr, indices = rows
    for j in range(indptr[v], indptr[v + ONE]):
        u = np.uint64(indices[j])
        if mate[u] == none:
            degree[u] -= ONE
            if degree[u] == ONE:
                stack[top] = u
                top += ONE
    return top


@njit(cache=True, nogil=True)
def augment(rows, side, mate, none, phase, seen, tried, looked, stack):
    """One phase of Pothen and Fan: a search from every free left vertex, none of which enters a vertex twice.

    Returns the number of augmenting paths; 0 means that the matching is maximum. Phases count from 1 and scan rows
    forwards and backwards in turn, so that one vertex's first neighbours are not always the ones to give way. ``tried``
    counts neighbours that a search followed; ``looked`` those known not to be free, which they never will be again.
    """
    for v in range(np.uint64(mate.size)):
        tried[v] = ZERO
    paths = 0
    for root in range(np.uint64(mate.size)):
        if side[root] == LEFT and mate[root] == none:
            paths += _search(rows, mate, none, phase, seen, tried, looked, stack, root)
    return paths


@njit(cache=True, nogil=True)
def _search(rows, mate, none, phase, seen, tried, looked, stack, root):
    """Look for an alternating path from ``root`` to a free vertex and swap it; whether there was one."""
    indptr, indices = rows
    stack[0] = root
    seen[root] = phase
    depth = 0
    while depth >= 0:
        v = np.uint64(stack[depth])
        first, degree = indptr[v], indptr[v + ONE] - indptr[v]
        while looked[v] < degree and mate[indices[first + looked[v]]] != none:
            looked[v] += ONE
        if looked[v] < degree:
            _swap(mate, stack, depth, indices[first + looked[v]])
            return True
        depth -= 1
        while tried[v] < degree:
            place = first + tried[v] if phase % 2 else first + degree - ONE - tried[v]
            tried[v] += ONE
            w = mate[indices[place]]
            if seen[w] != phase:
                seen[w] = phase
                depth += 2  # v stays, w goes on top
                stack[depth] = w
                break
    return False


@njit(cache=True, nogil=True)
def _swap(mate, stack, depth, free):
    """Give every left vertex on the stack the mate of the one above it, and the top one the free vertex."""
    for d in range(depth, -1, -1):
        v = stack[d]
        before = mate[v]
        mate[v] = free
        mate[free] = v
        free = before
