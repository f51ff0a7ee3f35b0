# mypy: ignore-errors
"""Active rows of a chunk one after the other, by all threads."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def gather(piece, bounds, first, length, place, source, target):
    """Copy rows ``bounds[piece]``… of those that begin at ``first`` to ``place``."""
    for i in range(bounds[piece], bounds[piece + 1]):
        start, to = first[i], place[i]
        for k in range(length[i]):
            target[to + k] = source[start + k]
