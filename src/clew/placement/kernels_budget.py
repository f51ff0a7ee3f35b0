# mypy: ignore-errors
"""Filling a budget of bytes, hottest first; and how hot vertices are, by rank and by the visits of random walks."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # the step of the splitmix64 generator, and its two multipliers
MIX = np.uint64(0xBF58476D1CE4E5B9)
MIX_AGAIN = np.uint64(0x94D049BB133111EB)


@njit(cache=True, nogil=True)
def fill(order, sizes, budget, fast):
    """Take vertices in order, each if it still fits: one row too large must not leave the memory empty."""
    left = budget
    for i in range(np.uint64(order.size)):
        v = order[i]
        if sizes[v] <= left:
            left -= sizes[v]
            fast[v] = True


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
    """Random walks visits[piece], visits[piece + pieces], … from random vertices, a row of visited vertices each.

    A walk that can go no further starts again elsewhere. Which way walk k goes depends on the seed and k alone.
    """
    num_vertices = np.uint64(indptr.size - 1)
    for k in range(piece, visits.shape[0], pieces):
        state = seed + np.uint64(k) * MIX
        state, number = _next(state)
        v = number % num_vertices
        for step in range(visits.shape[1]):
            visits[k, step] = v
            state, number = _next(state)
            degree = indptr[v + ONE] - indptr[v]
            v = np.uint64(indices[indptr[v] + number % degree]) if degree > 0 else number % num_vertices


@njit(cache=True, nogil=True)
def _next(state):
    """The next state of splitmix64, and its number."""
    state += GOLDEN
    number = (state ^ (state >> np.uint64(30))) * MIX
    number = (number ^ (number >> np.uint64(27))) * MIX_AGAIN
    return state, number ^ (number >> np.uint64(31))
