# mypy: ignore-errors
"""Up to 64 breadth-first searches at once, one per bit: an edge is read once for all searches that pass it.

A level is pushed from the vertices that some search reached last. If these have many of the edges, it is pulled to the
vertices that some search has not reached.

References
----------
M. Then, M. Kaufmann, F. Chirigati et al.: "The more the merrier: efficient multi-source graph traversal", VLDB 2014.
"""

import numpy as np

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import SPARE, STATE_SIZE, all_stop, append, barrier, counter
from clew.jit import njit

SEARCHES = 64  # bits of a word
PULL = 4  # pull when more than 1/PULL of the edges would be pushed over
CHUNK = np.uint64(64)  # vertices that a member takes at a time
ALONE = 512  # frontiers up to here are member 0's: sharing them would cost more than it saves
NONE, ONE = np.uint64(0), np.uint64(1)
PER_LEVEL = 3
TAIL, TAKEN, EDGES = range(PER_LEVEL)  # counters of a level, twice
LEVEL, ACTIVE, WEIGHT = range(2 * PER_LEVEL, 2 * PER_LEVEL + 3)  # counters: what member 0 did alone


@njit(cache=True, nogil=True)
def search(member, size, state, out, into, sources, first, work, depth):
    """Fill columns of ``depth``, from number ``first`` on, for (up to 64 of) the sources from there on.

    ``work`` is (seen, front, behind, queue, found): three words and two places in a queue per vertex. Returns the
    number of levels.
    """
    seen, front, behind, queue, _ = work
    spare = np.empty(SPARE, queue.dtype)
    for v in range(np.uint64(member), np.uint64(seen.size), np.uint64(size)):
        seen[v] = front[v] = behind[v] = NONE
    barrier(size, state)
    count = min(SEARCHES, sources.size - first)
    everyone = ~NONE >> np.uint64(SEARCHES - count)
    if member == 0:
        _begin(state, out[0], sources, first, count, seen, front, queue, depth)
    barrier(size, state)
    alone = ALONE if size > 1 else seen.size
    # A bare 0 is a type of its own at first: the called functions would be compiled twice.
    level, active, edges = np.int64(0), state[counter(ACTIVE)], state[counter(WEIGHT)]
    barrier(size, state)
    while active > 0 and not all_stop(state):
        barrier(size, state)  # all have decided to go on before member 0 asks again
        if member == 0:
            now = (level, active, edges)
            now = _levels(0, 1, state, out, into, first, everyone, work, spare, depth, now, 0, alone)
            state[counter(LEVEL)], state[counter(ACTIVE)], state[counter(WEIGHT)] = now
        barrier(size, state)
        now = (state[counter(LEVEL)], state[counter(ACTIVE)], state[counter(WEIGHT)])
        barrier(size, state)
        level, active, edges = _levels(
            member, size, state, out, into, first, everyone, work, spare, depth, now, alone, seen.size
        )
    return level


@njit(cache=True, nogil=True)
def _begin(state, indptr, sources, first, count, seen, front, queue, depth):
    """The sources themselves; the same vertex may be several of them."""
    active = edges = 0
    for bit in range(count):
        source = sources[first + bit]
        if seen[source] == NONE:
            queue[active] = source
            active += 1
            edges += np.int64(indptr[source + ONE] - indptr[source])
        seen[source] |= ONE << np.uint64(bit)
        front[source] = seen[source]
        depth[source, first + bit] = 0
    state[counter(ACTIVE)] = active
    state[counter(WEIGHT)] = edges
    for each in range(2 * PER_LEVEL):
        state[counter(each)] = 0


@njit(cache=True, nogil=True)
def _levels(member, size, state, out, into, first, everyone, work, spare, depth, now, low, high):
    """Levels for as long as they have more than ``low`` and up to ``high`` vertices.

    ``now``, and what is returned, is (levels done, vertices in the queue, their edges).
    """
    level, active, edges = now
    seen, front, behind, queue, following = work
    if level % 2 == 1:
        front, behind = behind, front
        queue, following = following, queue
    indptr = out[0]
    pull_from = np.int64(indptr[seen.size]) // PULL
    while low < active <= high and not all_stop(state):
        # Levels take turns with two sets of counters: one is cleared while the other is in use.
        mine, other = (level % 2) * PER_LEVEL, (1 - level % 2) * PER_LEVEL
        if member == 0:
            for each in range(PER_LEVEL):
                state[counter(other + each)] = 0
        level += 1
        place = (depth, np.uint64(first), level)
        if edges > pull_from:
            _pull(state, mine, indptr, into, seen, front, behind, everyone, following, spare, place)
        else:
            _push(size, state, mine, out, seen, front, behind, queue, np.uint64(active), following, spare)
            barrier(size, state)
            _settle(member, size, state, mine, indptr, seen, behind, following, place)
        barrier(size, state)
        for i in range(np.uint64(member), np.uint64(active), np.uint64(size)):
            front[queue[i]] = NONE
        front, behind = behind, front
        queue, following = following, queue
        active, edges = state[counter(mine + TAIL)], state[counter(mine + EDGES)]
        barrier(size, state)
    return level, active, edges


@njit(cache=True, nogil=True, apart=True)
def _push(size, state, mine, out, seen, front, behind, queue, active, following, spare):
    """Pass the searches of every active vertex to its neighbours; a neighbour that gets its first one is queued."""
    indptr, indices = out
    filled = 0
    while True:
        start = np.uint64(atomic.add(state, counter(mine + TAKEN), np.int64(CHUNK)))
        if start >= active:
            break
        for i in range(start, min(start + CHUNK, active)):
            u = queue[i]
            searches = front[u]
            for j in range(indptr[u], indptr[u + ONE]):
                v = indices[j]
                fresh = searches & ~seen[v]
                if fresh != NONE:
                    if size == 1:
                        before = behind[v]
                        behind[v] = before | fresh
                    else:
                        before = atomic.bitwise_or(behind, np.uint64(v), fresh)
                    if before == NONE:
                        spare[filled] = v
                        filled += 1
                        if filled == SPARE:
                            append(state, counter(mine + TAIL), following, spare, filled)
                            filled = 0
    append(state, counter(mine + TAIL), following, spare, filled)


@njit(cache=True, nogil=True)
def _settle(member, size, state, mine, indptr, seen, behind, following, place):
    """Record the searches that were pushed to each vertex."""
    edges = np.int64(0)
    for i in range(np.uint64(member), np.uint64(state[counter(mine + TAIL)]), np.uint64(size)):
        v = following[i]
        seen[v] |= behind[v]
        _note(place, v, behind[v])
        edges += np.int64(indptr[v + ONE] - indptr[v])
    atomic.add(state, counter(mine + EDGES), edges)


@njit(cache=True, nogil=True, apart=True)
def _pull(state, mine, indptr, into, seen, front, behind, everyone, following, spare, place):
    """Collect searches from the in-neighbours of every vertex that lacks some; only one thread writes its words."""
    # Chunks are taken as in _push: take_chunk made both loops slower.
    num_vertices = np.uint64(seen.size)
    edges = np.int64(0)
    filled = 0
    while True:
        start = np.uint64(atomic.add(state, counter(mine + TAKEN), np.int64(CHUNK)))
        if start >= num_vertices:
            break
        for v in range(start, min(start + CHUNK, num_vertices)):
            before = seen[v]
            if before == everyone:
                continue
            searches = before
            for j in range(into[0][v], into[0][v + ONE]):
                searches |= front[into[1][j]]
                if searches == everyone:
                    break
            fresh = searches & ~before
            if fresh != NONE:
                seen[v] = searches
                behind[v] = fresh
                _note(place, v, fresh)
                edges += np.int64(indptr[v + ONE] - indptr[v])
                spare[filled] = v
                filled += 1
                if filled == SPARE:
                    append(state, counter(mine + TAIL), following, spare, filled)
                    filled = 0
    append(state, counter(mine + TAIL), following, spare, filled)
    atomic.add(state, counter(mine + EDGES), edges)


@njit(cache=True, nogil=True)
def _note(place, v, searches):
    """Write the level into the columns of these searches."""
    depth, first, level = place
    while searches != NONE:
        depth[v, first + atomic.trailing_zeros(searches)] = level
        searches &= searches - ONE


@njit(cache=True, nogil=True)
def many_searches(member, taken, out, into, sources, depth):
    """All searches, 64 at a time by one member that takes the next until there are none; the number of levels."""
    state = np.zeros(STATE_SIZE, np.int64)
    num_vertices = out[0].size - 1
    words = np.empty((3, num_vertices), np.uint64)
    queues = np.empty((2, num_vertices), out[1].dtype)
    work = (words[0], words[1], words[2], queues[0], queues[1])
    levels = 0
    while True:
        first = SEARCHES * atomic.add(taken, np.uint64(0), np.int64(1))
        if first >= sources.size:
            return levels
        levels = max(levels, search(0, 1, state, out, into, sources, first, work, depth))
