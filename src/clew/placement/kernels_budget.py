# mypy: ignore-errors
"""How hot vertices are, by rank and by the visits of random walks."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # the step of the splitmix64 generator, and its two multipliers
MIX = np.uint64(0xBF58476D1CE4E5B9)
TOGETHER = 32  # walks
MIX_AGAIN = np.uint64(0x94D049BB133111EB)


@njit(cache=True, nogil=True)
def pass_on(piece, bounds, outgoing, rank, passed):
    """What every vertex of one block passes to each vertex that its edges lead to."""
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        degree = outgoing[v + ONE] - outgoing[v]
        passed[v] = rank[v] / np.float32(degree) if degree > 0 else np.float32(0)


@njit(cache=True, nogil=True)
def collect(piece, bounds, damping, indptr, indices, passed, rank):
    """One round of PageRank for one block of rows of the in-edges."""
    base = np.float32(1) - damping
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        total = np.float32(0)
        for i in range(indptr[v], indptr[v + ONE]):
            total += passed[indices[i]]
        rank[v] = base + damping * total


@njit(cache=True, nogil=True)
def walk(piece, pieces, seed, indptr, indices, visits):
    """Random walks from random vertices, a piece of the rows of ``visits``: those vertices, a column for every walk.

    A walk that can go no further starts again elsewhere. Which way walk k goes depends on the seed and k alone. A few
    take their steps by turns: each waits for memory at every step, and so they wait together.
    """
    num_vertices = np.uint64(indptr.size - 1)
    states, at = np.empty(TOGETHER, np.uint64), np.empty(TOGETHER, np.uint64)
    first, last = piece * visits.shape[1] // pieces, (piece + 1) * visits.shape[1] // pieces
    for start in range(first, last, TOGETHER):
        count = min(TOGETHER, last - start)
        for j in range(count):
            states[j], number = _next(seed + np.uint64(start + j) * MIX)
            at[j] = number % num_vertices
        for step in range(visits.shape[0]):
            for j in range(count):
                v = at[j]
                visits[step, start + j] = v
                states[j], number = _next(states[j])
                degree = indptr[v + ONE] - indptr[v]
                at[j] = np.uint64(indices[indptr[v] + number % degree]) if degree > 0 else number % num_vertices


@njit(cache=True, nogil=True)
def _next(state):
    """The next state of splitmix64, and its number."""
    state += GOLDEN
    number = (state ^ (state >> np.uint64(30))) * MIX
    number = (number ^ (number >> np.uint64(27))) * MIX_AGAIN
    return state, number ^ (number >> np.uint64(31))
