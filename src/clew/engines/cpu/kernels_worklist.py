# mypy: ignore-errors
"""Lists of vertices that a team works through and fills together.

Members take pieces of a list from a shared counter, so that a hub delays one member only, and collect what they find
in a buffer of their own before they append it: an atomic operation for every vertex would cost more than the work.
"""

import numpy as np

from clew.engines.cpu import kernels_atomic as atomic
from clew.engines.cpu.kernels_team import counter
from clew.jit import njit

CHUNK = np.uint64(64)  # vertices a member takes at a time
SPARE = 1024  # vertices a member collects before it appends them


@njit(cache=True, nogil=True)
def take(state, number, count):
    """The next piece (start, stop) of a list of ``count`` entries by counter ``number``; empty when all are taken."""
    start = np.uint64(atomic.add(state, counter(number), np.int64(CHUNK)))
    return start, min(start + CHUNK, count)


@njit(cache=True, nogil=True)
def keep(state, number, entries, spare, filled, vertex):
    """Collect ``vertex``; returns how many are collected now. ``flush`` appends the last of them."""
    spare[filled] = vertex
    if filled + 1 < SPARE:
        return filled + 1
    flush(state, number, entries, spare, SPARE)
    return 0


@njit(cache=True, nogil=True)
def flush(state, number, entries, spare, filled):
    """Append what was collected to the shared list, whose length is counter ``number``."""
    append(state, counter(number), entries, spare, filled)


@njit(cache=True, nogil=True)
def append(state, tail, queue, spare, filled):
    """Move ``spare[:filled]`` to the end of the queue, whose length is ``state[tail]``."""
    if filled > 0:
        place = np.uint64(atomic.add(state, tail, np.int64(filled)))
        for i in range(filled):
            queue[place + np.uint64(i)] = spare[i]
