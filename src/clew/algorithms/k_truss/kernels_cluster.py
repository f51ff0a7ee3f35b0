# mypy: ignore-errors
"""Triangles of edges, of which the row of one end is here and that of the other was fetched, with states of edges."""

import numpy as np

from clew.jit import njit
from clew.kernels_search import next_from

ONE = np.uint64(1)
GONE, STAYS, LEAVES = (np.uint8(state) for state in range(3))


@njit(cache=True, nogil=True)
def _next_shared(rows, state, there, j, stop, k, last):
    """Where the next neighbour is that both rows share, over edges that are not gone; ``stop`` if there is none."""
    fetched, states = there[2], there[3]
    while j < stop and k < last:
        w, x = rows[1][j], fetched[k]
        if w < x:
            j = next_from(rows[1], j, stop, x)
        elif x < w:
            k = next_from(fetched, k, last, w)
        elif state[j] == GONE or states[k] == GONE:
            j += ONE
            k += ONE
        else:
            return j, k
    return stop, last


@njit(cache=True, nogil=True)
def count(part, parts, rows, state, there, places, first, second, slots, counts):
    """The triangles of a share of the edges; ``there`` has where fetched rows begin and end, targets and states."""
    for i in range(part * places.size // parts, (part + 1) * places.size // parts):
        place, total = np.uint64(places[i]), 0
        stop, last = rows[0][place + ONE], np.uint64(there[1][slots[i]])
        j, k = _next_shared(rows, state, there, rows[0][place], stop, np.uint64(there[0][slots[i]]), last)
        while j < stop:
            total += 1
            j, k = _next_shared(rows, state, there, j + ONE, stop, k + ONE, last)
        counts[i] = total


@njit(cache=True, nogil=True)
def _before(a, b, c, d):
    """Whether the edge of a and b is before that of c and d, by smaller and then by larger ends."""
    low, high = min(a, b), max(a, b)
    return low < min(c, d) or (low == min(c, d) and high < max(c, d))


@njit(cache=True, nogil=True)
def others(rows, state, there, places, first, second, slots, ends):
    """Write the ends of edges that lose a triangle with edges that leave, as long as there is room; returns how many.

    If several edges of a triangle leave, the first of them reports it.
    """
    filled = 0
    for i in range(places.size):
        place, u, v = np.uint64(places[i]), np.int64(first[i]), np.int64(second[i])
        stop, last = rows[0][place + ONE], np.uint64(there[1][slots[i]])
        j, k = _next_shared(rows, state, there, rows[0][place], stop, np.uint64(there[0][slots[i]]), last)
        while j < stop:
            w = np.int64(rows[1][j])
            mine, other = state[j], there[3][k]
            reported = (mine == LEAVES and _before(u, w, u, v)) or (other == LEAVES and _before(v, w, u, v))
            if not reported:
                for x, edge in ((u, mine), (v, other)):
                    if edge == STAYS:
                        if filled < ends.shape[0]:
                            ends[filled, 0], ends[filled, 1] = min(x, w), max(x, w)
                        filled += 1
            j, k = _next_shared(rows, state, there, j + ONE, stop, k + ONE, last)
    return filled
