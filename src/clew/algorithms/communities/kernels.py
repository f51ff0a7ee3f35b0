# mypy: ignore-errors
"""Communities: moves of vertices that raise the modularity, and the graph whose vertices are communities.

Vertices are processed in batches. All members of the team choose moves for a batch, given the communities before it.
Then one member carries them out in order, and checks each against what the moves before it changed. So the result
depends on the batches, and not on the number of threads.
"""

import numpy as np

from clew.engines.cpu.team.kernels import all_stop, barrier, counter, take_chunk
from clew.jit import njit

CHUNK = 32  # vertices that a member takes at a time
FEW = 4096  # vertices; of so few, every move is checked, since large batches would have most of them
LEAST_GAIN = 1e-12  # a smaller one may be a rounding error, and such moves would never end
ONE = np.uint64(1)
TAKEN, WAKING, LENGTH = range(3)  # counters


@njit(cache=True, nogil=True)
def move(member, size, state, rows, strength, parts, bound, lists, plan, factor, longest, max_passes):
    """Move vertices to neighbours' communities while that raises the modularity; returns the number of moves.

    Parameters
    ----------
    rows
        Offsets, neighbours and weights; no weights mean 1 each.
    strength
        The weight of every vertex's edges.
    parts
        The community of every vertex; the strength and the number of vertices of every community.
    bound
        Two arrays, empty or of the communities to stay in: that of every vertex, and the strength of each. Then this is
        the refinement of Leiden: a vertex that is alone moves once, if it is well connected to its community.
    lists
        The vertices in the order of the first pass, and a flag per vertex: to be processed in the next pass.
    plan
        Room for two batches: the community chosen, and the weight of a vertex's edges to it and to its own community.
    factor
        The resolution divided by the strength of all vertices.
    longest
        The largest number of neighbours.
    """
    community = parts[0]
    queue, awake = lists
    num_vertices = np.uint64(community.size)
    batch = np.uint64(plan[0].size // 2)
    near = np.zeros(num_vertices, np.float64)
    seen = np.empty(longest, community.dtype)
    changed = np.zeros(num_vertices, np.int64)  # the last batch that changed a community; only member 0 uses it
    moves, passes, stamp = 0, 0, 0
    count = num_vertices
    while count > 0 and passes < max_passes and not all_stop(state):
        exact = passes > 0 or num_vertices <= FEW
        first = np.uint64(0)
        while first < count + batch:  # one step more than there are batches, to wake the neighbours of the last one
            last = min(first + batch, count)
            stamp += 1
            here, before = np.uint64(stamp % 2) * batch, np.uint64((stamp + 1) % 2) * batch
            if bound[0].size == 0 and first > 0:
                _wake(state, rows, community, lists, plan[0], first - batch, min(first, count), before)
            if first < count:
                _choose(state, rows, strength, parts, bound, queue, plan, factor, near, seen, first, last, here)
            barrier(size, state)
            if member == 0:
                if first < count:
                    moves += _carry_out(
                        rows, strength, parts, bound, lists, plan, factor, first, last, here, changed, stamp, exact
                    )
                state[counter(TAKEN)] = 0
                state[counter(WAKING)] = 0
            barrier(size, state)
            first += batch
        if member == 0:
            state[counter(LENGTH)] = _refill(queue, awake)
        barrier(size, state)
        count = np.uint64(state[counter(LENGTH)])
        passes += 1
    return moves


@njit(cache=True, nogil=True)
def _refill(queue, awake):
    """Put the vertices that are awake into the queue, in order; returns how many."""
    length = 0
    for v in range(np.uint64(awake.size)):
        if awake[v]:
            awake[v] = 0
            queue[length] = v
            length += 1
    return length


@njit(cache=True, nogil=True)
def _choose(state, rows, strength, parts, bound, queue, plan, factor, near, seen, first, last, here):
    """The best community for every vertex of the batch that this member takes."""
    offsets, neighbors, weights = rows
    community, totals, sizes = parts
    target, joining, staying = plan
    unit = weights.size == 0
    within, whole = bound
    refining = within.size > 0
    length = last - first
    while True:
        low, high = take_chunk(state, TAKEN, CHUNK, length)
        if low >= length:
            return
        for i in range(low, high):
            v = queue[first + i]
            own = community[v]
            target[here + i] = own
            if refining and sizes[own] != 1:
                continue
            count, linked = 0, 0.0
            for j in range(offsets[v], offsets[v + ONE]):
                u = neighbors[j]
                if u == v or (refining and within[u] != within[v]):
                    continue
                c = community[u]
                if near[c] == 0.0:
                    seen[count] = c
                    count += 1
                weight = 1.0 if unit else weights[j]
                near[c] += weight
                linked += weight
            expected = factor * strength[v]
            loose = refining and linked < expected * (whole[within[v]] - strength[v])
            stay = near[own]
            best, most, into = own, stay - expected * (totals[own] - strength[v]), stay
            for k in range(count):
                c = seen[k]
                weight = near[c]
                near[c] = 0.0
                gain = weight - expected * totals[c]
                if c != own and not loose and (gain > most or (gain == most and best != own and c < best)):
                    best, most, into = c, gain, weight
            target[here + i] = best
            joining[here + i] = into
            staying[here + i] = stay


@njit(cache=True, nogil=True)
def _carry_out(rows, strength, parts, bound, lists, plan, factor, first, last, here, changed, stamp, exact):
    """Move the vertices of the batch that still gain; returns how many. ``target`` becomes the community before.

    A move before it in the batch may have changed what a vertex gains. The totals are always up to date. With ``exact``
    the weights of edges are too, so that no move lowers the modularity, and the passes end.
    """
    community, totals, sizes = parts
    queue, awake = lists
    target, joining, staying = plan
    refining = bound[0].size > 0
    moves = 0
    for i in range(last - first):
        v = queue[first + i]
        c, d = community[v], target[here + i]
        target[here + i] = c
        if c == d or (refining and sizes[c] != 1):
            continue
        into, stay = joining[here + i], staying[here + i]
        if exact and not refining and (changed[c] == stamp or changed[d] == stamp):
            into, stay = _weights_to(rows, community, v, c, d)
        gain = into - stay - factor * strength[v] * (totals[d] - totals[c] + strength[v])
        if sizes[d] == 0 or gain <= LEAST_GAIN:
            awake[v] = not refining
            continue
        community[v] = d
        totals[c] -= strength[v]
        totals[d] += strength[v]
        sizes[c] -= 1
        sizes[d] += 1
        changed[c] = stamp
        changed[d] = stamp
        moves += 1
    return moves


@njit(cache=True, nogil=True)
def _weights_to(rows, community, v, c, d):
    """The weight of the edges of ``v`` to community d, and to the others in its own, c."""
    offsets, neighbors, weights = rows
    into, stay = 0.0, 0.0
    for j in range(offsets[v], offsets[v + ONE]):
        u = neighbors[j]
        if u != v:
            weight = 1.0 if weights.size == 0 else weights[j]
            if community[u] == d:
                into += weight
            elif community[u] == c:
                stay += weight
    return into, stay


@njit(cache=True, nogil=True)
def _wake(state, rows, community, lists, old, first, last, before):
    """Mark the neighbours of moved vertices, unless they are in the same community now."""
    offsets, neighbors, _ = rows
    queue, awake = lists
    length = last - first
    while True:
        low, high = take_chunk(state, WAKING, CHUNK, length)
        if low >= length:
            return
        for i in range(low, high):
            v = queue[first + i]
            if community[v] != old[before + i]:
                for j in range(offsets[v], offsets[v + ONE]):
                    if community[neighbors[j]] != community[v]:
                        awake[neighbors[j]] = 1


@njit(cache=True, nogil=True)
def group(part, starts, order):
    """Sort vertices by their part: ``order`` has them, and ``starts``, zeros before, where each part starts."""
    for p in part:
        starts[p + ONE] += ONE
    for p in range(np.uint64(starts.size) - ONE):
        starts[p + ONE] += starts[p]
    place = starts.copy()
    for v in range(np.uint64(part.size)):
        order[place[part[v]]] = v
        place[part[v]] += ONE


@njit(cache=True, nogil=True)
def contract(member, size, state, rows, part, starts, order, room, lengths, new_neighbors, new_weights):
    """The rows of the graph whose vertices are parts, without edges inside parts; part p's row starts at room[p]."""
    offsets, neighbors, weights = rows
    unit = weights.size == 0
    parts = np.uint64(starts.size - 1)
    near = np.zeros(parts, np.float64)
    while True:
        low, high = take_chunk(state, TAKEN, CHUNK, parts)
        if low >= parts:
            break
        for p in range(low, high):
            end = room[p]
            for i in range(starts[p], starts[p + ONE]):
                v = order[i]
                for j in range(offsets[v], offsets[v + ONE]):
                    q = part[neighbors[j]]
                    if q != p:
                        if near[q] == 0.0:
                            new_neighbors[end] = q
                            end += ONE
                        near[q] += 1.0 if unit else weights[j]
            for k in range(room[p], end):
                q = new_neighbors[k]
                new_weights[k] = near[q]
                near[q] = 0.0
            lengths[p] = end - room[p]
    barrier(size, state)


@njit(cache=True, nogil=True)
def close_gaps(piece, pieces, room, offsets, neighbors, weights, new_neighbors, new_weights):
    """Copy rows that start at ``room`` to where ``offsets`` says."""
    rows = np.uint64(offsets.size - 1)
    for p in range(np.uint64(piece) * rows // np.uint64(pieces), np.uint64(piece + 1) * rows // np.uint64(pieces)):
        shift = room[p] - offsets[p]
        for k in range(offsets[p], offsets[p + ONE]):
            new_neighbors[k] = neighbors[k + shift]
            new_weights[k] = weights[k + shift]


@njit(cache=True, nogil=True)
def split(rows, community, pieces, stack):
    """Number the connected pieces of all communities in ``pieces``; returns how many there are."""
    offsets, neighbors, _ = rows
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
            for j in range(offsets[v], offsets[v + ONE]):
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
    offsets, neighbors, weights = rows
    total = 0.0
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        for j in range(offsets[v], offsets[v + ONE]):
            u = neighbors[j]
            if community[u] == community[v]:
                weight = 1.0 if weights.size == 0 else weights[j]
                total += weight + weight if u == v else weight
    return total


@njit(cache=True, nogil=True)
def strengths(piece, bounds, rows, strength):
    """The weight of every vertex's edges; a loop counts twice, as its two ends are here."""
    offsets, neighbors, weights = rows
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        total = 0.0
        for j in range(offsets[v], offsets[v + ONE]):
            weight = 1.0 if weights.size == 0 else weights[j]
            total += weight + weight if neighbors[j] == v else weight
        strength[v] = total
