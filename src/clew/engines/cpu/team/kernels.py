# mypy: ignore-errors
"""A team of threads that runs one kernel together, meeting at barriers: a whole algorithm in one call.

Starting a piece of work from Python costs tens of microseconds; a barrier among running threads costs well under one.
An algorithm with thousands of short steps, such as a traversal of a road network, has to stay inside one compiled call.

Every kernel of a team takes ``(member, size, state, …)``. ``state`` is an int64 array that the team shares, with one
number per cache line (index times LINE). It holds the barrier's numbers, the request to stop, and COUNTERS for the
kernel.

A team processes lists of vertices and fills new ones. Members take pieces of a list from a shared counter, so that a
hub delays one member only. They collect vertices in a private buffer before they append them: an atomic operation per
vertex would cost more than the work.

Blocks of rows depend on the graph alone (``fixed_blocks``). Any member may process a block, but the sums of blocks are
added in the order of the blocks. So sums do not depend on the number of threads.
"""

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels_intrinsics import prefetch
from clew.jit import njit
from clew.packed.kernels import unpack_some

ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
UNPACKED = 4096  # neighbours of packed rows that are unpacked at a time: 32 KB, which a core's first cache holds
LINE = np.uint64(8)  # int64 numbers to a cache line
ARRIVED, ROUND, STOP, AGREED = (np.uint64(line) * LINE for line in range(4))
COUNTERS = 13
FIRST_COUNTER = 4
STATE_SIZE = (FIRST_COUNTER + COUNTERS) * int(LINE)
CHUNK = np.uint64(64)  # vertices a member takes at a time
SPARE = 1024  # vertices a member collects before it appends them
PUSH, PULL = 0, 1
ACTIVE_COLUMN, EDGES_COLUMN, DIRECTION_COLUMN, BEGUN_COLUMN, COLUMNS = range(5)  # of a trace
SPINS = 4000  # about ten microseconds; then a waiting member yields its core

_give_way = types.ExternalFunction("sched_yield", types.int32())


@intrinsic
def counter(typing_context, number):
    """Where counter ``number`` is in the state. There are many calls, and a function would take long to compile."""

    def generate(context, builder, signature, args):
        return builder.mul(builder.add(args[0], args[0].type(FIRST_COUNTER)), args[0].type(int(LINE)))

    return types.uint64(types.uint64), generate


@njit(cache=True, nogil=True)
def barrier(size, state):
    """Wait until all members are here. What any of them wrote before, all of them see after."""
    if size == 1:
        state[AGREED] = atomic.load(state, STOP)
        return
    turn = atomic.load(state, ROUND)
    if atomic.add(state, ARRIVED, np.int64(1)) == size - 1:
        # The last member decides for all whether to stop, so that no member leaves alone.
        state[AGREED] = atomic.load(state, STOP)
        atomic.store(state, ARRIVED, np.int64(0))
        atomic.store(state, ROUND, turn + 1)
        return
    spins = 0
    while atomic.load(state, ROUND) == turn:
        spins += 1
        if spins < SPINS:
            atomic.relax()
        else:
            _give_way()


@njit(cache=True, nogil=True)
def all_stop(state):
    """Whether the team leaves: the same answer for every member until the next barrier. For loops with barriers."""
    return state[AGREED] != 0


@njit(cache=True, nogil=True)
def stopped(state):
    """Whether the caller has requested a stop: for loops without barriers, and for decisions of one member."""
    return atomic.load(state, STOP) != 0


@njit(cache=True, nogil=True)
def take(state, number, count):
    """The next piece (start, stop) of a list of ``count`` entries by counter ``number``; empty when all are taken."""
    start = np.uint64(atomic.add(state, counter(number), np.int64(CHUNK)))
    return start, min(start + CHUNK, count)


@njit(cache=True, nogil=True)
def append(state, tail, queue, spare, filled):
    """Move ``spare[:filled]`` to the end of the queue, whose length is ``state[tail]``."""
    if filled > 0:
        place = np.uint64(atomic.add(state, tail, np.int64(filled)))
        for i in range(filled):
            queue[place + np.uint64(i)] = spare[i]


@njit(cache=True, nogil=True)
def collect(state, tail, queue, spare, filled, v):
    """Add ``v`` to the ``filled`` vertices of ``spare``, and append those when it is full; how many it holds then."""
    spare[filled] = v
    filled += 1
    if filled == SPARE:
        append(state, tail, queue, spare, filled)
        filled = 0
    return filled


@njit(cache=True, nogil=True)
def take_block(size, state, number, step, blocks):
    """The next block of round ``step`` by counter ``number``; ``blocks`` or more when there are none left.

    Every member gets one number past the end per round. So a round uses as many numbers as there are blocks and
    members, and the counter need not return to 0, which would take a barrier.
    """
    return atomic.add(state, counter(number), np.int64(1)) - step * (blocks + size)


@njit(cache=True, nogil=True)
def take_chunk(state, number, chunk, total):
    """The next ``chunk`` of 0…total-1 by counter ``number``, as (first, last); first is ``total`` when all are taken.

    For rounds of different lengths: the counter has to be 0 at the start of each.
    """
    first = np.uint64(atomic.add(state, counter(number), np.int64(chunk)))
    return min(first, total), min(first + np.uint64(chunk), total)


@njit(cache=True, nogil=True)
def note(trace, step, active, edges, direction, begun):
    """Record a level or an iteration, if the trace has room for it."""
    if step < trace.shape[0]:
        trace[step, ACTIVE_COLUMN] = active
        trace[step, EDGES_COLUMN] = edges
        trace[step, DIRECTION_COLUMN] = direction
        trace[step, BEGUN_COLUMN] = begun


def row_sums(first, last, rows, ahead, factors, values, sums):
    """Sums over rows first…last-1, plain or packed; see ``plain_row_sums``. Both have the same bits."""
    sums_of = packed_row_sums if isinstance(rows[1], tuple) else plain_row_sums
    sums_of(first, last, rows, ahead, factors, values, sums)


@overload(row_sums)
def _row_sums(first, last, rows, ahead, factors, values, sums):
    """The same for kernels, which are compiled for one of the two."""
    sums_of = packed_row_sums if isinstance(rows[1], types.BaseTuple) else plain_row_sums

    def call(first, last, rows, ahead, factors, values, sums):
        sums_of(first, last, rows, ahead, factors, values, sums)

    return call


@njit(cache=True, nogil=True)
def packed_row_sums(first, last, rows, ahead, factors, values, sums):
    """Unpack some rows into a buffer, sum them, and go on with the next."""
    indptr, packed = rows
    buffer, starts = np.empty(UNPACKED, np.uint64), np.empty(UNPACKED, np.uint64)
    while first < last:
        stop, buffer = unpack_some(packed, indptr, first, last, starts, buffer)
        some = None if factors is None else factors[indptr[first] : indptr[stop]]
        length = indptr[stop] - indptr[first]
        plain_row_sums(ZERO, stop - first, (starts, buffer[:length]), ahead, some, values, sums[first:stop])
        first = stop


@njit(cache=True, nogil=True, apart=True)
def plain_row_sums(first, last, rows, ahead, factors, values, sums):
    """Sums of ``values`` at each row's neighbours, times the factors of the edges if there are any, into ``sums``.

    Values are prefetched ``ahead`` edges early, unless that is 0 (see ``ahead_of``). Sums are float64 even where values
    are float32: a row of a million would otherwise lose most digits. One call processes a whole block: a call per row
    would count references to every array, which takes longer than a short row.
    """
    indptr, indices = rows
    end = np.uint64(indices.size - 1)
    j = indptr[first]
    for v in range(first, last):
        stop = indptr[v + ONE]
        # Two sums, because an addition has to wait for the one before it; more do not pay for short rows.
        even, odd = 0.0, 0.0
        while j + TWO <= stop:
            if ahead > 0:
                prefetch(values, np.uint64(indices[min(j + ahead, end)]))
                prefetch(values, np.uint64(indices[min(j + ahead + ONE, end)]))
            if factors is None:
                even += values[indices[j]]
                odd += values[indices[j + ONE]]
            else:
                even += values[indices[j]] * factors[j]
                odd += values[indices[j + ONE]] * factors[j + ONE]
            j += TWO
        if j < stop:
            even += values[indices[j]] if factors is None else values[indices[j]] * factors[j]
            j += ONE
        sums[v] = even + odd
