# mypy: ignore-errors
"""A queue that a team fills together: each member collects some, then appends them at once."""

import numpy as np

from clew.engines.cpu import kernels_atomic as atomic
from clew.jit import njit

SPARE = 1024  # what a member collects before it appends


@njit(cache=True, nogil=True)
def append(state, tail, queue, spare, filled):
    """Move ``spare[:filled]`` to the end of the queue, whose length is ``state[tail]``."""
    if filled > 0:
        place = np.uint64(atomic.add(state, tail, np.int64(filled)))
        for i in range(filled):
            queue[place + np.uint64(i)] = spare[i]
