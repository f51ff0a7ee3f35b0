# mypy: ignore-errors
"""Vertex programs whose reduction sees all messages of a vertex at once, as a multiset of numbers.

Messages are always pulled: a vertex that a message reaches reads its whole row, where every neighbour's latest message
is. While many vertices are active, each vertex first searches for an active neighbour, and skips if there is none. With
few active vertices, these list their neighbours.

A multiset is ``(values, counts, table)``: the distinct values, their counts, and a hash table. The table has a power of
two of slots, at least twice the largest number of values. A slot holds 1 + the index of a value, or 0 if empty. The
table is empty between two multisets.
"""

import numpy as np

from clew.engines.cpu.program.kernels import ACTIVE, CHUNK, EDGES, REACHED, SENT, TAKEN, clear, sending
from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import SPARE, all_stop, append, barrier, collect, counter, take_chunk
from clew.engines.cpu.team.kernels_intrinsics import borrowed, nanoseconds
from clew.jit import njit
from clew.kernels_rows import edges_of, neighbours_of, weight_of

ONE, TWO, SIX, LOW_SIX = np.uint64(1), np.uint64(2), np.uint64(6), np.uint64(63)
MANY = 4  # where fewer than 1/MANY of the edges are active, active vertices mark the vertices that they reach
FEW = 16  # values that are found faster by a linear scan
FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / the golden ratio: neighbouring numbers end up far apart


def gather_kernel(send, process, reduce, apply, accepts, matters, mark, in_order):
    """The loop of such a program; ``in_order`` says that ``reduce`` needs its values ascending."""
    send_messages, point_out = sending(send), _pointing_out(send)
    gather = gathering(process, matters, in_order)

    @njit(cache=True, nogil=True)
    def run(member, size, state, out, into, vertices, messages, lists, bitmaps, multisets, options, trace):
        """Iterate until no vertex is active; returns (iterations, whether it converged).

        ``out`` and ``into`` are rows and weights along and against the direction of messages. ``lists`` are
        the active vertices and room for those reached. ``bitmaps`` are (active, reached), the latter empty.
        ``multisets`` has room for one for every member. ``options``: the number of active vertices, the limit of
        iterations and the reduction of no messages. Then whether all vertices apply, and whether all stay active while
        anything changes. ``trace`` takes (active, edges, when it began) of each iteration, and when the last one ended.
        """
        mark  # noqa: B018, captured: see the compiler
        given, limit, empty, everyone, steady = options
        frontier, reached = lists
        active, touched = borrowed(bitmaps[0]), bitmaps[1]
        into = (borrowed(into[0]), borrowed(into[1]), borrowed(into[2]))
        vertices, messages = borrowed(vertices), borrowed(messages)
        spare = np.empty(SPARE, frontier.dtype)
        multiset = (borrowed(multisets[0][member]), borrowed(multisets[1][member]), borrowed(multisets[2][member]))
        for v in range(np.uint64(member * messages.size // size), np.uint64((member + 1) * messages.size // size)):
            messages[v] = send(vertices[v])
        if member == 0:
            state[counter(ACTIVE)] = given
            for i in range(given):
                v = np.uint64(frontier[i])
                state[counter(EDGES)] += np.int64(out[0][v + ONE] - out[0][v])
        iterations, all_edges = 0, np.int64(out[0][out[0].size - 1])
        barrier(size, state)
        while state[counter(ACTIVE)] > 0 and iterations < limit and not all_stop(state):
            awake, edges = np.uint64(state[counter(ACTIVE)]), state[counter(EDGES)]
            if steady:
                awake, edges = np.uint64(given), all_edges
            few = not everyone and edges < all_edges // MANY
            sure = few or everyone or awake == vertices.size  # every vertex processed is reached, if it has edges
            barrier(size, state)  # all have seen the counters
            if member == 0:
                if iterations < trace.shape[0]:
                    trace[iterations, 0] = awake
                    trace[iterations, 1] = edges
                    trace[iterations, 2] = nanoseconds()
                for number in (ACTIVE, EDGES, REACHED, SENT, TAKEN):
                    state[counter(number)] = 0
            clear(member, size, state, active, False)
            if few:
                point_out(state, out, vertices, messages, frontier, awake, touched, reached, spare)
            else:
                send_messages(state, vertices, messages, frontier, awake, active)
            barrier(size, state)
            looked = np.uint64(state[counter(REACHED)]) if few else np.uint64(vertices.size)
            edges, filled = np.int64(0), 0
            first, last = take_chunk(state, TAKEN, CHUNK, looked)
            while first < looked:
                for i in range(first, last):
                    v = i
                    if few:
                        v = np.uint64(reached[i])
                        touched[v >> SIX] = np.uint64(0)
                    if not accepts(vertices[v]) or not (sure or is_reached(into, v, active)):
                        continue
                    found = gather(into, v, vertices, messages, multiset)
                    if found == 0 and not everyone:
                        continue
                    total = empty if found == 0 else reduce(multiset[0][:found], multiset[1][:found])
                    if apply(total, vertices[v]):
                        edges += np.int64(out[0][v + ONE] - out[0][v])
                        spare[filled] = v
                        filled += 1
                        if filled == SPARE:
                            filled = keep(state, frontier, spare, filled, steady)
                first, last = take_chunk(state, TAKEN, CHUNK, looked)
            keep(state, frontier, spare, filled, steady)
            atomic.add(state, counter(EDGES), edges)
            iterations += 1
            barrier(size, state)
        if member == 0 and iterations < trace.shape[0]:
            trace[iterations, 2] = nanoseconds()
        return iterations, state[counter(ACTIVE)] == 0

    return run


def _pointing_out(send):
    """Messages of the active vertices, with a list of the vertices they reach."""

    @njit(nogil=True)
    def point_out(state, out, vertices, messages, frontier, awake, touched, reached, spare):
        """Send messages, and list the vertices they reach."""
        filled = 0
        first, last = take_chunk(state, SENT, CHUNK, awake)
        while first < awake:
            for i in range(first, last):
                u = np.uint64(frontier[i])
                messages[u] = send(vertices[u])
                for neighbour in neighbours_of(out, u):
                    v = np.uint64(neighbour)
                    flag = ONE << (v & LOW_SIX)
                    if touched[v >> SIX] & flag == 0 and atomic.bitwise_or(touched, v >> SIX, flag) & flag == 0:
                        filled = collect(state, counter(REACHED), reached, spare, filled, v)
            first, last = take_chunk(state, SENT, CHUNK, awake)
        append(state, counter(REACHED), reached, spare, filled)

    return point_out


def gathering(process, matters, in_order):
    """The multiset of the values that arrive at a vertex."""

    @njit(nogil=True, inline="always")
    def gather(into, v, vertices, messages, multiset):
        """Count the values that arrive at ``v``; returns the number of distinct values."""
        indptr, weights = into[0], into[2]
        start, stop = indptr[v], indptr[v + ONE]
        distinct = np.uint64(0)
        if stop - start <= FEW:
            values, counts, _ = multiset
            for j, u in edges_of(into, v):
                value = messages.dtype.type(process(messages[u], weight_of(weights, j), vertices[v]))
                if matters(value, vertices[v]):
                    # A linear search: a hash table would take longer.
                    i = np.uint64(0)
                    while i < distinct and values[i] != value:
                        i += ONE
                    if i == distinct:
                        values[i], counts[i] = value, 0
                        distinct += ONE
                    counts[i] += 1
            if in_order:
                sort(multiset, distinct)
            return distinct
        mask = mask_for(stop - start)
        for j, u in edges_of(into, v):
            value = messages.dtype.type(process(messages[u], weight_of(weights, j), vertices[v]))
            if matters(value, vertices[v]):
                distinct = count(multiset, mask, distinct, value)
        forget(multiset, mask, distinct)
        if in_order:
            sort(multiset, distinct)
        return distinct

    return gather


@njit(cache=True, nogil=True, inline="always")
def is_reached(into, v, active):
    """Whether a neighbour is active."""
    for neighbour in neighbours_of(into, v):
        u = np.uint64(neighbour)
        if (active[u >> SIX] >> (u & LOW_SIX)) & ONE:
            return True
    return False


@njit(cache=True, nogil=True)
def keep(state, frontier, spare, filled, steady):
    """Append to the active vertices, or only count them if all stay active; returns 0, what ``spare`` holds then."""
    if steady:
        atomic.add(state, counter(ACTIVE), np.int64(filled))
    else:
        append(state, counter(ACTIVE), frontier, spare, filled)
    return 0


@njit(cache=True, nogil=True, inline="always")
def count(multiset, mask, size, value):
    """Count ``value`` in a multiset of ``size`` distinct values; returns the new size."""
    values, counts, table = multiset
    place = _first_place(value, mask)
    while table[place] != 0:
        i = np.uint64(table[place]) - ONE
        if values[i] == value:
            counts[i] += 1
            return size
        place = (place + ONE) & mask
    values[size], counts[size] = value, 1
    size += ONE
    table[place] = size
    return size


@njit(cache=True, nogil=True)
def forget(multiset, mask, size):
    """Empty the table, whose values stay listed. Backwards: then nothing lies between a value and its place."""
    values, _, table = multiset
    for k in range(size):
        i = size - ONE - k
        place = _first_place(values[i], mask)
        while table[place] != i + ONE:
            place = (place + ONE) & mask
        table[place] = 0


@njit(cache=True, nogil=True)
def mask_for(length):
    """The slots for up to ``length`` values, less one: small multisets use the start of a large table."""
    places = TWO
    while places < TWO * length:
        places *= TWO
    return places - ONE


@njit(cache=True, nogil=True)
def sort(multiset, size):
    """Bring the values into ascending order, and the counts with them: heapsort, which needs no memory."""
    values, counts, _ = multiset
    for start in range(size // TWO):
        _sift(values, counts, size // TWO - ONE - start, size)
    for k in range(size):
        last = size - ONE - k
        values[0], values[last] = values[last], values[0]
        counts[0], counts[last] = counts[last], counts[0]
        _sift(values, counts, np.uint64(0), last)


@njit(cache=True, nogil=True)
def _sift(values, counts, i, size):
    """Move entry ``i`` down until none below it is larger."""
    value, number = values[i], counts[i]
    child = TWO * i + ONE
    while child < size:
        if child + ONE < size and values[child + ONE] > values[child]:
            child += ONE
        if values[child] <= value:
            break
        values[i], counts[i] = values[child], counts[child]
        i = child
        child = TWO * i + ONE
    values[i], counts[i] = value, number


@njit(cache=True, nogil=True, inline="always")
def _first_place(value, mask):
    if value == 0:  # -0.0 is the same value, and has other bits
        return np.uint64(0)
    mixed = np.uint64(atomic.to_bits(value)) * FACTOR
    return (mixed >> np.uint64(32)) & mask
