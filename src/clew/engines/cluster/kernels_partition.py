# mypy: ignore-errors
"""A keyed permutation of 0…n-1 that needs no table: rounds of multiplication and shift, all of them invertible.

The rounds permute the powers of two below 2n. A number at n or above is permuted again, until it is below n. Hubs are
dealt out among the segments of a grid, and a table of hashed places has those that moved.
"""

import numpy as np

from clew.jit import njit
from clew.kernels_search import first_from

ROUNDS = 3
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # of the hash of a place: 2^64 by the golden ratio
ONE = np.uint64(1)


@njit(nogil=True, cache=True)
def permute(values, size, bits, factors):
    """Replace every value by its place in the permutation."""
    mask, shift = np.uint64((1 << bits) - 1), np.uint64((bits + 1) // 2)
    for i in range(values.size):
        x = np.uint64(values[i])
        while True:
            for factor in factors:
                x = (x * factor + factor) & mask
                x ^= x >> shift
            if x < size:
                break
        values[i] = x


@njit(nogil=True, cache=True)
def restore(values, size, bits, factors, inverses):
    """The inverse of ``permute``."""
    mask, shift = np.uint64((1 << bits) - 1), np.uint64((bits + 1) // 2)
    for i in range(values.size):
        x = np.uint64(values[i])
        while True:
            for k in range(factors.size - 1, -1, -1):
                x ^= x >> shift
                x = ((x - factors[k]) * inverses[k]) & mask
            if x < size:
                break
        values[i] = x


@njit(nogil=True, cache=True)
def order_by_owner(owner, members):
    """Indices sorted by owner, equal ones in their order, and where every member's part begins and ends."""
    bounds = np.zeros(members + 1, np.int64)
    for k in range(owner.size):
        bounds[owner[k] + 1] += 1
    for member in range(members):
        bounds[member + 1] += bounds[member]
    place, order = bounds[:-1].copy(), np.empty(owner.size, np.int64)
    for k in range(owner.size):
        order[place[owner[k]]] = k
        place[owner[k]] += 1
    return order, bounds


@njit(nogil=True, cache=True)
def deal(out, into, used, room, segment):
    """Places for hubs, the heaviest first: in the row and in the column of segments that have the fewest edges so far.

    ``used`` has how many hubs a segment has, of ``room`` at most. They are at equal distances.
    """
    places = np.empty(out.size, np.int64)
    by_row, by_column = np.zeros(used.shape[0], np.int64), np.zeros(used.shape[1], np.int64)
    for k in range(out.size):
        row, column = -1, -1
        for i in range(used.shape[0]):
            if used[i].min() < room and (row < 0 or by_row[i] < by_row[row]):
                row = i
        for j in range(used.shape[1]):
            if used[row, j] < room and (column < 0 or by_column[j] < by_column[column]):
                column = j
        places[k] = (row * used.shape[1] + column) * segment + used[row, column] * (segment // room)
        used[row, column] += 1
        by_row[row] += out[k]
        by_column[column] += into[k]
    return places


@njit(nogil=True, cache=True)
def table(keys, values):
    """A hash table of places: a place or -1, and the place that it became."""
    bits = 4
    while 1 << bits < 4 * keys.size:
        bits += 1
    there, became = np.full(1 << bits, -1, np.int64), np.empty(1 << bits, np.int64)
    shift, mask = np.uint64(64 - bits), np.uint64((1 << bits) - 1)
    for k in range(keys.size):
        slot = np.uint64(keys[k]) * SPREAD >> shift
        while there[slot] >= 0:
            slot = (slot + ONE) & mask
        there[slot], became[slot] = keys[k], values[k]
    return there, became, shift


@njit(nogil=True, cache=True)
def look_up(places, there, became, shift):
    """Replace the places that are in a table."""
    mask = np.uint64(there.size - 1)
    for k in range(places.size):
        slot = np.uint64(places[k]) * SPREAD >> shift
        while there[slot] >= 0:
            if there[slot] == places[k]:
                places[k] = became[slot]
                break
            slot = (slot + ONE) & mask


@njit(nogil=True, cache=True)
def append(counts, filled, ids, weights, to_ids, to_weights):
    """Add the next ``counts`` edges to every row; ``filled`` says where each row ends, and advances."""
    taken = 0
    for row in range(filled.size):
        start = filled[row]
        for k in range(counts[row]):
            to_ids[start + k] = ids[taken + k]
            if weights is not None:
                to_weights[start + k] = weights[taken + k]
        taken += counts[row]
        filled[row] += counts[row]


@njit(nogil=True, cache=True)
def first_places(part, parts, rows, vertices, targets, places):
    """Where the first edge to every target, or else to the next vertex, is in the row of its vertex."""
    indptr, indices = rows
    for i in range(part * vertices.size // parts, (part + 1) * vertices.size // parts):
        u, v = np.uint64(vertices[i]), np.uint64(targets[i])
        places[i] = first_from(indices, indptr[u], indptr[u + ONE], v)
