# mypy: ignore-errors
"""Kernels of the generators: each edge, row or weight from its own random numbers, so parts are independent."""

import numpy as np

from clew.generate.kernels_random import below, bits, unit
from clew.jit import njit

LEVELS = 5  # of the recursion per draw: 4^5 outcomes, whose table of 8 KiB stays in the first-level cache
SOME = 1 << 8  # edges that are drawn level by level
_INDEX_BITS = np.uint64(2 * LEVELS)
_INDEX_SHIFT = np.uint64(64 - 2 * LEVELS)
_ALIAS = np.uint64((1 << 2 * LEVELS) - 1)
_ROW_SHIFT = np.uint64(LEVELS)
_COLUMN = np.uint64((1 << LEVELS) - 1)


@njit(cache=True, nogil=True)
def recursive_edges(part, parts, first, key, scale, table, source, target):
    """R-MAT from edge ``first`` on: a draw from the alias table gives LEVELS bits of both ids, the highest first.

    Some edges are drawn level by level. The loop that makes random bits has no look-ups, so LLVM vectorizes it.
    """
    size = source.size
    draws = (scale + LEVELS - 1) // LEVELS
    # Where LEVELS does not divide scale, the last draw gives bits too many. Levels are independent of each other, so
    # shifting the excess out leaves the others as they should be.
    excess, step = np.uint64(draws * LEVELS - scale), np.uint64(draws)
    random, starts, ends = np.empty(SOME, np.uint64), np.empty(SOME, np.uint64), np.empty(SOME, np.uint64)
    stop = (part + 1) * size // parts
    for begin in range(part * size // parts, stop, SOME):
        count, counter = np.uint64(min(SOME, stop - begin)), np.uint64(first + begin) * step
        starts[:] = 0
        ends[:] = 0
        for draw in range(draws):
            for k in range(count):
                random[k] = bits(key, counter + np.uint64(draw) + k * step)
            for k in range(count):
                x = random[k]
                own = x >> _INDEX_SHIFT
                column = table[own]
                # No branch, which no processor could predict: LLVM makes this a conditional move.
                outcome = own if (x << _INDEX_BITS) < (column & ~_ALIAS) else column & _ALIAS
                starts[k] = (starts[k] << _ROW_SHIFT) | (outcome >> _ROW_SHIFT)
                ends[k] = (ends[k] << _ROW_SHIFT) | (outcome & _COLUMN)
        for k in range(count):
            source[np.uint64(begin) + k] = starts[k] >> excess
            target[np.uint64(begin) + k] = ends[k] >> excess


@njit(cache=True, nogil=True)
def uniform_edges(part, parts, first, key, num_vertices, source, target):
    """Both endpoints drawn from all vertices, from edge ``first`` on."""
    size = source.size
    limit = np.uint64(num_vertices)
    for i in range(part * size // parts, (part + 1) * size // parts):
        counter = np.uint64(2 * (first + i))
        source[i] = below(bits(key, counter), limit)
        target[i] = below(bits(key, counter + np.uint64(1)), limit)


@njit(cache=True, nogil=True)
def attached_edges(part, parts, first, key, per_vertex, source, target):
    """Preferential attachment from edge ``first`` on; those of the seed (a complete graph) come first of all.

    All endpoints in that order form a sequence in which a vertex stands as often as its degree. A new edge's target is
    a copy of a random earlier place in it. Another thread may not have filled that entry yet, so its value is computed.
    Either it is known at once, or it is a target, whose own random number leads further back.
    """
    size = source.size
    seed_vertices = per_vertex + 1
    seed_edges = seed_vertices * per_vertex // 2
    # In the sequence every seed vertex stands per_vertex times; which of the equal places is whose does not matter.
    seed_places = 2 * seed_edges
    for i in range(part * size // parts, (part + 1) * size // parts):
        if first + i < seed_edges:
            u, v = _seed_edge(first + i)
            source[i] = u
            target[i] = v
            continue
        edge = first + i - seed_edges
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


@njit(cache=True, nogil=True)
def clique_starts(key, largest, starts):
    """Fill in where cliques start, with sizes uniform in 1…largest, up to starts[-1], the number of vertices.

    Returns how many there are. The last one is cut off where the vertices end.
    """
    end = starts[-1]
    place = 0
    count = 0
    while place < end:
        starts[count] = place
        place += 1 + np.int64(below(bits(key, np.uint64(count)), np.uint64(largest)))
        count += 1
    return count


@njit(cache=True, nogil=True)
def clique_edges(part, parts, key, starts, probability, places, source, target):
    """Write the edges of one part of the cliques from places[part] on, or, where ``source`` is None, count them."""
    cliques = starts.size - 1
    size = starts[cliques]
    place = places[part]
    for clique in range(part * cliques // parts, (part + 1) * cliques // parts):
        first, end = starts[clique], starts[clique + 1]
        for u in range(first, end):
            for v in range(u + 1, end):
                if source is not None:
                    source[place] = u
                    target[place] = v
                place += 1
            distance = 1
            chance = probability
            counter = np.uint64(u) << np.uint64(6)  # there are fewer than 64 distances
            while distance < size:
                v = (u + distance) % size
                if not first <= v < end and unit(bits(key, counter)) < chance:
                    if source is not None:
                        source[place] = u
                        target[place] = v
                    place += 1
                distance *= 2
                chance *= 0.5
                counter += np.uint64(1)
    return place - places[part]


# The eight neighbours of a cell in the order of their ids. An edge is numbered by its upper (or left) end and by its
# direction from there: 0 right, 1 down, 2 down and left, 3 down and right.
_ROW_STEP = (-1, -1, -1, 0, 0, 1, 1, 1)
_COLUMN_STEP = (-1, 0, 1, -1, 1, -1, 0, 1)
_DIRECTION = (3, 1, 2, 0, 0, 2, 1, 3)


@njit(cache=True, nogil=True)
def grid_rows(part, parts, key, height, width, diagonals, delete, indptr, indices):
    """Write the neighbours of v from indptr[v] on, or, where ``indices`` is None, count them in indptr[v + 1]."""
    size = height * width
    for v in range(part * size // parts, (part + 1) * size // parts):
        row = v // width
        column = v - row * width
        place = 0 if indices is None else indptr[v]
        for step in range(8):
            down, right = _ROW_STEP[step], _COLUMN_STEP[step]
            r, c = row + down, column + right
            if (down != 0 and right != 0 and not diagonals) or r < 0 or r >= height or c < 0 or c >= width:
                continue
            neighbor = r * width + c
            edge = np.uint64(4 * min(v, neighbor) + _DIRECTION[step])
            if delete > 0 and unit(bits(key, edge)) < delete:
                continue
            if indices is not None:
                indices[place] = neighbor
            place += 1
        if indices is None:
            indptr[v + 1] = place


@njit(cache=True, nogil=True)
def ring_edges(part, parts, key, num_vertices, half, rewire, source, target, rewired):
    """The lattice, and which of its edges to rewire."""
    size = source.size
    for slot in range(part * size // parts, (part + 1) * size // parts):
        u = slot // half
        v = u + 1 + slot - u * half
        source[slot] = u
        target[slot] = v if v < num_vertices else v - num_vertices
        rewired[slot] = unit(bits(key, np.uint64(slot))) < rewire


@njit(cache=True, nogil=True)
def new_targets(part, parts, key, first_counter, num_vertices, half, slots, chosen):
    """A random vertex for every slot that is neither its own vertex nor one of the lattice's neighbours."""
    size = slots.size
    limit = np.uint64(num_vertices - 1 - 2 * half)
    for i in range(part * size // parts, (part + 1) * size // parts):
        slot = slots[i]
        step = half + 1 + np.int64(below(bits(key, np.uint64(first_counter + slot)), limit))
        chosen[i] = (slot // half + step) % num_vertices


@njit(cache=True, nogil=True)
def _arc_bits(key, u, v, occurrence):
    """A hash of an edge: its endpoints, the smaller first, and which one of several equal edges it is."""
    x = bits(key, np.uint64(min(u, v)))
    x = bits(x, np.uint64(max(u, v)))
    return bits(x, np.uint64(occurrence))


@njit(cache=True, nogil=True)
def integer_weights(part, bounds, indptr, indices, key, low, span, weights):
    """Integers low…low+span-1 (any 64 bits where span is 0), as the unsigned integers that share their bits.

    Adding wraps around and storing cuts off, so one loop serves signed and unsigned weights of all widths.
    """
    for u in range(bounds[part], bounds[part + 1]):
        occurrence = 0
        for i in range(indptr[u], indptr[u + 1]):
            v = indices[i]
            occurrence = occurrence + 1 if i > indptr[u] and indices[i - 1] == v else 0
            x = _arc_bits(key, u, v, occurrence)
            weights[i] = low + (x if span == 0 else below(x, span))


@njit(cache=True, nogil=True)
def float_weights(part, bounds, indptr, indices, key, low, span, largest, weights):
    """Floats in [low, low + span), of which ``largest`` is the largest: rounding must not make one equal to the end."""
    for u in range(bounds[part], bounds[part + 1]):
        occurrence = 0
        for i in range(indptr[u], indptr[u + 1]):
            v = indices[i]
            occurrence = occurrence + 1 if i > indptr[u] and indices[i - 1] == v else 0
            weights[i] = min(low + unit(_arc_bits(key, u, v, occurrence)) * span, largest)
