# mypy: ignore-errors
"""A team of threads that runs one kernel together, meeting at barriers: a whole algorithm in one call.

Starting a piece of work from Python costs tens of microseconds; a barrier among running threads costs well under one.
An algorithm with thousands of short steps, such as a traversal of a road network, has to stay inside one compiled call.

Every kernel of a team takes ``(member, size, state, …)``. ``state`` is an array of int64 that the team shares, with one
number to a cache line (index times LINE): the barrier's own, the request to stop, and COUNTERS for the kernel's use.
"""

import numpy as np
from numba import types

from clew.engines.cpu import kernels_atomic as atomic
from clew.jit import njit

LINE = np.uint64(8)  # int64 numbers to a cache line
ARRIVED, ROUND, STOP, AGREED = (np.uint64(line) * LINE for line in range(4))
COUNTERS = 13
FIRST_COUNTER = 4
STATE_SIZE = (FIRST_COUNTER + COUNTERS) * int(LINE)
SPINS = 4000  # about ten microseconds; who waits longer gives the core to others

_give_way = types.ExternalFunction("sched_yield", types.int32())


@njit(cache=True, nogil=True, inline="always")
def counter(number):
    """Where counter ``number`` is in the state."""
    return np.uint64(FIRST_COUNTER + number) * LINE


@njit(cache=True, nogil=True)
def barrier(size, state):
    """Wait until all members are here. What any of them wrote before, all of them see after."""
    if size == 1:
        state[AGREED] = atomic.load(state, STOP)
        return
    turn = atomic.load(state, ROUND)
    if atomic.add(state, ARRIVED, np.int64(1)) == size - 1:
        # The last to come decides for all whether to stop, so that nobody leaves alone and lets the others wait.
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
    """Whether the caller asked to stop, at this moment: for loops without barriers, and for one member's decisions."""
    return atomic.load(state, STOP) != 0
