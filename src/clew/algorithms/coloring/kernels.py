# mypy: ignore-errors
"""Colouring: the smallest free colour in the order of priorities, or one colour a round for all local maxima.

In order: every vertex takes the smallest colour that none of its neighbours of higher priority has, as Jones and
Plassmann do. Instead of rounds with barriers, members take vertices in priority order and wait for uncoloured
neighbours of higher priority. The first uncoloured vertex never waits, so there is always progress. Every edge is read
once from each side, and the colours equal those of one thread that follows the order.

``out`` and ``into`` are rows, plain or packed; ``into`` is None where ``out`` has every edge in both directions.
"""

import numpy as np
from numba import types

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import SPARE, SPINS, append, barrier, counter, stopped, take
from clew.engines.cpu.team.kernels_intrinsics import nanoseconds
from clew.generate.kernels_random import bits
from clew.jit import njit
from clew.kernels_rows import neighbours_of

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(64)
# Of equal priority, 64 vertices in a row stay together: their rows and labels share cache lines.
RUN_BITS = np.uint64(6)
COLOR_BITS = np.uint64(24)  # k colours need k(k-1)/2 edges, so 2^24 of them are out of reach, and 40 bits are for ranks
COLOR_MASK = np.uint64((1 << 24) - 1)
NO_COLOR, QUEUED = np.int32(-1), np.int32(-2)
NONE_LEFT, LAST, MINUS_ONE = np.uint32(0), np.uint32(1), np.uint32(0xFFFFFFFF)  # counts of neighbours
TAKEN, TAIL, STOP = range(3)  # counters

_give_way = types.ExternalFunction("sched_yield", types.int32())


@njit(cache=True, nogil=True)
def priorities(part, parts, key, out, into, top, id_bits, words):
    """Words whose ascending order is that of the priorities, with the vertex in the low bits.

    ``top`` is the largest degree where larger degrees come first, 0 where the order is random altogether.
    """
    indptr = out[0]
    degree_bits = ZERO
    while (top >> degree_bits) > ZERO:
        degree_bits += ONE
    n = np.uint64(words.size)
    for v in range(np.uint64(part) * n // np.uint64(parts), np.uint64(part + 1) * n // np.uint64(parts)):
        word = (bits(key, v >> RUN_BITS) >> degree_bits >> id_bits << id_bits) | v
        if top > ZERO:
            degree = indptr[v + ONE] - indptr[v]
            if into is not None:
                degree += into[0][v + ONE] - into[0][v]
            word |= (top - degree) << (WORD - degree_bits)
        words[v] = word


@njit(cache=True, nogil=True)
def smallest_last(out, into, degree, largest, order):
    """Remove a vertex of smallest degree again and again; ``order`` has the one removed last first.

    Vertices stand in buckets by degree in one array. When a vertex loses a neighbour it changes places with the first
    of its bucket, and the bucket begins one further on.
    """
    n = np.uint64(degree.size)
    starts = np.zeros(largest + np.uint64(2), np.uint64)
    for v in range(n):
        starts[degree[v] + ONE] += ONE
    for d in range(largest + ONE):
        starts[d + ONE] += starts[d]
    place = np.empty(degree.size, np.uint64)
    sorted_by_degree = np.empty_like(order)
    for v in range(n):
        place[v] = starts[degree[v]]
        sorted_by_degree[place[v]] = v
        starts[degree[v]] += ONE
    starts[1:] = starts[:-1].copy()  # filling moved every start on to the next one
    starts[0] = ZERO
    for i in range(n):
        v = sorted_by_degree[i]
        order[n - ONE - i] = v
        _remove(np.uint64(v), out, degree, starts, place, sorted_by_degree)
        if into is not None:
            _remove(np.uint64(v), into, degree, starts, place, sorted_by_degree)


@njit(cache=True, nogil=True)
def _remove(v, rows, degree, starts, place, sorted_by_degree):
    for neighbour in neighbours_of(rows, v):
        u = np.uint64(neighbour)
        if degree[u] > degree[v]:
            first = starts[degree[u]]
            other = np.uint64(sorted_by_degree[first])
            sorted_by_degree[place[u]] = other
            sorted_by_degree[first] = u
            place[other] = place[u]
            place[u] = first
            starts[degree[u]] += ONE
            degree[u] -= ONE


@njit(cache=True, nogil=True)
def in_order(member, size, state, out, into, order, label, limit):
    """Colour vertices in the given order. ``label`` holds (rank, colour + 1) of every vertex, colours 0 at first."""
    marks = np.zeros(limit, np.uint64)  # rank + 1 of the last vertex that may not have this colour
    n = np.uint64(order.size)
    start, stop = take(state, TAKEN, n)
    while start < stop and not stopped(state):
        for rank in range(start, stop):
            v = np.uint64(order[rank])
            low = _taken_colors(state, v, rank, out, label, marks, ZERO)
            if into is not None:
                low = _taken_colors(state, v, rank, into, label, marks, low)
            color = _smallest_free(low, marks, rank)
            atomic.store(label, v, (rank << COLOR_BITS) | (color + ONE))
        start, stop = take(state, TAKEN, n)


@njit(cache=True, nogil=True)
def _taken_colors(state, v, rank, rows, label, marks, low):
    """Colours of neighbours of higher priority: below 64 as bits of ``low``, which is returned, else in ``marks``."""
    for u in neighbours_of(rows, v):
        seen = label[u]
        if (seen >> COLOR_BITS) < rank:
            if seen & COLOR_MASK == ZERO:
                seen = _wait(state, np.uint64(u), label)
            color = (seen & COLOR_MASK) - ONE
            if color < WORD:
                low |= ONE << color
            elif color < COLOR_MASK:
                marks[color] = rank + ONE
    return low


@njit(cache=True, nogil=True)
def _wait(state, u, label):
    """The label of ``u`` once it has a colour; without one only where the team is asked to stop."""
    spins = 0
    seen = atomic.load(label, u)
    while seen & COLOR_MASK == ZERO and not stopped(state):
        spins += 1
        if spins < SPINS:
            atomic.relax()
        else:
            _give_way()
        seen = atomic.load(label, u)
    return seen


@njit(cache=True, nogil=True)
def _smallest_free(low, marks, rank):
    if ~low != ZERO:
        return atomic.trailing_zeros(~low)
    color = WORD
    while marks[color] == rank + ONE:
        color += ONE
    return color


@njit(cache=True, nogil=True)
def by_rounds(member, size, state, key, out, into, above, below, color, queue, trace, begun):
    """Give local maxima and minima among the vertices left a colour each round; returns the number of rounds.

    ``above`` and ``below`` count the neighbours left with a larger and a smaller value. A vertex joins the queue when
    one of the two reaches 0, so a round reads only the vertices that it colours. ``color`` is NO_COLOR everywhere at
    first. ``trace`` takes how many each round colours, ``begun`` when it began, and when the last one ended.
    """
    spare = np.empty(SPARE, queue.dtype)
    _count_neighbours(state, key, out, into, above, below, color, queue, spare)
    barrier(size, state)
    start, stop = ZERO, np.uint64(state[counter(TAIL)])
    turn = 0
    while start < stop:
        if member == 0:
            if turn < trace.size:
                trace[turn] = stop - start
                begun[turn] = nanoseconds()
            state[counter(TAKEN)] = 0
        for i in range(start + np.uint64(member), stop, np.uint64(size)):
            color[queue[i]] = 2 * turn if above[queue[i]] == NONE_LEFT else 2 * turn + 1
        barrier(size, state)
        _tell_neighbours(size, state, key, out, into, above, below, color, queue, start, stop, spare)
        barrier(size, state)
        if member == 0:
            state[counter(STOP)] = stop if stopped(state) else state[counter(TAIL)]
        barrier(size, state)
        start, stop = stop, np.uint64(state[counter(STOP)])
        turn += 1
    if member == 0 and turn < begun.size:
        begun[turn] = nanoseconds()
    return turn


@njit(cache=True, nogil=True)
def _count_neighbours(state, key, out, into, above, below, color, queue, spare):
    n = np.uint64(color.size)
    filled = 0
    start, stop = take(state, TAKEN, n)
    while start < stop:
        for v in range(start, stop):
            _count(key, v, out, above, below)
            if into is not None:
                _count(key, v, into, above, below)
            if above[v] == NONE_LEFT or below[v] == NONE_LEFT:
                color[v] = QUEUED
                spare[filled] = v
                filled += 1
                if filled == SPARE:
                    append(state, counter(TAIL), queue, spare, filled)
                    filled = 0
        start, stop = take(state, TAKEN, n)
    append(state, counter(TAIL), queue, spare, filled)


@njit(cache=True, nogil=True)
def _count(key, v, rows, above, below):
    mine = bits(key, v)
    larger = smaller = ZERO
    for u in neighbours_of(rows, v):
        other = bits(key, np.uint64(u))
        if other > mine:
            larger += ONE
        elif other < mine:  # neither for a loop
            smaller += ONE
    above[v] += larger
    below[v] += smaller


@njit(cache=True, nogil=True)
def _tell_neighbours(size, state, key, out, into, above, below, color, queue, start, stop, spare):
    """Vertices that got a colour are not left any more."""
    filled = 0
    first, last = take(state, TAKEN, stop - start)
    while first < last:
        for i in range(start + first, start + last):
            v = np.uint64(queue[i])
            filled = _tell(size, state, key, v, out, above, below, color, queue, spare, filled)
            if into is not None:
                filled = _tell(size, state, key, v, into, above, below, color, queue, spare, filled)
        first, last = take(state, TAKEN, stop - start)
    append(state, counter(TAIL), queue, spare, filled)


@njit(cache=True, nogil=True)
def _tell(size, state, key, v, rows, above, below, color, queue, spare, filled):
    mine = bits(key, v)
    for neighbour in neighbours_of(rows, v):
        u = np.uint64(neighbour)
        if color[u] < 0 and u != v:  # vertices queued for the next round still need to know if they are maxima
            left = above if bits(key, u) < mine else below
            if size == 1:
                left[u] -= ONE
                none_left = left[u] == NONE_LEFT
            else:
                none_left = atomic.add(left, u, MINUS_ONE) == LAST
            if none_left and atomic.compare_and_swap(color, u, NO_COLOR, QUEUED):
                spare[filled] = u
                filled += 1
                if filled == SPARE:
                    append(state, counter(TAIL), queue, spare, filled)
                    filled = 0
    return filled
