# mypy: ignore-errors
"""What the owner of vertices answers to walks: a random neighbour, and whether there is an edge. And what walks ask.

A walk is at some step and attempt, which select its random numbers, as in ``kernels.py``.
"""

import numpy as np

from clew.algorithms.random_walks.kernels import DRAWS, ONE
from clew.generate.kernels_random import below, bits, unit
from clew.jit import njit
from clew.kernels_search import first_above, has_edge

NOWHERE = np.int64(-1)
ALONE = np.int64(-2)  # ALONE - v: the vertex has no neighbour but v
ENDED, TAKEN, REFUSED, BY_EDGE = (np.uint8(verdict) for verdict in range(4))  # about a step


@njit(cache=True, nogil=True)
def begin(key, numbers, own):
    """The keys of the random numbers of some walks."""
    for i in range(numbers.size):
        own[i] = bits(key, np.uint64(numbers[i]))


@njit(cache=True, nogil=True)
def _draw_of(step, attempt):
    return (np.uint64(step) << DRAWS) + np.uint64(2 * attempt)


@njit(cache=True, nogil=True)
def draw(part, parts, left, walk, step, attempt, own, vertices, drawn):
    """Where the walks that are left are, and the random bits of their next steps."""
    for k in range(part * left.size // parts, (part + 1) * left.size // parts):
        i = left[k]
        vertices[k] = walk[i, step[i]]
        drawn[k] = bits(own[i], _draw_of(step[i], attempt[i]))


@njit(cache=True, nogil=True)
def judge(part, parts, left, walk, step, attempt, own, candidates, back, out, verdicts):
    """Whether each walk takes the step to the neighbour that was found; makes that a plain vertex."""
    for k in range(part * left.size // parts, (part + 1) * left.size // parts):
        i, verdicts[k] = left[k], TAKEN
        if candidates[k] == NOWHERE:
            verdicts[k] = ENDED
        elif candidates[k] <= ALONE:
            candidates[k] = ALONE - candidates[k]
        elif step[i] > 0 and not (back == 1.0 and out == 1.0):
            limit = unit(bits(own[i], _draw_of(step[i], attempt[i]) + ONE)) * max(back, out, 1.0)
            if candidates[k] == walk[i, step[i] - 1]:
                verdicts[k] = TAKEN if limit < back else REFUSED
            elif limit >= min(out, 1.0):
                verdicts[k] = BY_EDGE if limit < max(out, 1.0) else REFUSED


@njit(cache=True, nogil=True)
def go_on(left, walk, step, attempt, candidates, verdicts, length):
    """Take the steps that were accepted; returns how many walks are left, which move to the front."""
    count = 0
    for k in range(left.size):
        i = left[k]
        attempt[i] += 1
        if verdicts[k] == TAKEN:
            step[i] += 1
            attempt[i] = 0
            walk[i, step[i]] = candidates[k]
        if verdicts[k] != ENDED and step[i] < length:
            left[count] = i
            count += 1
    return count


@njit(cache=True, nogil=True)
def neighbors(part, parts, rows, sums, places, drawn, candidates):
    """A random neighbour of every place; ``sums`` is None where edges are equally likely."""
    indptr, indices = rows
    for i in range(part * places.size // parts, (part + 1) * places.size // parts):
        u = np.uint64(places[i])
        start, stop = indptr[u], indptr[u + ONE]
        if start == stop or (sums is not None and not sums[stop - ONE] > 0.0):
            candidates[i] = NOWHERE
            continue
        if sums is None:
            v = np.int64(indices[start + below(drawn[i], stop - start)])
        else:
            v = np.int64(indices[first_above(sums, start, stop, unit(drawn[i]) * sums[stop - ONE])])
        candidates[i] = ALONE - v if stop - start == ONE else v


@njit(cache=True, nogil=True)
def are_edges(part, parts, rows, places, targets, linked):
    """Whether there is an edge from every place to its target."""
    for i in range(part * places.size // parts, (part + 1) * places.size // parts):
        linked[i] = has_edge(rows, np.uint64(places[i]), np.uint64(targets[i]))
