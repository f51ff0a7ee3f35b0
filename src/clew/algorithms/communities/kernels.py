# mypy: ignore-errors
"""Communities: moves of vertices that raise the modularity, and the graph whose vertices are communities.

Vertices are processed in batches. All members of the team choose moves for a batch, given the communities before it.
Then one member carries them out in order, and checks each against what the moves before it changed. So the result
depends on the batches, and not on the number of threads.
"""

import numpy as np

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import all_stop, barrier, counter, take_chunk
from clew.engines.cpu.team.kernels_intrinsics import prefetch
from clew.jit import njit

CHUNK = 32  # vertices that a member takes at a time
FEW = 4096  # vertices; of so few, every move is checked, since large batches would have most of them
LEAST_GAIN = 1e-12  # a smaller one may be a rounding error, and such moves would never end
MOST_SLACK = 1 << 29  # so that twice as much, taken from 0 by two members at once, is a number of 32 bits
ONE, EIGHT = np.uint64(1), np.uint64(8)
TAKEN, WAKING, LENGTH = range(3)  # counters


@njit(cache=True, nogil=True)
def move(member, size, state, rows, strength, parts, bound, lists, plan, factor, grains, longest, ahead, max_passes):
    """Move vertices to neighbours' communities while that raises the modularity; returns the number of moves.

    Parameters
    ----------
    rows
        Where every row starts and ends, neighbours and weights; no weights mean 1 each.
    strength
        The weight of every vertex's edges.
    parts
        The community of every vertex; the strength and the number of vertices of every community.
    bound
        Two arrays, empty or of the communities to stay in: that of every vertex, and the strength of each. Then this is
        the refinement of Leiden: a vertex that is alone moves once, if it is well connected to its community.
    lists
        The vertices in the order of the first pass; a flag per vertex to process in the next pass; and its slack,
        negative for all. That is how much the weights of its edges to communities may change before another than the
        best may be better. Only a vertex without slack is processed again.
    plan
        Room for two batches: the community chosen, the weight of a vertex's edges to it and to its own community, and
        the slack.
    factor
        The resolution divided by the strength of all vertices.
    grains
        Slack per weight: whole numbers, since their sums do not depend on the order. 1 where weights count edges.
    longest
        The largest number of neighbours.
    ahead
        How many edges ahead to prefetch neighbours' communities; 0 for not at all.
    """
    community, scales = parts[0], (factor, grains)
    queue, awake, _ = lists
    num_vertices = np.uint64(community.size)
    batch = np.uint64(plan[0].size // 2)
    near = np.zeros(num_vertices, rows[3].dtype)
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
                _wake(size, state, rows, community, lists, plan[0], grains, first - batch, min(first, count), before)
            if first < count:
                _choose(state, rows, strength, parts, bound, queue, plan, scales, ahead, near, seen, first, last, here)
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
    """Put the vertices that are awake into the queue, in order; returns how many. Eight flags are read at a time."""
    length = np.uint64(0)
    eights = awake.view(np.uint64)
    for i in range(np.uint64(eights.size)):
        if eights[i]:
            for v in range(i * EIGHT, (i + ONE) * EIGHT):
                queue[length] = v
                length += np.uint64(awake[v])
            eights[i] = 0
    return np.int64(length)


@njit(cache=True, nogil=True)
def _choose(state, rows, strength, parts, bound, queue, plan, scales, ahead, near, seen, first, last, here):
    """The best community for every vertex of the batch that this member takes; of several, the first in its row."""
    starts, ends, neighbors, weights = rows
    community, totals, sizes = parts
    target, joining, staying, slacks = plan
    factor, grains = scales
    unit = weights.size == 0
    final = np.uint64(neighbors.size) - ONE
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
            expected = factor * strength[v]
            count = np.uint64(0)
            if refining:
                home = within[v]
                for j in range(starts[v], ends[v]):
                    u = neighbors[j]
                    inner = (within[u] == home) & (u != v)  # as a branch, it would be mispredicted at every other edge
                    c = community[u]
                    before = near[c]
                    seen[count] = c
                    count += np.uint64((before == 0) & inner)
                    near[c] = before + (inner if unit else (weights[j] if inner else 0))
            else:
                for j in range(starts[v], ends[v]):
                    if ahead > 0:
                        prefetch(community, np.uint64(neighbors[min(j + ahead, final)]))
                    u = neighbors[j]
                    c = community[u]
                    before = near[c]
                    seen[count] = c
                    count += np.uint64(before == 0)
                    near[c] = before + ((u != v) if unit else (weights[j] if u != v else 0))
            stay = np.float64(near[own])
            near[own] = 0  # so that its gain below is less than this one, which does not count v itself
            best, most, into = own, stay - expected * (totals[own] - strength[v]), stay
            second, linked = 0.0, 0.0
            for k in range(count):
                c = seen[k]
                weight = np.float64(near[c])
                near[c] = 0
                linked += weight
                gain = weight - expected * totals[c]
                second = max(second, min(gain, most))
                if gain > most:
                    best, most, into = c, gain, weight
            if refining and linked < expected * (whole[within[v]] - strength[v]):
                best = own
            target[here + i] = best
            joining[here + i] = into
            staying[here + i] = stay
            slacks[here + i] = np.int32(min(max(most - second, 0.0) * grains, MOST_SLACK))


@njit(cache=True, nogil=True)
def _carry_out(rows, strength, parts, bound, lists, plan, factor, first, last, here, changed, stamp, exact):
    """Move the vertices of the batch that still gain; returns how many. ``target`` becomes the community before.

    A move before it in the batch may have changed what a vertex gains. The totals are always up to date. With ``exact``
    the weights of edges are too, so that no move lowers the modularity, and the passes end.
    """
    community, totals, sizes = parts
    queue, awake, slack = lists
    target, joining, staying, slacks = plan
    refining = bound[0].size > 0
    moves = 0
    for i in range(last - first):
        v = queue[first + i]
        c, d = community[v], target[here + i]
        target[here + i] = c
        if not refining:
            slack[v] = slacks[here + i]
        if c == d or (refining and sizes[c] != 1):
            continue
        into, stay = joining[here + i], staying[here + i]
        if exact and not refining and (changed[c] == stamp or changed[d] == stamp):
            into, stay = _weights_to(rows, community, v, c, d)
        gain = into - stay - factor * strength[v] * (totals[d] - totals[c] + strength[v])
        if sizes[d] == 0 or gain <= LEAST_GAIN:
            awake[v] = not refining
            slack[v] = -1
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
    starts, ends, neighbors, weights = rows
    into, stay = 0.0, 0.0
    for j in range(starts[v], ends[v]):
        u = neighbors[j]
        if u != v:
            weight = 1.0 if weights.size == 0 else weights[j]
            if community[u] == d:
                into += weight
            elif community[u] == c:
                stay += weight
    return into, stay


@njit(cache=True, nogil=True)
def _wake(size, state, rows, community, lists, old, grains, first, last, before):
    """Take from the slack of moved vertices' neighbours, unless they are in the same community now.

    It falls by the weight of the edge, and by twice as much for those in the community that the vertex left. Vertices
    yet to be processed in this pass have none, and need no other.
    """
    starts, ends, neighbors, weights = rows
    queue, awake, slack = lists
    unit = weights.size == 0
    length = last - first
    while True:
        low, high = take_chunk(state, WAKING, CHUNK, length)
        if low >= length:
            return
        for i in range(low, high):
            v = queue[first + i]
            c, d = old[before + i], community[v]
            if c == d:
                continue
            for j in range(starts[v], ends[v]):
                u = neighbors[j]
                if slack[u] < 0 or community[u] == d:
                    continue
                change = -np.int32(1 if unit else min(np.ceil(weights[j] * grains), MOST_SLACK))
                change = np.int32(change + change) if community[u] == c else change
                if size == 1:
                    left = np.int32(slack[u] + change)
                    slack[u] = left
                else:
                    left = np.int32(atomic.add(slack, np.uint64(u), change) + change)
                if left < 0:
                    awake[u] = 1


@njit(cache=True, nogil=True)
def number(label, numbers):
    """Replace labels by 0, 1, … in their order; returns how many there are."""
    place = np.zeros(label.size, label.dtype)
    for c in label:
        place[c] = 1
    count = 0
    for c in range(np.uint64(place.size)):
        used = place[c]
        place[c] = count
        count += used
    for v in range(np.uint64(label.size)):
        numbers[v] = place[label[v]]
    return count


@njit(cache=True, nogil=True)
def tally(community, strength, totals, sizes):
    """Add up the strength and the number of vertices of every community, in arrays that are zeros before."""
    for v in range(np.uint64(community.size)):
        totals[community[v]] += strength[v]
        sizes[community[v]] += 1


@njit(cache=True, nogil=True)
def group(part, rows, firsts, order, room):
    """Sort vertices by their part: ``order`` has them, and ``firsts`` where each part starts; zeros before.

    ``room`` gets the sums of the lengths of rows in the parts before.
    """
    starts, ends = rows[0], rows[1]
    for v in range(np.uint64(part.size)):
        firsts[part[v] + ONE] += ONE
        room[part[v] + ONE] += ends[v] - starts[v]
    for p in range(np.uint64(firsts.size) - ONE):
        firsts[p + ONE] += firsts[p]
        room[p + ONE] += room[p]
    place = firsts.copy()
    for v in range(np.uint64(part.size)):
        order[place[part[v]]] = v
        place[part[v]] += ONE


@njit(cache=True, nogil=True)
def contract(member, size, state, rows, strength, part, groups, room, ends_above, edges_above, strength_above):
    """The graph whose vertices are parts, without edges inside parts; p's row is from room[p] to ends_above[p].

    ``groups`` are where each part starts in a list of vertices, and the list.
    """
    starts, ends, neighbors, weights = rows
    firsts, order = groups
    new_neighbors, new_weights = edges_above
    unit = weights.size == 0
    parts = np.uint64(firsts.size - 1)
    near = np.zeros(parts, weights.dtype)
    while True:
        low, high = take_chunk(state, TAKEN, CHUNK, parts)
        if low >= parts:
            break
        for p in range(low, high):
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
    barrier(size, state)


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
def strengths(piece, bounds, rows, strength):
    """The weight of every vertex's edges; a loop counts twice, as its two ends are here."""
    starts, ends, neighbors, weights = rows
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        total = weights.dtype.type(0)
        for j in range(starts[v], ends[v]):
            weight = 1 if weights.size == 0 else weights[j]
            total += weight + weight * (neighbors[j] == v)
        strength[v] = total
