# mypy: ignore-errors
"""Brandes' algorithm with one number per vertex to look up along an edge.

Forward, ``paths[v]`` is UNSEEN, 0 once ``v`` is found, and the number of shortest paths to ``v`` once its level is
complete. Take the row of a vertex on level d of an undirected graph. An entry is UNSEEN, 0 (levels d and d + 1) or a
number of paths (level d - 1). So one pass over the row sums up the paths to the vertex and finds the next level.
Backward, ``paths`` starts at 0. Level by level from the deepest, it gets the share that a vertex passes to each path
that leads to it. So neither pass needs depths or a list of predecessors.

In a directed graph, the out-edges find the next level, with a bit per known vertex, and the in-edges sum up the paths.
Vertices that are not found yet count 0 there.

Every sum is one vertex's, in the order of its row: results do not depend on who computes them, or how many do.

A grid of 1,000 rows and columns has more shortest paths than a float64 can hold. Only the ratio of a vertex's paths to
those of its predecessors matters. So a level with a count above ``large``, a power of two, is divided by it, which is
exact. The backward pass accounts for it. Where counts of one level lie so far apart that the smallest falls below ``1 /
large``, the search fails and says so. ``wide_dependencies`` is for those; it is slower and uses one thread.

References
----------
U. Brandes: "A faster algorithm for betweenness centrality", Journal of Mathematical Sociology 25 (2001).
"""

from math import frexp, ldexp

import numpy as np

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import SPARE, STATE_SIZE, all_stop, append, barrier, counter
from clew.jit import njit

UNSEEN = -1.0
NO_DEPTH = -1
CHUNK = np.uint64(64)  # vertices of a level that a member takes at a time
ALONE = np.uint64(512)  # levels up to here are member 0's: sharing them would cost more than it saves
ONE, SIX, LOW_SIX = np.uint64(1), np.uint64(6), np.uint64(63)
# Counters; LARGE_AT is one more than the last level with a count that is too large, FAILED is 1 after one too small.
TAIL, TAKEN, DEPTH, START, STOP, LARGE_AT, FAILED = range(7)


@njit(cache=True, nogil=True)
def dependencies(member, size, state, out, into, source, large, work, dependency):
    """Fill ``dependency`` with the dependency of ``source`` on every vertex; False if floats have too small a range.

    ``into`` holds the in-edges of a directed graph, None for an undirected one. ``work`` is (paths, along, queue,
    levels, divided, seen). ``paths`` is by vertex, ``along`` by place in the queue. ``queue`` has the vertices in the
    order found, ``levels`` the start of each level, ``divided`` the levels divided by ``large``, and ``seen`` is a
    bitmap.
    """
    paths, _, queue, levels, _, seen = work
    num_vertices = paths.size
    first, last = np.uint64(member * num_vertices // size), np.uint64((member + 1) * num_vertices // size)
    for v in range(first, last):
        paths[v] = UNSEEN if into is None else 0.0
        dependency[v] = 0.0
    for word in range(np.uint64(member), np.uint64(seen.size), np.uint64(size)):
        seen[word] = 0
    barrier(size, state)
    if member == 0:
        paths[source] = 0.0
        seen[source >> SIX] = ONE << (source & LOW_SIX)
        queue[0] = source
        levels[0] = 0
        state[counter(TAIL)] = 1
        state[counter(TAKEN)] = 0
        state[counter(LARGE_AT)] = 0
        state[counter(FAILED)] = 0
    barrier(size, state)
    depth = _forward(member, size, state, out, into, large, work)
    if state[counter(FAILED)] != 0:
        return False
    reached = np.uint64(state[counter(TAIL)])
    for i in range(np.uint64(member), reached, np.uint64(size)):
        paths[queue[i]] = 0.0
    barrier(size, state)
    _backward(member, size, state, out, large, work, depth, dependency)
    return True


@njit(cache=True, nogil=True)
def _forward(member, size, state, out, into, large, work):
    """Find all levels and count the shortest paths along them; returns the number of levels."""
    queue = work[2]
    spare = np.empty(SPARE, queue.dtype)
    alone = ALONE if size > 1 else np.uint64(queue.size)
    level = (np.uint64(0), np.uint64(0), ONE)
    while level[1] < level[2] and not all_stop(state):
        barrier(size, state)  # all have decided to go on before member 0 asks again
        if member == 0:
            level = _go_forward(0, 1, state, out, into, large, work, spare, level, np.uint64(0), alone)
            state[counter(DEPTH)], state[counter(START)], state[counter(STOP)] = level
        barrier(size, state)
        level = (np.uint64(state[counter(DEPTH)]), np.uint64(state[counter(START)]), np.uint64(state[counter(STOP)]))
        barrier(size, state)
        level = _go_forward(member, size, state, out, into, large, work, spare, level, alone, np.uint64(queue.size))
    return level[0]


@njit(cache=True, nogil=True)
def _go_forward(member, size, state, out, into, large, work, spare, level, low, high):
    """Levels for as long as they have more than ``low`` and up to ``high`` vertices; returns the next one.

    A level is (its number, where it starts, where it stops).
    """
    paths, along, queue, levels, divided, _ = work
    depth, start, stop = level
    while low < stop - start <= high and not all_stop(state):
        while True:
            first = start + np.uint64(atomic.add(state, counter(TAKEN), np.int64(CHUNK)))
            if first >= stop:
                break
            if _count(size, state, out, into, work, spare, first, min(first + CHUNK, stop)) > large:
                state[counter(LARGE_AT)] = depth + ONE
        barrier(size, state)
        if member == 0:
            if start == 0:
                along[0] = 1.0
            levels[depth + ONE] = stop
            divided[depth] = state[counter(LARGE_AT)] == depth + ONE
            state[counter(TAKEN)] = 0
        if state[counter(LARGE_AT)] == depth + ONE:
            _divide(member, size, state, along, start, stop, large)
        for i in range(start + np.uint64(member), stop, np.uint64(size)):
            paths[queue[i]] = along[i]
        depth, start, stop = depth + ONE, stop, np.uint64(state[counter(TAIL)])
        barrier(size, state)
    return depth, start, stop


@njit(cache=True, nogil=True)
def _divide(member, size, state, along, start, stop, large):
    """Divide a member's share of a level's counts."""
    for i in range(start + np.uint64(member), stop, np.uint64(size)):
        along[i] /= large
        if along[i] < 1.0 / large:
            state[counter(FAILED)] = 1


@njit(cache=True, nogil=True)
def _count(size, state, out, into, work, spare, first, last):
    """Count the paths to some vertices of a level, and find what they lead to; returns the largest count."""
    paths, along, queue, _, _, seen = work
    indptr, indices = out
    filled = 0
    most = 0.0
    for i in range(first, last):
        v = queue[i]
        total = 0.0
        if into is not None:
            for j in range(into[0][v], into[0][v + ONE]):
                total += paths[into[1][j]]
        for j in range(indptr[v], indptr[v + ONE]):
            w = indices[j]
            if into is None:
                number = paths[w]
                if number >= 0:
                    total += number
                    continue
                if size > 1 and atomic.exchange(paths, np.uint64(w), 0.0) >= 0:
                    continue  # someone else has just found it
                paths[w] = 0.0
            else:
                word, bit = np.uint64(w) >> SIX, ONE << (np.uint64(w) & LOW_SIX)
                if seen[word] & bit != 0 or (size > 1 and atomic.bitwise_or(seen, word, bit) & bit != 0):
                    continue
                if size == 1:
                    seen[word] |= bit
            spare[filled] = w
            filled += 1
            if filled == SPARE:
                append(state, counter(TAIL), queue, spare, filled)
                filled = 0
        along[i] = total
        if total > most:
            most = total
    append(state, counter(TAIL), queue, spare, filled)
    return most


@njit(cache=True, nogil=True)
def _backward(member, size, state, out, large, work, depth, dependency):
    """Sum up dependencies from the deepest level to the one after the source."""
    queue = work[2]
    alone = ALONE if size > 1 else np.uint64(queue.size)
    level = depth - ONE
    while level > 0 and not all_stop(state):
        barrier(size, state)  # all have decided to go on before member 0 asks again
        if member == 0:
            state[counter(DEPTH)] = _go_backward(0, 1, state, out, large, work, dependency, level, np.uint64(0), alone)
        barrier(size, state)
        level = np.uint64(state[counter(DEPTH)])
        barrier(size, state)
        level = _go_backward(member, size, state, out, large, work, dependency, level, alone, np.uint64(queue.size))


@njit(cache=True, nogil=True)
def _go_backward(member, size, state, out, large, work, dependency, level, low, high):
    """Levels for as long as they have more than ``low`` and up to ``high`` vertices; returns the next one."""
    paths, along, queue, levels, divided, _ = work
    indptr, indices = out
    while level > 0 and low < np.uint64(levels[level + ONE] - levels[level]) <= high and not all_stop(state):
        start, stop = np.uint64(levels[level]), np.uint64(levels[level + ONE])
        unit = 1.0 / large if divided[level + ONE] else 1.0
        while True:
            first = start + np.uint64(atomic.add(state, counter(TAKEN), np.int64(CHUNK)))
            if first >= stop:
                break
            for i in range(first, min(first + CHUNK, stop)):
                v = queue[i]
                total = 0.0
                for j in range(indptr[v], indptr[v + ONE]):
                    total += paths[indices[j]]
                dependency[v] = along[i] * total * unit
                along[i] = (1.0 + dependency[v]) / along[i]
        barrier(size, state)
        if member == 0:
            state[counter(TAKEN)] = 0
        for i in range(start + np.uint64(member), stop, np.uint64(size)):
            paths[queue[i]] = along[i]
        barrier(size, state)
        level -= ONE
    return level


@njit(cache=True, nogil=True)
def many_dependencies(member, taken, out, into, sources, large, dependency, counted):
    """Fill a row of ``dependency`` for every source, each by one member that takes the next until there are none.

    ``counted`` is set to what ``dependencies`` says of each.
    """
    state = np.zeros(STATE_SIZE, np.int64)
    num_vertices = out[0].size - 1
    ids = out[1].dtype
    work = (
        np.empty(num_vertices),
        np.empty(num_vertices),
        np.empty(num_vertices, ids),
        np.empty(num_vertices + 1, ids),
        np.zeros(num_vertices + 1, np.bool_),
        np.empty((num_vertices + 63) // 64, np.uint64),
    )
    while True:
        row = atomic.add(taken, np.uint64(0), np.int64(1))
        if row >= sources.size:
            break
        counted[row] = dependencies(0, 1, state, out, into, sources[row], large, work, dependency[row])


@njit(cache=True, nogil=True)
def add_rows(part, parts, dependency, total):
    """Add the rows of ``dependency``, in their order, to ``total``."""
    start, stop = np.uint64(part * total.size // parts), np.uint64((part + 1) * total.size // parts)
    for row in range(np.uint64(dependency.shape[0])):
        for v in range(start, stop):
            total[v] += dependency[row, v]


@njit(cache=True, nogil=True)
def has_duplicates(part, bounds, rows):
    """Whether a row of one block names a neighbour twice; rows are sorted."""
    indptr, indices = rows
    for v in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        for j in range(indptr[v] + ONE, indptr[v + ONE]):
            if indices[j - ONE] == indices[j]:
                return True
    return False


@njit(cache=True, nogil=True)
def wide_dependencies(out, source, dependency):
    """Fill ``dependency`` as ``dependencies`` does, where the counts of a level differ by more than floats can.

    Every count is a fraction from 1/2 to 1 with an exponent of its own. A grid of 2,000 rows and columns needs this.
    """
    indptr, indices = out
    num_vertices = dependency.size
    depth = np.full(num_vertices, NO_DEPTH, np.int64)
    fraction, exponent = np.zeros(num_vertices), np.zeros(num_vertices, np.int64)
    queue = np.empty(num_vertices, indices.dtype)
    queue[0], depth[source], fraction[source], exponent[source] = source, 0, 0.5, 1
    head, tail = np.uint64(0), ONE
    while head < tail:  # a vertex that leaves the queue was reached over all its shortest paths
        v = queue[head]
        head += ONE
        for j in range(indptr[v], indptr[v + ONE]):
            w = indices[j]
            if depth[w] == NO_DEPTH:
                depth[w] = depth[v] + 1
                exponent[w] = exponent[v]
                queue[tail] = w
                tail += ONE
            if depth[w] == depth[v] + 1:
                _add(fraction, exponent, w, v)
    for v in range(np.uint64(num_vertices)):
        dependency[v] = 0.0
    while tail > ONE:  # the source itself depends on nothing
        tail -= ONE
        v = queue[tail]
        total = 0.0
        for j in range(indptr[v], indptr[v + ONE]):
            w = indices[j]
            if depth[w] == depth[v] + 1:
                total += ldexp(fraction[v] / fraction[w] * (1.0 + dependency[w]), exponent[v] - exponent[w])
        dependency[v] = total


@njit(cache=True, nogil=True)
def _add(fraction, exponent, to, what):
    """Add one count to another; neither is 0 for long, and what is too small to matter is rounded away."""
    higher = max(exponent[to], exponent[what])
    total = ldexp(fraction[to], exponent[to] - higher) + ldexp(fraction[what], exponent[what] - higher)
    fraction[to], change = frexp(total)
    exponent[to] = higher + change
