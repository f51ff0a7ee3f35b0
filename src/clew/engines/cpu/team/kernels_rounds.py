# mypy: ignore-errors
"""Rounds of chunks for a team, without barriers: the member that completes the last chunk opens the next round.

At a barrier, every member waits for all others. One that has not woken up yet, or has lost its core, delays them by as
much as a thousand short rounds take. Here a round waits for its chunks alone. A member that comes late takes chunks of
the round that is open then. If all rounds are over, the others did its share.

Tickets are the numbers of chunks, counted through all rounds. No member holds a ticket of a round that is not open. So
what the one between two rounds writes, no other reads at that time, and those of the next round see.
"""

import numpy as np
from numba import types

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import ROUND, SPINS, counter
from clew.jit import njit

BEGUN, GIVEN, COMPLETE, OPEN = range(4)  # counters; the kernel's own come after
OWN = 4
NONE = np.int64(-1)  # the ticket when all rounds are over
NEVER = np.int64(1) << 62

_give_way = types.ExternalFunction("sched_yield", types.int32())


@njit(cache=True, nogil=True)
def is_first(state):
    """Whether this member is the first to come, and has to open the first round."""
    return atomic.load(state, counter(BEGUN)) == 0 and atomic.add(state, counter(BEGUN), np.int64(1)) == 0


@njit(cache=True, nogil=True)
def open_round(state, chunks):
    """Let members take more chunks, once all before are complete; 0 ends the rounds."""
    state[ROUND] += 1
    before = atomic.load(state, counter(OPEN))
    atomic.store(state, counter(OPEN), np.int64(before + chunks) if chunks > 0 else NEVER)


@njit(cache=True, nogil=True)
def take_ticket(state):
    """The number of a chunk of the open round; waits for the next if none is left. NONE when the rounds are over."""
    spins = 0
    while True:
        given, limit = atomic.load(state, counter(GIVEN)), atomic.load(state, counter(OPEN))
        if limit == NEVER:
            return NONE
        if given < limit:
            if atomic.compare_and_swap(state, counter(GIVEN), given, np.int64(given + 1)):
                return given
        elif spins < SPINS:
            spins += 1
            atomic.relax()
        else:
            _give_way()


@njit(cache=True, nogil=True)
def is_last(state):
    """Whether the chunk that this member has just completed was the last of the round; then it opens the next."""
    complete = atomic.add(state, counter(COMPLETE), np.int64(1)) + 1
    return complete == atomic.load(state, counter(OPEN))
