# mypy: ignore-errors
"""What vertices share with those two steps away, a range of edges at a time."""

import numpy as np

from clew.algorithms.similarity.kernels import insert, score
from clew.jit import njit


@njit(cache=True, nogil=True)
def end_of_batch(slots, lengths, arc, room, turn, stamp):
    """Where a batch ends that begins at an edge: the rows of its distinct targets fit, or it has one edge."""
    taken = 0
    for j in range(arc, slots.size):
        if stamp[slots[j]] != turn:
            taken += lengths[slots[j]]
            if taken > room and j > arc:
                return j
            stamp[slots[j]] = turn
    return slots.size


@njit(cache=True, nogil=True)
def best_of_batch(part, parts, span, indptr, ids, targets, there, others, count, before, left, method, similar, scores):
    """Add up what the sources of a range of edges share with others, and list the best of those that are complete.

    Parameters
    ----------
    span
        The first edge, and the edge behind the last one.
    indptr, ids
        Where the edges of every source begin, and its id.
    targets
        For every edge of the range, the row of its target, and what this neighbour counts.
    there
        Where the rows begin and end, and the places in ``others`` of the vertices in them.
    others, count
        Vertices, and how many neighbours each has.
    before, left
        What the first source shares with them already, and what is left for the next batch. That is what the last
        source shares, if it has more edges.
    """
    (arc, end), (rows, values), (begin, stop, items) = span, targets, there
    first = np.searchsorted(indptr, arc, "right") - 1
    size = np.searchsorted(indptr, end - 1, "right") - first
    totals, near = np.zeros(others.size), np.empty(others.size, np.int64)
    for u in range(first + part * size // parts, first + (part + 1) * size // parts):
        found = 0
        if u == first:
            for c in range(before.size):
                if before[c] > 0.0:
                    totals[c] = before[c]
                    near[found] = c
                    found += 1
        for j in range(max(arc, indptr[u]), min(end, indptr[u + 1])):
            value, row = values[j - arc], rows[j - arc]
            if value == 0.0:  # no source shares this neighbour
                continue
            for i in range(np.uint64(begin[row]), np.uint64(stop[row])):
                c = np.uint64(items[i])
                if totals[c] == 0.0:
                    near[found] = c
                    found += 1
                totals[c] += value
        complete = indptr[u + 1] <= end
        for i in range(found):
            c = near[i]
            if not complete:
                left[c] = totals[c]
            elif others[c] != ids[u]:
                one = indptr[u + 1] - indptr[u]
                insert(similar[u], scores[u], others[c], score(method, totals[c], one, count[c]))
            totals[c] = 0.0
