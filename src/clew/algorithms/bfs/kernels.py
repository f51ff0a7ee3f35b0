# mypy: ignore-errors
"""Breadth-first search that changes direction: pushes from a small frontier, pulls towards a large one.

A push reads every edge of the frontier. A pull searches, for every unreached vertex, for one neighbour in the frontier,
and stops at the first. For a large frontier, a pull reads far fewer edges.

All levels run inside one call. Road networks have thousands of levels with small frontiers. Member 0 processes these
alone while the others wait, because sharing would cost more than it saves.

References
----------
S. Beamer, K. Asanović, D. Patterson: "Direction-optimizing breadth-first search", SC 2012.
"""

import numpy as np

from clew.engines.cpu.team import kernels as team
from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import PULL, PUSH, SPARE, all_stop, append, barrier, collect, counter, note, stopped
from clew.engines.cpu.team.kernels_intrinsics import WORTH_A_LOOK, nanoseconds
from clew.jit import njit
from clew.kernels_rows import edges_of, neighbours_of

ALPHA = 15  # pull when the frontier has more than 1/ALPHA of the edges that are left
BETA = 18  # push again when the frontier has fewer than 1/BETA of the vertices and is shrinking
GAMMA = 16  # and never pull for fewer edges than 1/GAMMA of the vertices
ALONE = 128  # frontiers up to here are member 0's
CHUNK = 64  # frontier vertices, or words of the bitmap, that a member takes at a time
SHARES = 4  # that a member should get of a small frontier at least

ONE, TWO, SIX, LOW_SIX = np.uint64(1), np.uint64(2), np.uint64(6), np.uint64(63)
TAIL, TAKEN, FOUND, START, STOP, LEVEL, LEFT, EDGES, PUSHED = range(9)  # counters; PUSHED is TURNS of them
# Numbers of one pushed level, side by side: vertices handed out, vertices found, and their edges. Levels take turns
# with them: while one is filled, the one before may still be read and the one after is set to 0. So a level needs one
# barrier.
TURNS = 3


@njit(cache=True, nogil=True)
def bfs(member, size, state, out, into, source, depth, parent, queue, front, behind, trace):
    """Fill ``depth`` and ``parent``; returns the number of levels and how many vertices were reached.

    ``out`` and ``into`` are the rows of the out- and in-edges, plain or packed. ``queue`` has room for all vertices.
    ``front`` and ``behind`` are bitmaps. ``trace`` gets COLUMNS numbers per level, and the end of the last one.
    """
    indptr = out[0]
    spare = np.empty(SPARE, queue.dtype)
    _begin(member, size, depth, parent)
    barrier(size, state)
    if member == 0:
        depth[source] = 0
        parent[source] = source
        queue[0] = source
    start, stop = np.uint64(0), ONE
    level, turn = np.int64(0), 0  # a literal 0 has another type: the called functions would be compiled twice
    reached = np.int64(1)
    left = np.int64(indptr[indptr.size - 1])
    edges = np.int64(indptr[source + ONE] - indptr[source])
    counted = edges  # for the trace: the edges of the frontier, where the search goes by another number
    while start < stop and not all_stop(state):
        if _pulling_pays(edges, left, depth.size):
            places = (depth, parent, queue, front, behind)
            level, found = _pull(member, size, state, indptr, into, places, start, stop, level, trace, spare)
            reached += found
            start, stop, edges = np.uint64(0), np.uint64(state[counter(TAIL)]), np.int64(1)
            if member == 0:
                counted = state[counter(EDGES)]
        elif size == 1 or stop - start <= ALONE:
            if member == 0:
                _push_alone(state, out, depth, parent, queue, start, stop, edges, counted, left, level, size, trace)
            barrier(size, state)
            reached += state[counter(STOP)] - np.int64(stop)
            start, stop = np.uint64(state[counter(START)]), np.uint64(state[counter(STOP)])
            edges, left, level = state[counter(EDGES)], state[counter(LEFT)], state[counter(LEVEL)]
            counted = edges
        else:
            after = (turn + 1) % TURNS
            if member == 0:
                note(trace, level, stop - start, counted, PUSH, nanoseconds())
                _clear(state, counter(PUSHED + after))
            left -= edges
            level += 1
            pushed = counter(PUSHED + turn)
            _push(size, state, pushed, out, depth, parent, queue, start, stop, level, spare)
            barrier(size, state)
            found, edges = state[pushed + ONE], state[pushed + TWO]
            counted = edges
            reached += found
            start, stop = stop, stop + np.uint64(found)
            turn = after
    if member == 0 and level < trace.shape[0]:
        trace[level, team.BEGUN_COLUMN] = nanoseconds()
    barrier(size, state)
    return level, reached


@njit(cache=True, nogil=True)
def _begin(member, size, depth, parent):
    """Mark all vertices as unreached. Every member sets its share, because touching new memory is slow."""
    for v in range(np.uint64(member * depth.size // size), np.uint64((member + 1) * depth.size // size)):
        depth[v] = -1
        parent[v] = -1


@njit(cache=True, nogil=True)
def _clear(state, pushed):
    state[pushed] = 0
    state[pushed + ONE] = 0
    state[pushed + TWO] = 0


@njit(cache=True, nogil=True)
def _pulling_pays(edges, left, num_vertices):
    """A pull reads every vertex, which does not pay for a few edges at the end of a long path."""
    return edges > left // ALPHA and edges > num_vertices // GAMMA


@njit(cache=True, nogil=True)
def _push_alone(state, out, depth, parent, queue, start, stop, edges, counted, left, level, size, trace):
    """Levels by one thread, without atomics, for as long as they are small and pulling does not pay."""
    indptr = out[0]
    tail, unclocked = stop, np.int64(WORTH_A_LOOK)
    while start < stop and (size == 1 or stop - start <= ALONE) and not stopped(state):
        if _pulling_pays(edges, left, depth.size):
            break
        look = unclocked >= WORTH_A_LOOK
        note(trace, level, stop - start, counted, PUSH, nanoseconds() if look else 0)
        unclocked = np.int64(stop - start) + counted + (0 if look else unclocked)
        left -= edges
        level += 1
        edges = np.int64(0)
        for i in range(start, stop):
            u = queue[i]
            for v in neighbours_of(out, u):
                if depth[v] < 0:
                    depth[v] = level
                    parent[v] = u
                    queue[tail] = v
                    tail += ONE
                    edges += np.int64(indptr[v + ONE] - indptr[v])
        start, stop, counted = stop, tail, edges
    state[counter(START)] = start
    state[counter(STOP)] = stop
    state[counter(EDGES)] = edges
    state[counter(LEFT)] = left
    state[counter(LEVEL)] = level


@njit(cache=True, nogil=True, apart=True)
def _push(size, state, pushed, out, depth, parent, queue, start, stop, level, spare):
    """One level by the whole team: the first to swap a vertex's depth has found it. Those follow at ``stop``."""
    indptr = out[0]
    found = queue[stop:]
    edges = np.int64(0)
    filled = 0
    chunk = min(np.uint64(CHUNK), (stop - start) // np.uint64(SHARES * size) + ONE)
    while True:
        first = start + np.uint64(atomic.add(state, pushed, np.int64(chunk)))
        if first >= stop:
            break
        for i in range(first, min(first + chunk, stop)):
            u = queue[i]
            for v in neighbours_of(out, u):
                if depth[v] < 0 and atomic.compare_and_swap(depth, np.uint64(v), np.int32(-1), np.int32(level)):
                    parent[v] = u
                    edges += np.int64(indptr[v + ONE] - indptr[v])
                    filled = collect(state, pushed + ONE, found, spare, filled, v)
    append(state, pushed + ONE, found, spare, filled)
    atomic.add(state, pushed + TWO, edges)


@njit(cache=True, nogil=True, apart=True)
def _pull(member, size, state, indptr, into, places, start, stop, level, trace, spare):
    """Levels by pulling, until the frontier is small again, which is the queue then; the last level, and all found.

    The counter EDGES has the edges of this frontier, for the trace alone: the search pushes next in any case.
    """
    depth, parent, queue, front, behind = places
    words = front.size
    first, last = member * words // size, (member + 1) * words // size
    front[first:last] = 0
    barrier(size, state)
    for i in range(start + np.uint64(member), stop, np.uint64(size)):
        v = np.uint64(queue[i])
        atomic.bitwise_or(front, v >> SIX, ONE << (v & LOW_SIX))
    awake = np.int64(stop - start)
    before, found = awake, np.int64(0)
    while awake > 0 and (awake >= before or awake > depth.size // BETA) and not all_stop(state):
        if member == 0:
            note(trace, level, awake, 0, PULL, nanoseconds())
            state[counter(TAKEN)] = 0
            state[counter(FOUND)] = 0
            state[counter(FOUND) + ONE] = 0
        barrier(size, state)
        level += 1
        _pull_level(state, into, depth, parent, front, behind, level)
        barrier(size, state)
        front, behind = behind, front
        before, awake = awake, state[counter(FOUND)]
        found += awake
        if member == 0 and level <= trace.shape[0]:
            trace[level - 1, team.EDGES_COLUMN] = state[counter(FOUND) + ONE]
        barrier(size, state)
    if member == 0:
        state[counter(TAIL)] = 0
        state[counter(EDGES)] = 0
    barrier(size, state)
    filled, edges = 0, np.uint64(0)
    for word in range(first, last):
        bits = front[word]
        while bits != 0:
            v = np.uint64((np.uint64(word) << SIX) + atomic.trailing_zeros(bits))
            edges += np.uint64(indptr[v + ONE] - indptr[v])
            filled = collect(state, counter(TAIL), queue, spare, filled, v)
            bits &= bits - ONE
    append(state, counter(TAIL), queue, spare, filled)
    atomic.add(state, counter(EDGES), np.int64(edges))
    barrier(size, state)
    return level, found


@njit(cache=True, nogil=True)
def _pull_level(state, into, depth, parent, front, behind, level):
    """Members take whole words of the next bitmap, so its bits need no atomics.

    Adds to two counters: the vertices found and the edges read.
    """
    indptr, num_vertices = into[0], np.uint64(depth.size)
    words = np.uint64(front.size)
    found, looked = np.int64(0), np.uint64(0)
    while True:
        first = np.uint64(atomic.add(state, counter(TAKEN), np.int64(CHUNK)))
        if first >= words:
            break
        for word in range(first, min(first + np.uint64(CHUNK), words)):
            bits = np.uint64(0)
            base = word << SIX
            for v in range(base, min(base + np.uint64(64), num_vertices)):
                if depth[v] < 0:
                    last = indptr[v + ONE]
                    looked -= np.uint64(indptr[v])
                    for j, neighbour in edges_of(into, v):
                        u = np.uint64(neighbour)
                        if (front[u >> SIX] >> (u & LOW_SIX)) & ONE:
                            depth[v] = level
                            parent[v] = u
                            bits |= ONE << (v - base)
                            found += 1
                            last = j + ONE
                            break
                    looked += np.uint64(last)
            behind[word] = bits
    atomic.add(state, counter(FOUND), found)
    atomic.add(state, counter(FOUND) + ONE, np.int64(looked))


@njit(cache=True, nogil=True)
def smallest_parents(part, bounds, into, depth, parent):
    """Replace every parent by the smallest possible one, so that it does not depend on the order of threads."""
    for v in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        if depth[v] > 0:
            for u in neighbours_of(into, v):
                if depth[u] == depth[v] - 1:
                    parent[v] = u
                    break
