# mypy: ignore-errors
"""A maximal independent set in rounds: vertices with the largest key among their neighbours join, and these are
discarded.

One array holds the state of a vertex: 0 if discarded (a neighbour joined), UNDRAWN if it skips this round, else its
key. Steps that read keys of others write none that another step of the round reads. So the set does not depend on the
order of threads.

``out`` and ``into`` are rows, plain or packed; ``into`` is None where ``out`` has every edge in both directions.
"""

import numpy as np

from clew.engines.cpu.team.kernels import SPARE, append, barrier, counter, stopped, take
from clew.engines.cpu.team.kernels_intrinsics import nanoseconds
from clew.generate.kernels_random import bits, unit
from clew.jit import njit
from clew.kernels_rows import neighbours_of

ZERO, ONE = np.uint64(0), np.uint64(1)
UNDRAWN = np.uint64(1)
LEAST_KEY = np.uint64(2)
DEGREE_SHIFT, RANDOM_SHIFT = np.uint64(24), np.uint64(40)  # keys by degree: 40 bits of degree, then 24 random ones
DRAWING, JOINING, DISCARDING, TAIL, LEFT = range(5)  # counters


@njit(cache=True, nogil=True)
def independent_set(member, size, state, streams, by_degree, out, into, key, joined, live, later, trace, begun):
    """Fill ``joined``; returns the number of rounds. ``trace`` takes how many vertices each began with, ``begun``
    when, and when the last one ended.

    Keys are random and fixed. With ``by_degree``, every round draws vertices with probability 1 / (2 degree) and uses
    their degree as key. ``streams`` has one seed for the keys and one for the draws.
    """
    spare = np.empty(SPARE, live.dtype)
    left = np.uint64(live.size)
    for v in range(np.uint64(member) * left // np.uint64(size), np.uint64(member + 1) * left // np.uint64(size)):
        key[v] = max(bits(streams[0], v), LEAST_KEY)
    turn = 0
    while left > ZERO:
        if member == 0:
            if turn < trace.size:
                trace[turn] = left
                begun[turn] = nanoseconds()
            for number in (DRAWING, JOINING, DISCARDING, TAIL):
                state[counter(number)] = 0
        barrier(size, state)
        if by_degree:
            _draw(state, streams, turn, out, into, key, live, left)
            barrier(size, state)
        _join(state, out, into, key, joined, live, left, later, spare)
        barrier(size, state)
        _discard(state, out, into, key, joined, live, left)
        if member == 0:
            state[counter(LEFT)] = 0 if stopped(state) else state[counter(TAIL)]
        barrier(size, state)
        left = np.uint64(state[counter(LEFT)])
        live, later = later, live
        turn += 1
    if member == 0 and turn < begun.size:
        begun[turn] = nanoseconds()
    return turn


@njit(cache=True, nogil=True)
def _draw(state, streams, turn, out, into, key, live, left):
    """New keys for this round: the remaining degree of drawn vertices, UNDRAWN for the others."""
    round_key = bits(streams[1], np.uint64(turn))
    start, stop = take(state, DRAWING, left)
    while start < stop:
        for i in range(start, stop):
            v = np.uint64(live[i])
            if key[v] != ZERO:
                degree = _degree(v, out, key)
                if into is not None:
                    degree += _degree(v, into, key)
                if degree == ZERO or unit(bits(round_key, v)) * 2.0 * np.float64(degree) < 1.0:
                    key[v] = ((degree + ONE) << DEGREE_SHIFT) | (bits(streams[0], v) >> RANDOM_SHIFT)
                else:
                    key[v] = UNDRAWN
        start, stop = take(state, DRAWING, left)


@njit(cache=True, nogil=True)
def _degree(v, rows, key):
    degree = ZERO
    for neighbour in neighbours_of(rows, v):
        u = np.uint64(neighbour)
        if key[u] != ZERO and u != v:
            degree += ONE
    return degree


@njit(cache=True, nogil=True)
def _join(state, out, into, key, joined, live, left, later, spare):
    """Vertices with the largest key around join; those not discarded in the last round go on to the next."""
    filled = 0
    start, stop = take(state, JOINING, left)
    while start < stop:
        for i in range(start, stop):
            v = np.uint64(live[i])
            if key[v] != ZERO:
                beaten = key[v] < LEAST_KEY or _beaten(v, out, key)
                if into is not None:
                    beaten = beaten or _beaten(v, into, key)
                if beaten:
                    spare[filled] = live[i]
                    filled += 1
                    if filled == SPARE:
                        append(state, counter(TAIL), later, spare, filled)
                        filled = 0
                else:
                    joined[v] = True
        start, stop = take(state, JOINING, left)
    append(state, counter(TAIL), later, spare, filled)


@njit(cache=True, nogil=True)
def _beaten(v, rows, key):
    """Whether a neighbour's key is larger; ties are broken by id, so a self-loop never wins."""
    mine = key[v]
    for neighbour in neighbours_of(rows, v):
        u = np.uint64(neighbour)
        if key[u] > mine or (key[u] == mine and u > v):
            return True
    return False


@njit(cache=True, nogil=True)
def _discard(state, out, into, key, joined, live, left):
    start, stop = take(state, DISCARDING, left)
    while start < stop:
        for i in range(start, stop):
            v = np.uint64(live[i])
            if joined[v]:
                _discard_neighbours(v, out, key)
                if into is not None:
                    _discard_neighbours(v, into, key)
        start, stop = take(state, DISCARDING, left)


@njit(cache=True, nogil=True)
def _discard_neighbours(v, rows, key):
    for u in neighbours_of(rows, v):
        key[u] = ZERO
