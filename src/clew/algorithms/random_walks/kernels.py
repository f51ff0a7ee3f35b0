# mypy: ignore-errors
"""Random walks: every walk has its own stream of random numbers, so any thread can do it.

A step of node2vec draws a neighbour as other walks do, and takes it with a probability in proportion to its bias. If
it does not, it draws again (Yang et al., "KnightKing", SOSP 2019). So no table for pairs of edges is needed.
"""

import numpy as np

from clew.generate.kernels_random import below, bits, unit
from clew.jit import njit
from clew.kernels_search import first_above, has_edge

ONE = np.uint64(1)
TOGETHER = np.uint64(16)  # walks that a thread does in turn
DRAWS = np.uint64(21)  # bits of the numbers of one step: two for every attempt


@njit(cache=True, nogil=True)
def running_sums(part, bounds, rows, weights, sums):
    """The sum of the weights of a row, up to and including every entry."""
    for u in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        total = 0.0
        for j in range(rows[0][u], rows[0][u + ONE]):
            total += weights[j]
            sums[j] = total


@njit(cache=True, nogil=True)
def walk(part, parts, rows, sums, starts, key, length, back, out, walks):
    """Fill a share of the walks; ``sums`` is None where edges are equally likely.

    ``back`` and ``out`` are the biases 1 / p and 1 / q.
    """
    number = np.uint64(starts.size)
    first, last = np.uint64(part) * number // np.uint64(parts), np.uint64(part + 1) * number // np.uint64(parts)
    for i in range(first, last):
        walks[i, 0] = starts[i]
    for block in range(first, last, TOGETHER):
        for step in range(np.uint64(length)):  # of several walks in turn: while one waits for memory, others go on
            for i in range(block, min(block + TOGETHER, last)):
                walks[i, step + ONE] = _next(rows, sums, bits(key, i), walks[i], step, back, out)


@njit(cache=True, nogil=True)
def _next(rows, sums, own, walk, step, back, out):
    """Where a walk goes on to, or -1."""
    indptr, indices = rows
    if walk[step] < 0:
        return np.int64(-1)
    u = np.uint64(walk[step])
    start, stop = indptr[u], indptr[u + ONE]
    if start == stop or (sums is not None and not sums[stop - ONE] > 0.0):
        return np.int64(-1)
    draw = np.uint64(step) << DRAWS
    while True:
        chosen = bits(own, draw)
        if sums is None:
            v = indices[start + below(chosen, stop - start)]
        else:
            v = indices[first_above(sums, start, stop, unit(chosen) * sums[stop - ONE])]
        if step == 0 or (back == 1.0 and out == 1.0) or stop - start == ONE:
            return np.int64(v)
        before = np.uint64(walk[step - ONE])
        bias = back if v == before else 1.0 if has_edge(rows, before, v) else out
        if unit(bits(own, draw + ONE)) * max(back, out, 1.0) < bias:
            return np.int64(v)
        draw += ONE + ONE
