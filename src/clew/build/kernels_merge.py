# mypy: ignore-errors
"""Merge equal neighbours in sorted rows, and drop self-loops, in place."""

import numpy as np

from clew.jit import njit

FIRST, MIN, MAX, SUM = range(4)


@njit(cache=True, nogil=True)
def merge_rows(part, bounds, indptr, indices, weights, mode, merge, drop_loops, lengths):
    """Compact every row of one block at its own start; lengths[row] becomes its new length.

    Returns (merged arcs, merged self-loops, dropped self-loops, sums that do not fit the weights' type).
    """
    merged = 0
    merged_loops = 0
    dropped = 0
    overflows = 0
    for row in range(bounds[part], bounds[part + 1]):
        start, stop = indptr[row], indptr[row + 1]
        if not (drop_loops or _repeats(indices, start, stop)):
            lengths[row] = stop - start
            continue
        to = start
        for i in range(start, stop):
            neighbor = indices[i]
            if drop_loops and neighbor == row:
                dropped += 1
            elif merge and to > start and indices[to - 1] == neighbor:
                merged += 1
                merged_loops += neighbor == row
                if weights is not None and mode != FIRST:
                    kept = weights[to - 1]
                    new = weights[i]
                    if mode == SUM:
                        total = weights.dtype.type(kept + new)
                        overflows += _overflowed(kept, new, total)
                        weights[to - 1] = total
                    elif kept == kept and (new != new or (mode == MIN and new < kept) or (mode == MAX and new > kept)):
                        weights[to - 1] = new  # NaN wins, as in NumPy's minimum and maximum
            else:
                indices[to] = neighbor
                if weights is not None:
                    weights[to] = weights[i]
                to += 1
        lengths[row] = to - start
    return merged, merged_loops, dropped, overflows


@njit(cache=True, nogil=True, inline="always")
def _repeats(indices, start, stop):
    """Whether a sorted row names a neighbour twice; most rows do not, and are left as they are."""
    mine = indices[start:stop]
    repeated = 0
    for i in range(1, mine.size):
        repeated += mine[i - 1] == mine[i]
    return repeated > 0


@njit(cache=True, nogil=True, inline="always")
def _overflowed(a, b, total):
    """Whether an integer sum wrapped around; sums of floats and bools never count as such."""
    if b >= 0:
        return total < a
    return total > a


@njit(cache=True, nogil=True)
def close_gaps(indptr, lengths, indices, weights):
    """Move every row left to where the one before it ends; returns the number of arcs that are left.

    Most rows end where the next begins and move as one run.
    """
    to = np.int64(0)
    run, end = np.int64(0), np.int64(0)  # rows that lie together and have not been moved yet
    for row in range(lengths.size):
        start, length = indptr[row], lengths[row]
        if start != end:
            to = _move(indices, weights, run, end, to)
            run, end = start, start
        indptr[row] = to + (end - run)
        end += length
    to = _move(indices, weights, run, end, to)
    indptr[lengths.size] = to
    return to


@njit(cache=True, nogil=True)
def _move(indices, weights, start, stop, to):
    """Copy start…stop-1 to ``to`` and what follows; returns where the copy ends."""
    if start != to:
        back = np.uint64(start - to)
        for i in range(np.uint64(start), np.uint64(stop)):
            indices[i - back] = indices[i]
        if weights is not None:
            for i in range(np.uint64(start), np.uint64(stop)):
                weights[i - back] = weights[i]
    return to + (stop - start)
