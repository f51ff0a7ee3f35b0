# mypy: ignore-errors
"""Bellman-Ford with a frontier: each round relaxes the edges of the vertices whose value fell in the round before.

Without a negative cycle the parents form a tree; a cycle of parents is a negative cycle. So the parents are searched
for a cycle after every n relaxed vertices. That doubles the time at most, and a negative cycle is found soon after it
forms, not after n rounds.

Frontiers of a few vertices are left to member 0 alone.
"""

import numpy as np

from clew.algorithms.paths.kernels import lock
from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import SPARE, append, barrier, counter, stopped
from clew.engines.cpu.team.kernels_intrinsics import WORTH_A_LOOK, nanoseconds
from clew.jit import njit

ALONE = 512  # frontiers up to here are member 0's
CHUNK = 64  # frontier vertices that a member takes at a time
ONE = np.uint64(1)
CLEAR, SET = np.uint8(0), np.uint8(1)
TAIL, TAKEN, EDGES, COUNT, ROUND, RELAXED, END, UNCLOCKED = range(8)  # counters
STOPPED = -1
FRONTIER_COLUMN, EDGES_COLUMN, BEGUN_COLUMN, COLUMNS = range(4)  # of the trace


@njit(cache=True, nogil=True)
def bellman_ford(member, size, state, out, weights, source, zero, paths, frontiers, seen, trace):
    """Fill value and parent; returns the number of rounds and a vertex on a negative cycle, or -1.

    ``out`` is (indptr, indices), ``paths`` (value, parent, queued), all ids unsigned. ``zero`` is the source's value.
    The two ``frontiers`` and ``seen`` have room for all vertices. ``trace`` gets COLUMNS numbers per round, and the end
    of the last one.
    """
    spare = np.empty(SPARE, seen.dtype)
    if member == 0:
        paths[0][source] = zero
        paths[1][source] = source
        frontiers[0, 0] = source
        state[counter(COUNT)] = 1
        trace[0, BEGUN_COLUMN] = nanoseconds()
    barrier(size, state)
    while state[counter(COUNT)] > 0 and state[counter(END)] == 0:
        count, rounds = state[counter(COUNT)], state[counter(ROUND)]
        now, later = frontiers[rounds & 1], frontiers[1 - (rounds & 1)]
        barrier(size, state)
        if size == 1 or count <= ALONE:
            if member == 0:
                while state[counter(COUNT)] > 0 and state[counter(END)] == 0:
                    if size > 1 and state[counter(COUNT)] > ALONE:
                        break
                    now, later = frontiers[state[counter(ROUND)] & 1], frontiers[1 - (state[counter(ROUND)] & 1)]
                    _relax(1, state, out, weights, paths, now, later, spare)
                    _finish_round(state, source, paths, seen, trace)
        else:
            _relax(size, state, out, weights, paths, now, later, spare)
            barrier(size, state)
            if member == 0:
                _finish_round(state, source, paths, seen, trace)
        barrier(size, state)
    on_cycle = state[counter(END)] - 1
    if member == 0 and on_cycle < 0:  # rounding can close a cycle of parents and then change nothing any more
        on_cycle = _on_cycle(source, paths, seen)
    return state[counter(ROUND)], on_cycle


@njit(cache=True, nogil=True)
def _relax(size, state, out, weights, paths, now, later, spare):
    """One member's share of a round."""
    indptr, indices = out
    value, parent, queued = paths
    count = state[counter(COUNT)]
    edges, filled = ONE - ONE, 0
    while True:
        first = atomic.add(state, counter(TAKEN), np.int64(CHUNK))
        if first >= count:
            break
        for i in range(np.uint64(first), np.uint64(min(first + CHUNK, count))):
            u = np.uint64(now[i])
            # Cleared before the value is read: a thread that improves u after that queues it again.
            atomic.exchange(queued, u, CLEAR)
            there = value[u]
            edges += indptr[u + ONE] - indptr[u]
            for j in range(indptr[u], indptr[u + ONE]):
                v = np.uint64(indices[j])
                better = there + weights[j]
                if better < value[v]:
                    if size == 1:
                        value[v] = better
                        parent[v] = u
                        known = queued[v]
                        queued[v] = SET
                    else:
                        old_parent = lock(parent, v)
                        if value[v] <= better:
                            atomic.store(parent, v, old_parent)
                            continue
                        value[v] = better
                        known = atomic.exchange(queued, v, SET)
                        atomic.store(parent, v, indices.dtype.type(u))
                    if known == CLEAR:
                        spare[filled] = v
                        filled += 1
                        if filled == SPARE:
                            append(state, counter(TAIL), later, spare, filled)
                            filled = 0
    append(state, counter(TAIL), later, spare, filled)
    atomic.add(state, counter(EDGES), np.int64(edges))


@njit(cache=True, nogil=True)
def _finish_round(state, source, paths, seen, trace):
    """Make the next frontier the present one; check for a cycle of parents when due, and for a request to stop."""
    count, rounds = state[counter(COUNT)], state[counter(ROUND)]
    if rounds < trace.shape[0]:
        trace[rounds, FRONTIER_COLUMN] = count
        trace[rounds, EDGES_COLUMN] = state[counter(EDGES)]
    if rounds + 1 < trace.shape[0]:
        state[counter(UNCLOCKED)] += count + state[counter(EDGES)]
        if state[counter(UNCLOCKED)] >= WORTH_A_LOOK or state[counter(TAIL)] == 0:
            trace[rounds + 1, BEGUN_COLUMN] = nanoseconds()
            state[counter(UNCLOCKED)] = 0
    state[counter(RELAXED)] += count
    state[counter(COUNT)] = state[counter(TAIL)]
    state[counter(ROUND)] = rounds + 1
    state[counter(TAIL)] = 0
    state[counter(TAKEN)] = 0
    state[counter(EDGES)] = 0
    if state[counter(RELAXED)] >= seen.size:
        state[counter(RELAXED)] = 0
        state[counter(END)] = _on_cycle(source, paths, seen) + 1
    if stopped(state):
        state[counter(END)] = STOPPED


@njit(cache=True, nogil=True)
def _on_cycle(source, paths, seen):
    """A vertex on a cycle of parents, or -1. ``seen[v]`` becomes one more than the vertex from which v was found."""
    value, parent, _ = paths
    none = parent.dtype.type(parent.dtype.type(0) - parent.dtype.type(1))
    seen[:] = 0
    for start in range(np.uint64(seen.size)):
        v = start
        mark = start + ONE
        while parent[v] != none and seen[v] == 0 and not (v == source and value[v] == 0):
            seen[v] = mark
            v = np.uint64(parent[v])
        if seen[v] == mark:
            return np.int64(v)
    return np.int64(-1)
