# mypy: ignore-errors
"""Delta-stepping: vertices are relaxed bucket by bucket, in any order within a bucket, until nothing improves.

Every member of the team has its own buckets. A step: all members pour their share of the current bucket into one
frontier and relax it together, in chunks; what falls back into the same bucket is relaxed by its finder at once,
without meeting the others, as long as it is little (bucket fusion: it saves most of the barriers on road networks);
then all agree on the next bucket. When bucket after bucket is nearly empty, all hand over to member 0, which goes on
alone until a bucket is worth sharing again.

``queued[v]`` says that v is in the bucket of its present value. It is set under v's lock and cleared by an exchange
before the value is read, so whoever improves v after that sees it cleared and queues v again: nothing gets lost, and no
vertex is in the frontier twice. Entries in buckets that v has left for a lower one are passed over.

With ``low`` given, the value of a path is not its sum but its largest weight (see ``kernels_relax.extended``); nothing
else changes, since that never falls along a path either.

References
----------
U. Meyer, P. Sanders: "Δ-stepping: a parallelizable shortest path algorithm", J. Algorithms 49, 2003.
Y. Zhang et al.: "Optimizing ordered graph algorithms with GraphIt", CGO 2020 (bucket fusion).
"""

import numpy as np
from numba import njit

from clew.engines.cpu import kernels_atomic as atomic
from clew.engines.cpu.kernels_buckets import (
    FAR,
    FREE,
    LAST,
    NONE,
    NOTHING,
    ROOM,
    longer_than,
    move_window,
    nearest_far,
    new_pool,
    next_slot,
    put,
    slot_of,
    with_room,
)
from clew.engines.cpu.kernels_queue import append
from clew.engines.cpu.kernels_relax import extended, lock
from clew.engines.cpu.kernels_team import barrier, counter, stopped

CHUNK = 64  # vertices relaxed at a time
FUSED = 1024  # what a member relaxes by itself rather than share it
QUIET, QUIET_STEPS = 32, 16  # after so many steps with frontiers no larger than that, member 0 goes on alone
ONE = np.uint64(1)
CLEAR, SET = np.uint8(0), np.uint8(1)
TAIL, TAKEN, NEXT = 0, 2, 4  # counters, two of each: those of one step are reset during the next
NEAREST, BASE, SLOT, STEPS = 6, 7, 8, 9
BUCKET, VERTICES, EDGES, COLUMNS = range(4)  # of the trace


@njit(cache=True, nogil=True)
def delta_stepping(member, size, state, out, weights, source, first, paths, frontier, scale, low, trace):
    """Fill value and parent; returns the number of buckets that were emptied.

    ``out`` is (indptr, indices), ``paths`` (value, parent, queued), all ids unsigned; ``first`` is the value of the
    source, ``scale`` 1 / delta; ``trace`` takes COLUMNS numbers a bucket.
    """
    value, parent, queued = paths
    work = np.empty(CHUNK, frontier.dtype)
    pool = new_pool(frontier)
    heads = pool[2]
    if member == 0:
        value[source] = first
        parent[source] = source
        queued[source] = SET
        put(pool, np.int64(0), source)
        _reset(state, 0)
        _reset(state, 1)
    base, slot, steps = np.int64(0), np.int64(0), np.int64(0)
    turn, quiet = 0, 0
    together = 1  # how many work: 1 while member 0 is alone
    while slot < NOTHING:
        if member > 0 and together == 1:
            barrier(size, state)
            base, slot, steps = state[counter(BASE)], state[counter(SLOT)], state[counter(STEPS)]
            together = size
            continue
        if slot == FAR:
            _lower(state, counter(NEAREST), nearest_far(pool, base, scale, low, value))
            barrier(together, state)
            base, slot = state[counter(NEAREST)], np.int64(0)
            if base > np.int64(LAST):
                slot = np.int64(NOTHING)
            else:
                move_window(pool, base, scale, low, value)
        vertices, edges, waiting, poured = np.int64(0), np.uint64(0), 0, np.int64(0)
        if together > 1 and slot < FAR:
            _pour(state, turn, pool, paths, frontier, work, base, slot, scale, low)
            barrier(size, state)
            poured = state[counter(TAIL + turn)]
            if member == 0:
                _reset(state, 1 - turn)
            while True:
                count, arcs = _take_shared(state, turn, out, frontier, work)
                if count == 0:
                    break
                pool = with_room(pool, arcs)
                waiting += _relax(size, out, weights, paths, work, count, pool, base, slot, scale, low)
                vertices += count
                edges += arcs
        while slot < FAR and heads[np.uint64(slot)] != NONE and waiting < FUSED and not stopped(state):
            entry = heads[np.uint64(slot)]
            heads[np.uint64(slot)] = NONE
            waiting = 0
            while entry != NONE:
                entry, count, arcs = _take_own(entry, together, out, paths, pool, work, base, slot, scale, low)
                pool = with_room(pool, arcs)
                fresh = _relax(together, out, weights, paths, work, count, pool, base, slot, scale, low)
                waiting += fresh if size > 1 else 0
                vertices += count
                edges += arcs
        if slot < FAR:
            _note(trace, steps, base + slot, vertices, edges)
        agreed = next_slot(pool, slot)
        if together > 1:
            # Only member 0 asks whether to stop: all have to leave at the same step.
            _lower(state, counter(NEXT + turn), np.int64(-1) if member == 0 and stopped(state) else agreed)
            barrier(size, state)
            agreed = state[counter(NEXT + turn)]
            turn = 1 - turn
        elif stopped(state):
            agreed = np.int64(-1)
        steps += agreed != slot
        slot = agreed if agreed >= 0 else np.int64(NOTHING)
        if together > 1:
            quiet = quiet + 1 if poured <= QUIET else 0
            if quiet == QUIET_STEPS and slot < NOTHING:
                pool = _hand_over(member, size, state, turn, pool, paths, frontier, work, base, scale, low)
                together, quiet = 1, 0
        elif size > 1 and (slot == NOTHING or (slot < FAR and longer_than(pool, slot, FUSED))):
            state[counter(BASE)], state[counter(SLOT)], state[counter(STEPS)] = base, slot, steps
            _reset(state, turn)
            barrier(size, state)
            together = size
        elif slot == FAR:
            state[counter(NEAREST)] = np.int64(LAST) + 1
    return steps


@njit(cache=True, nogil=True)
def _reset(state, turn):
    state[counter(TAIL + turn)] = 0
    state[counter(TAKEN + turn)] = 0
    state[counter(NEXT + turn)] = NOTHING
    state[counter(NEAREST)] = np.int64(LAST) + 1


@njit(cache=True, nogil=True)
def _hand_over(member, size, state, turn, pool, paths, frontier, work, base, scale, low):
    """Give all members' entries to member 0; the pool, larger for it where need be."""
    value, _, queued = paths
    if member > 0:
        for slot in range(FAR + 1):
            _pour(state, turn, pool, paths, frontier, work, base, np.int64(slot), scale, low)
    barrier(size, state)
    if member == 0:
        count = np.uint64(state[counter(TAIL + turn)])
        pool = with_room(pool, count)
        for i in range(count):
            v = frontier[i]
            queued[v] = SET
            put(pool, slot_of(value[v], base, scale, low), v)
        state[counter(TAIL + turn)] = 0
    return pool


@njit(cache=True, nogil=True)
def _lower(state, place, number):
    """Set ``state[place]`` to ``number`` if that is smaller."""
    while True:
        there = atomic.load(state, place)
        if number >= there or atomic.compare_and_swap(state, place, there, number):
            break


@njit(cache=True, nogil=True)
def _note(trace, step, bucket, vertices, edges):
    if (step + 1) * COLUMNS <= trace.size:
        row = np.uint64(step * COLUMNS)
        trace[row] = bucket
        atomic.add(trace, row + np.uint64(VERTICES), np.int64(vertices))
        atomic.add(trace, row + np.uint64(EDGES), np.int64(edges))


@njit(cache=True, nogil=True)
def _pour(state, turn, pool, paths, frontier, work, base, slot, scale, low):
    """Move one of this member's buckets to the frontier, each vertex once."""
    value, _, queued = paths
    vertex, follow, heads, marks = pool
    filled = 0
    entry = heads[np.uint64(slot)]
    heads[np.uint64(slot)] = NONE
    while entry != NONE:
        v = np.uint64(vertex[entry])
        if slot_of(value[v], base, scale, low) == slot and atomic.exchange(queued, v, CLEAR) == SET:
            work[filled] = v
            filled += 1
            if filled == CHUNK:
                append(state, counter(TAIL + turn), frontier, work, filled)
                filled = 0
        after = follow[entry]
        follow[entry] = marks[FREE]
        marks[FREE] = entry
        marks[ROOM] += ONE
        entry = after
    append(state, counter(TAIL + turn), frontier, work, filled)


@njit(cache=True, nogil=True)
def _take_shared(state, turn, out, frontier, work):
    """Up to CHUNK vertices of the frontier into ``work``: how many, and their edges."""
    indptr = out[0]
    first = atomic.add(state, counter(TAKEN + turn), np.int64(CHUNK))
    count = min(np.int64(CHUNK), state[counter(TAIL + turn)] - first)
    arcs = np.uint64(0)
    for i in range(max(count, 0)):
        v = np.uint64(frontier[np.uint64(first + i)])
        work[i] = v
        arcs += indptr[v + ONE] - indptr[v]
    return max(count, 0), arcs


@njit(cache=True, nogil=True)
def _take_own(entry, size, out, paths, pool, work, base, slot, scale, low):
    """Up to CHUNK vertices of a list into ``work``: the rest of the list, how many, and their edges."""
    indptr = out[0]
    value, _, queued = paths
    vertex, follow, _, marks = pool
    free, count, arcs, emptied = marks[FREE], 0, np.uint64(0), ONE - ONE
    while entry != NONE and count < CHUNK:
        v = np.uint64(vertex[entry])
        if slot_of(value[v], base, scale, low) == slot:
            if size == 1:
                taken = queued[v] == SET
                queued[v] = CLEAR
            else:
                taken = atomic.exchange(queued, v, CLEAR) == SET
            if taken:
                work[count] = v
                count += 1
                arcs += indptr[v + ONE] - indptr[v]
        after = follow[entry]
        follow[entry] = free
        free = entry
        emptied += ONE
        entry = after
    marks[FREE] = free
    marks[ROOM] += emptied
    return entry, count, arcs


@njit(cache=True, nogil=True)
def _relax(size, out, weights, paths, work, count, pool, base, slot, scale, low):
    """Relax the edges of ``work[:count]``; how many vertices fell into the current bucket."""
    indptr, indices = out
    value, parent, queued = paths
    vertex, follow, heads, marks = pool
    free, used, fresh = marks[FREE], ONE - ONE, 0
    for i in range(count):
        u = work[i]
        there = value[u]
        for j in range(indptr[u], indptr[u + ONE]):
            v = np.uint64(indices[j])
            better = extended(there, weights[j], low)
            before = value[v]
            if better < before:
                if size == 1:
                    value[v] = better
                    parent[v] = u
                    known = queued[v]
                    queued[v] = SET
                else:
                    old_parent = lock(parent, v)
                    before = value[v]
                    if before <= better:
                        atomic.store(parent, v, old_parent)
                        continue
                    value[v] = better
                    known = atomic.exchange(queued, v, SET)
                    atomic.store(parent, v, u)
                its_slot = slot_of(better, base, scale, low)
                if known == CLEAR or its_slot != slot_of(before, base, scale, low):
                    entry = free
                    free = follow[entry]
                    used += ONE
                    vertex[entry] = v
                    follow[entry] = heads[np.uint64(its_slot)]
                    heads[np.uint64(its_slot)] = entry
                    fresh += its_slot == slot
    marks[FREE] = free
    marks[ROOM] -= used
    return fresh
