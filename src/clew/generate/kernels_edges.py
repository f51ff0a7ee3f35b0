# mypy: ignore-errors
"""Edges drawn one by one, each from its own random numbers: R-MAT, uniform, and preferential attachment."""

import numpy as np

from clew.generate.kernels_random import below, bits
from clew.jit import njit

LEVELS = 5  # of the recursion per draw: 4^5 outcomes, whose table of 8 KiB stays in the first-level cache
_INDEX_BITS = np.uint64(2 * LEVELS)
_INDEX_SHIFT = np.uint64(64 - 2 * LEVELS)
_ALIAS = np.uint64((1 << 2 * LEVELS) - 1)
_ROW_SHIFT = np.uint64(LEVELS)
_COLUMN = np.uint64((1 << LEVELS) - 1)


@njit(cache=True, nogil=True)
def recursive_edges(part, parts, key, scale, table, source, target):
    """R-MAT: every draw from the alias table (see ``alias``) gives LEVELS bits of both ids, the highest first."""
    size = source.size
    draws = (scale + LEVELS - 1) // LEVELS
    # Where LEVELS does not divide scale, the last draw gives bits too many. Levels are independent of each other, so
    # shifting the excess out leaves the others as they should be.
    excess = np.uint64(draws * LEVELS - scale)
    for i in range(part * size // parts, (part + 1) * size // parts):
        counter = np.uint64(i) * np.uint64(draws)
        u = np.uint64(0)
        v = np.uint64(0)
        for draw in range(draws):
            x = bits(key, counter + np.uint64(draw))
            own = x >> _INDEX_SHIFT
            column = table[own]
            # No branch, which no processor could predict: LLVM makes this a conditional move.
            outcome = own if (x << _INDEX_BITS) < (column & ~_ALIAS) else column & _ALIAS
            u = (u << _ROW_SHIFT) | (outcome >> _ROW_SHIFT)
            v = (v << _ROW_SHIFT) | (outcome & _COLUMN)
        source[i] = u >> excess
        target[i] = v >> excess


@njit(cache=True, nogil=True)
def uniform_edges(part, parts, key, num_vertices, source, target):
    """Both endpoints drawn from all vertices."""
    size = source.size
    limit = np.uint64(num_vertices)
    for i in range(part * size // parts, (part + 1) * size // parts):
        counter = np.uint64(2 * i)
        source[i] = below(bits(key, counter), limit)
        target[i] = below(bits(key, counter + np.uint64(1)), limit)


@njit(cache=True, nogil=True)
def attached_edges(part, parts, key, per_vertex, source, target):
    """Preferential attachment: edges in order, those of the seed (a complete graph) first.

    All endpoints in that order form a sequence in which a vertex stands as often as its degree. A new edge's target is
    a copy of a random earlier place in it. Instead of looking at that place, which another thread may not have filled
    yet, we compute what it must hold: either it is known outright or it is a target, whose own random number leads
    further back.
    """
    size = source.size
    seed_vertices = per_vertex + 1
    seed_edges = seed_vertices * per_vertex // 2
    # In the sequence every seed vertex stands per_vertex times; which of the equal places is whose does not matter.
    seed_places = 2 * seed_edges
    for i in range(part * size // parts, (part + 1) * size // parts):
        if i < seed_edges:
            u, v = _seed_edge(i)
            source[i] = u
            target[i] = v
            continue
        edge = i - seed_edges
        source[i] = seed_vertices + edge // per_vertex
        while True:
            # Only places before the vertex's own edges: no self-loops.
            limit = seed_places + 2 * per_vertex * (edge // per_vertex)
            place = np.int64(below(bits(key, np.uint64(edge)), np.uint64(limit)))
            if place < seed_places:
                target[i] = place // per_vertex
                break
            edge = (place - seed_places) >> 1
            if (place - seed_places) & 1 == 0:
                target[i] = seed_vertices + edge // per_vertex
                break


@njit(cache=True, nogil=True)
def _seed_edge(i):
    """Edge i of the pairs (1, 0), (2, 0), (2, 1), (3, 0), …"""
    u = np.int64((1 + np.sqrt(1 + 8 * i)) / 2)
    while u * (u - 1) // 2 > i:  # the square root may be off by one in either direction
        u -= 1
    while u * (u + 1) // 2 <= i:
        u += 1
    return u, i - u * (u - 1) // 2
