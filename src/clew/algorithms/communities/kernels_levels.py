# mypy: ignore-errors
"""Levels of communities: numbers of labels, the graph whose vertices are parts, connected pieces, the modularity."""

import numpy as np

from clew.engines.cpu.team.kernels_rounds import NONE, is_first, is_last, open_round, take_ticket
from clew.jit import njit

CHUNK = np.uint64(32)  # parts that a member takes at a time
ONE, TWO = np.uint64(1), np.uint64(2)


@njit(cache=True, nogil=True)
def number(label, numbers, place):
    """Replace labels by 0, 1, … in their order; returns how many there are. ``place`` is for labels."""
    place[: label.size] = 0
    for c in label:
        place[c] = 1
    count = 0
    for c in range(np.uint64(label.size)):
        used = place[c]
        place[c] = count
        count += used
    for v in range(np.uint64(label.size)):
        numbers[v] = place[label[v]]
    return count


@njit(cache=True, nogil=True)
def lengths(starts, ends):
    """The sum of the lengths of rows, and the largest."""
    total, most = np.uint64(0), np.uint64(0)
    for v in range(np.uint64(starts.size)):
        total += ends[v] - starts[v]
        most = max(most, ends[v] - starts[v])
    return total, most


@njit(cache=True, nogil=True)
def lift(label, part, above):
    """Give every part the label of its vertices."""
    for v in range(np.uint64(part.size)):
        above[part[v]] = label[v]


@njit(cache=True, nogil=True)
def group(part, rows, firsts, order, room):
    """Sort vertices by their part: ``order`` has them, and ``firsts`` where each part starts.

    ``firsts`` has room for more. ``room`` gets the sums of the lengths of rows in the parts before.
    """
    starts, ends = rows[0], rows[1]
    firsts[: room.size + 1] = 0
    room[:] = 0
    for v in range(np.uint64(part.size)):
        firsts[part[v] + TWO] += ONE
        room[part[v] + ONE] += ends[v] - starts[v]
    for p in range(np.uint64(room.size) - ONE):
        firsts[p + TWO] += firsts[p + ONE]
        room[p + ONE] += room[p]
    for v in range(np.uint64(part.size)):  # where the next of a part is to go becomes where the part after it starts
        order[firsts[part[v] + ONE]] = v
        firsts[part[v] + ONE] += ONE


@njit(cache=True, nogil=True)
def contract(member, size, state, rows, strength, part, groups, room, ends_above, edges_above, strength_above, near):
    """The graph whose vertices are parts, without edges inside parts; p's row is from room[p] to ends_above[p].

    ``groups`` are where each part starts in a list of vertices, and the list. ``near`` are zeros per member and vertex.
    """
    starts, ends, neighbors, weights = rows
    firsts, order = groups
    new_neighbors, new_weights = edges_above
    unit = weights.size == 0
    parts = np.uint64(ends_above.size)
    near = near[member]
    if is_first(state):
        open_round(state, np.int64((parts + CHUNK - ONE) // CHUNK))
    while True:
        ticket = take_ticket(state)
        if ticket == NONE:
            return
        low = np.uint64(ticket) * CHUNK
        for p in range(low, min(low + CHUNK, parts)):
            end, strong, near[p] = room[p], 0.0, 1  # p itself is near, so that it is not listed
            for i in range(firsts[p], firsts[p + ONE]):
                v = order[i]
                strong += strength[v]
                for j in range(starts[v], ends[v]):
                    q = part[neighbors[j]]
                    before = near[q]
                    new_neighbors[end] = q
                    end += np.uint64(before == 0)
                    near[q] = before + (1 if unit else weights[j])
            near[p] = 0
            for k in range(room[p], end):
                q = new_neighbors[k]
                new_weights[k] = near[q]
                near[q] = 0
            ends_above[p] = end
            strength_above[p] = strong
        if is_last(state):
            open_round(state, 0)


@njit(cache=True, nogil=True)
def split(rows, community, pieces, stack):
    """Number the connected pieces of all communities in ``pieces``; returns how many there are."""
    starts, ends, neighbors, _ = rows
    unknown = np.uint64(pieces.size)
    pieces[:] = unknown
    count = 0
    for start in range(unknown):
        if pieces[start] != unknown:
            continue
        pieces[start] = count
        stack[0] = start
        depth = 1
        while depth > 0:
            depth -= 1
            v = stack[depth]
            for j in range(starts[v], ends[v]):
                u = neighbors[j]
                if pieces[u] == unknown and community[u] == community[v]:
                    pieces[u] = count
                    stack[depth] = u
                    depth += 1
        count += 1
    return count


@njit(cache=True, nogil=True)
def inner_weight(piece, bounds, rows, community):
    """The weight of the arcs inside communities, of the rows from bounds[piece] to bounds[piece + 1]; a loop twice."""
    starts, ends, neighbors, weights = rows
    total = weights.dtype.type(0)  # without weights, a whole number, and no branch: several edges are added at once
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        for j in range(starts[v], ends[v]):
            u = neighbors[j]
            weight = 1 if weights.size == 0 else weights[j]
            total += (weight + weight * (u == v)) * (community[u] == community[v])
    return total


@njit(cache=True, nogil=True)
def outer_weight(rows, community):
    """The weight of the arcs between communities."""
    starts, ends, neighbors, weights = rows
    total = weights.dtype.type(0)
    for v in range(np.uint64(community.size)):
        for j in range(starts[v], ends[v]):
            weight = 1 if weights.size == 0 else weights[j]
            total += weight * (community[neighbors[j]] != community[v])
    return total


@njit(cache=True, nogil=True)
def by_size(label, sizes, order, places, numbers):
    """Number communities by decreasing size; of one size, that with the smallest vertex comes first.

    ``sizes``, ``order`` and ``places`` are room for as many numbers as there are vertices, and for two more places.
    """
    n = np.uint64(label.size)
    sizes[:n] = 0
    places[: n + ONE] = 0
    count = np.uint64(0)
    for c in label:
        order[count] = c
        count += np.uint64(sizes[c] == 0)
        sizes[c] += 1
    for k in range(count):
        places[sizes[order[k]]] += ONE
    before = np.uint64(0)
    for size in range(n, 0, -1):
        here = places[size]
        places[size] = before
        before += here
    for k in range(count):
        size = sizes[order[k]]
        sizes[order[k]] = places[size]
        places[size] += ONE
    for v in range(n):
        numbers[v] = sizes[label[v]]


@njit(cache=True, nogil=True)
def strengths(piece, bounds, rows, strength):
    """The weight of every vertex's edges; a loop counts twice, as its two ends are here."""
    starts, ends, neighbors, weights = rows
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        total = weights.dtype.type(0)
        for j in range(starts[v], ends[v]):
            weight = 1 if weights.size == 0 else weights[j]
            total += weight + weight * (neighbors[j] == v)
        strength[v] = total
