# mypy: ignore-errors
"""The first and the last step of a search, by all threads: records of vertices, and what they say as arrays."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def begin(piece, bounds, state, nothing):
    """Nobody has been reached."""
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        state[v].best = nothing
        state[v].id = v


@njit(cache=True, nogil=True)
def end(piece, bounds, state, unreached, top, nothing, value, parent):
    """What a vertex is worth, or ``top`` less that where it is given, and the vertex before it; how many have both."""
    count = np.int64(0)
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        best = state[v].best
        worth = best >> 32
        if worth == unreached:
            value[v] = nothing
            parent[v] = -1
        else:
            value[v] = worth if top is None else top - worth
            parent[v] = best & 4294967295
            count += 1
    return count


@njit(cache=True, nogil=True)
def fill(piece, bounds, array, number):
    """A share of an array."""
    for k in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        array[k] = number
