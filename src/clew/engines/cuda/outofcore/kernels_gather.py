# mypy: ignore-errors
"""Active rows of a chunk one after the other, by all threads."""

from __future__ import annotations

import numpy as np

from clew.jit import njit


@njit(cache=True, nogil=True)
def gather(piece, bounds, first, end, rank, low, high, before, source, target):
    """Copy what rows ``bounds[piece]``… have of entries ``low``…``high - 1`` to where the listed ones before end."""
    for i in range(bounds[piece], bounds[piece + 1]):
        start, stop, place = np.uint64(first[i]), np.uint64(end[i]), np.uint64(rank[i])
        start = start if start > low else low
        stop = stop if stop < high else high
        to = place - before if place > before else np.uint64(0)
        while start < stop:
            target[to] = source[start]
            start += np.uint64(1)
            to += np.uint64(1)
