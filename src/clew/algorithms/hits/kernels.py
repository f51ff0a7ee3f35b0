# mypy: ignore-errors
"""Hubs and authorities alternate: authorities from hubs over in-edges, hubs from authorities over out-edges."""

import numpy as np

from clew.engines.cpu.team.kernels import barrier, counter, row_sums, stopped, take_block
from clew.engines.cpu.team.kernels_intrinsics import nanoseconds
from clew.jit import njit

AUTHORITY, HUB, CHANGE = range(3)  # the passes of a round: counters, and rows of the sums
LEAVE = 3


@njit(cache=True, nogil=True)
def hits(
    member, size, state, ahead, in_bounds, out_bounds, into, out, limits, hub, authority, fresh, sums, trace, begun
):
    """Fill ``hub`` and ``authority``, both summing to 1; returns the number of rounds and whether they met the limit.

    ``into`` and ``out`` are (indptr, indices), unsigned. ``limits`` is (tolerance, most rounds). ``fresh`` is room for
    new hubs, ``sums`` for three numbers per block. ``trace`` gets the change of every round, ``begun`` its start, and
    the end of the last one.
    """
    tolerance, most_rounds = limits
    if member == 0:
        begun[0] = nanoseconds()
    for step in range(most_rounds):
        if member == 0:  # one member decides for all: the answer may change between two reads
            state[counter(LEAVE)] = np.int64(stopped(state))
        _gather(size, state, AUTHORITY, step, in_bounds, into, ahead, hub, authority, 1.0, sums)
        barrier(size, state)
        leave = state[counter(LEAVE)]
        _gather(size, state, HUB, step, out_bounds, out, ahead, authority, fresh, 1.0 / _total(sums, AUTHORITY), sums)
        barrier(size, state)
        _settle(size, state, step, out_bounds, hub, fresh, 1.0 / _total(sums, HUB), sums)
        barrier(size, state)
        change = _total(sums, CHANGE)
        if member == 0 and step < trace.size:
            trace[step] = change
            begun[step + 1] = nanoseconds()
        if change < tolerance or leave:
            return step + 1, change < tolerance
    return most_rounds, False


@njit(cache=True, nogil=True)
def _gather(size, state, number, step, bounds, rows, ahead, values, scores, factor, sums):
    """One pass over all rows: the sum over each row's neighbours, times ``factor``."""
    blocks = bounds.size - 1
    block = take_block(size, state, number, step, blocks)
    while block < blocks:
        total = 0.0
        first, last = np.uint64(bounds[block]), np.uint64(bounds[block + 1])
        row_sums(first, last, rows, ahead, None, values, scores)
        for v in range(first, last):
            scores[v] *= factor
            total += scores[v]
        sums[number, block] = total
        block = take_block(size, state, number, step, blocks)


@njit(cache=True, nogil=True)
def _settle(size, state, step, bounds, hub, fresh, factor, sums):
    """Take the new hubs, scaled, and sum up by how much they differ from the old ones."""
    blocks = bounds.size - 1
    block = take_block(size, state, CHANGE, step, blocks)
    while block < blocks:
        change = 0.0
        for v in range(np.uint64(bounds[block]), np.uint64(bounds[block + 1])):
            new = fresh[v] * factor
            change += abs(new - hub[v])
            hub[v] = new
        sums[CHANGE, block] = change
        block = take_block(size, state, CHANGE, step, blocks)


@njit(cache=True, nogil=True)
def _total(sums, number):
    total = 0.0
    for block in range(sums.shape[1]):
        total += sums[number, block]
    return total
