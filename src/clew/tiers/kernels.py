# mypy: ignore-errors
"""Reading in order, writing in order, reading at random: one piece each, on 64-bit numbers."""

import numpy as np

from clew.jit import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX = np.uint64(0xBF58476D1CE4E5B9)
HALF = np.uint64(32)


@njit(cache=True, nogil=True)
def read(piece, pieces, values):
    """The sum of one piece, so that the compiler cannot skip reading it."""
    mine = values[piece * values.size // pieces : (piece + 1) * values.size // pieces]
    total = np.uint64(0)
    for i in range(mine.size):
        total += mine[i]
    return total


@njit(cache=True, nogil=True)
def write(piece, pieces, values, value):
    """One piece filled with a value."""
    mine = values[piece * values.size // pieces : (piece + 1) * values.size // pieces]
    for i in range(mine.size):
        mine[i] = value


@njit(cache=True, nogil=True)
def read_at_random(piece, count, values):
    """The sum of ``count`` numbers at random places. The places do not depend on the numbers, so loads overlap."""
    state = np.uint64(piece + 1) * MIX
    size = np.uint64(values.size)
    total = np.uint64(0)
    for _ in range(count):
        state += GOLDEN
        number = (state ^ (state >> np.uint64(30))) * MIX
        total += values[((number >> HALF) * size) >> HALF]  # for up to 2^32 numbers; a division would take longer
    return total
