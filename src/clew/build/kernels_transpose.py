# mypy: ignore-errors
"""Rows turned into columns, and what needs both views at once."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def count_columns(part, bounds, indptr, indices, counts):
    """counts[t, v] = arcs into v from block t of the rows."""
    mine = counts[part]
    targets = indices[indptr[bounds[part]] : indptr[bounds[part + 1]]]
    for i in range(targets.size):
        mine[targets[i]] += ONE


@njit(cache=True, nogil=True)
def column_totals(part, parts, counts):
    """The number of arcs into one part of the vertices."""
    num_vertices = counts.shape[1]
    total = np.uint64(0)
    for block in range(counts.shape[0]):
        mine = counts[block, part * num_vertices // parts : (part + 1) * num_vertices // parts]
        for v in range(mine.size):
            total += mine[v]
    return total


@njit(cache=True, nogil=True)
def column_places(part, parts, counts, starts, indptr):
    """Turn counts into the places where each block of rows writes; fills the offsets of the transposed rows."""
    num_vertices = counts.shape[1]
    place = starts[part]
    first = part * num_vertices // parts
    mine = counts[:, first : (part + 1) * num_vertices // parts]
    for v in range(mine.shape[1]):
        indptr[first + v] = place
        for block in range(mine.shape[0]):
            count = mine[block, v]
            mine[block, v] = place
            place += count


@njit(cache=True, nogil=True)
def place_columns(part, bounds, indptr, indices, weights, places, to_indices, to_weights):
    """Rows are visited in ascending order, so the transposed rows come out sorted."""
    mine = places[part]
    for u in range(bounds[part], bounds[part + 1]):
        start = indptr[u]
        targets = indices[start : indptr[u + 1]]
        for i in range(targets.size):
            v = targets[i]
            place = mine[v]
            mine[v] = place + ONE
            to_indices[place] = u
            if weights is not None:
                to_weights[place] = weights[start + i]


@njit(cache=True, nogil=True)
def first_asymmetry(indptr, indices, weights):
    """The first arc (u, v) without an equal (v, u), or (-1, -1).

    Rows are sorted and visited in ascending order, so what u must find in row v is always what comes next there.
    Parallel edges may list their weights in another order in the other row, so those are compared as sets.
    """
    num_vertices = indptr.size - 1
    place = indptr[:-1].copy()
    for u in range(num_vertices):
        i = indptr[u]
        while i < indptr[u + 1]:
            v = indices[i]
            stop = i + 1
            while stop < indptr[u + 1] and indices[stop] == v:
                stop += 1
            back = place[v]
            count = stop - i
            if back + count > indptr[v + 1]:
                return u, v
            for j in range(back, back + count):
                if indices[j] != u:
                    return u, v
            if weights is not None:
                if count == 1:
                    if weights[i] != weights[back]:
                        return u, v
                elif not np.array_equal(np.sort(weights[i:stop]), np.sort(weights[back : back + count])):
                    return u, v
            place[v] = back + count
            i = stop
    return -1, -1


@njit(cache=True, nogil=True)
def sources(part, bounds, indptr, out):
    """The source of every arc, in order."""
    for u in range(bounds[part], bounds[part + 1]):
        for i in range(indptr[u], indptr[u + 1]):
            out[i] = u


@njit(cache=True, nogil=True)
def count_kept(part, bounds, indptr, indices, keep, lengths):
    """lengths[u] = arcs of u whose both ends are kept (0 for a vertex that is not)."""
    for u in range(bounds[part], bounds[part + 1]):
        length = 0
        if keep[u]:
            for i in range(indptr[u], indptr[u + 1]):
                length += keep[indices[i]]
        lengths[u] = length


@njit(cache=True, nogil=True)
def move_rows(part, bounds, indptr, indices, weights, keep, new_ids, to_indptr, to_indices, to_weights):
    """Write the kept arcs of every kept vertex to the row of its new id; rows are not sorted afterwards."""
    for u in range(bounds[part], bounds[part + 1]):
        if keep[u]:
            place = to_indptr[new_ids[u]]
            for i in range(indptr[u], indptr[u + 1]):
                v = indices[i]
                if keep[v]:
                    to_indices[place] = new_ids[v]
                    if weights is not None:
                        to_weights[place] = weights[i]
                    place += 1


@njit(cache=True, nogil=True)
def count_loops(part, bounds, indptr, indices):
    """The number of arcs from a vertex of one block to itself, found by bisection in the sorted rows."""
    found = 0
    for u in range(bounds[part], bounds[part + 1]):
        low, high = indptr[u], indptr[u + 1]
        while low < high:
            middle = (low + high) // 2
            if indices[middle] < u:
                low = middle + 1
            else:
                high = middle
        while low < indptr[u + 1] and indices[low] == u:
            found += 1
            low += 1
    return found
