# mypy: ignore-errors
"""Label propagation: all vertices at once take the label that most of their neighbours have, the smallest of several.

Every member counts labels in an array of its own, with a counter per vertex, which it clears by the list of what it
counted. Once few labels change, only vertices with a changed neighbour are processed; the others keep their label.
"""

import numpy as np

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import all_stop, barrier, counter, take_chunk
from clew.engines.cpu.team.kernels_intrinsics import nanoseconds
from clew.jit import njit
from clew.kernels_rows import neighbours_of

CHUNK = 128  # vertices that a member takes at a time
FEW = 4  # process only neighbours of changed vertices if less than 1/FEW of the labels changed
ONE = np.uint64(1)
TAKEN, CHANGED, AWAKE, EDGES = range(4)  # counters


@njit(cache=True, nogil=True)
def propagate(member, size, state, out, into, labels, after, awake, longest, max_rounds, changes, looked, begun):
    """Rounds until nothing changes, at most ``max_rounds``; returns their number, and what the last one changed.

    ``into`` is None where ``out`` has all edges in both directions. ``labels`` and ``after`` take turns: after an odd
    number of rounds the answer is in ``after``. ``longest`` is the largest degree. ``awake`` has a byte per vertex.
    changes[r] becomes the number of labels that round r changed, and looked[r] the vertices and edges that it read.
    ``begun`` gets the start of each round, and the end of the last one.
    """
    num_vertices = np.uint64(labels.size)
    votes = np.zeros(num_vertices, np.uint32)
    seen = np.empty(longest, labels.dtype)
    everyone = True
    changed = np.int64(1)  # as if, so that there is a first round
    done = 0
    if member == 0:
        begun[0] = nanoseconds()
    while done < max_rounds and changed > 0 and not all_stop(state):
        if member == 0:
            for number in (TAKEN, CHANGED, AWAKE, EDGES):
                state[counter(number)] = 0
        barrier(size, state)
        mine, vertices, edges = _round(state, out, into, labels, after, awake, everyone, votes, seen)
        atomic.add(state, counter(CHANGED), np.int64(mine))
        atomic.add(state, counter(AWAKE), np.int64(vertices))
        atomic.add(state, counter(EDGES), np.int64(edges))
        barrier(size, state)
        changed = state[counter(CHANGED)]
        if member == 0 and done < changes.size:
            changes[done] = changed
            looked[done, 0] = state[counter(AWAKE)]
            looked[done, 1] = state[counter(EDGES)]
        done += 1
        everyone = changed * FEW >= labels.size
        if not everyone:
            _wake(member, size, state, out, into, labels, after, awake)
        labels, after = after, labels
        barrier(size, state)
        if member == 0 and done < begun.size:
            begun[done] = nanoseconds()
    return done, changed


@njit(cache=True, nogil=True)
def _round(state, out, into, labels, after, awake, everyone, votes, seen):
    """New labels for this member's vertices; returns how many changed and were processed, and their edges."""
    num_vertices = np.uint64(labels.size)
    changed, vertices, edges = 0, 0, np.uint64(0)
    while True:
        begin, end = take_chunk(state, TAKEN, CHUNK, num_vertices)
        if begin == num_vertices:
            return changed, vertices, edges
        for v in range(begin, end):
            if everyone or awake[v]:
                count, best, most = _vote(out, v, labels, votes, seen, np.uint64(0), labels[v], np.uint32(0))
                if into is not None:
                    count, best, most = _vote(into, v, labels, votes, seen, count, best, most)
                for i in range(count):
                    votes[seen[i]] = 0
                after[v] = best
                changed += best != labels[v]
                vertices += 1
                edges += count
            else:
                after[v] = labels[v]


@njit(cache=True, nogil=True)
def _vote(rows, v, labels, votes, seen, count, best, most):
    """Count the labels of one row on top of ``count`` others; returns their number, the winner and its votes."""
    for u in neighbours_of(rows, v):
        label = labels[u]
        number = votes[label] + np.uint32(1)
        votes[label] = number
        seen[count] = label
        count += ONE
        if number > most or (number == most and label < best):
            best, most = label, number
    return count, best, most


@njit(cache=True, nogil=True)
def _wake(member, size, state, out, into, labels, after, awake):
    """awake[v] = whether a neighbour of v changed its label."""
    num_vertices = labels.size
    first, last = np.uint64(member * num_vertices // size), np.uint64((member + 1) * num_vertices // size)
    awake[first:last] = 0
    if member == 0:
        state[counter(TAKEN)] = 0
    barrier(size, state)
    while True:
        begin, end = take_chunk(state, TAKEN, CHUNK, np.uint64(num_vertices))
        if begin == num_vertices:
            break
        for u in range(begin, end):
            if labels[u] != after[u]:
                _wake_row(out, u, awake)
                if into is not None:
                    _wake_row(into, u, awake)
    barrier(size, state)


@njit(cache=True, nogil=True)
def _wake_row(rows, u, awake):
    for v in neighbours_of(rows, u):
        awake[v] = 1
