# mypy: ignore-errors
"""Communities: moves of vertices that raise the modularity.

Vertices are processed in batches. All members of the team choose moves for a batch, given the communities before it.
Then one member carries them out in order, and checks each against what the moves before it changed. So the result
depends on the batches, and not on the number of threads. Batches are short, so members never wait for each other at a
barrier: the one that completes the last choice carries out the moves.
"""

import numpy as np

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import STOP, counter
from clew.engines.cpu.team.kernels_intrinsics import borrowed, prefetch
from clew.engines.cpu.team.kernels_rounds import NONE, OPEN, OWN, is_first, is_last, open_round, take_ticket
from clew.jit import njit

CHUNK, LEAST_CHUNK = np.uint64(32), np.uint64(8)  # vertices that a member takes at a time
FEW = 4096  # vertices; of so few, every move is checked, since large batches would have most of them
LEAST_GAIN = 1e-12  # a smaller one may be a rounding error, and such moves would never end
MOST_SLACK = 1 << 29  # so that twice as much, taken from 0 by two members at once, is a number of 32 bits
ONE, EIGHT = np.uint64(1), np.uint64(8)
NOW = (4 + OWN) * 8  # where the state has what members know of the open round
FIRST, COUNT, CHOICES, BASE, STAMP, PASSES, MOVES = range(7)


@njit(cache=True, nogil=True)
def move(member, size, state, rows, strength, community, within, given, desk, batch, scales, longest, ahead, limit):
    """Move vertices to neighbours' communities while that raises the modularity; returns the number of moves.

    Parameters
    ----------
    rows
        Where every row starts and ends, neighbours and weights; no weights mean 1 each.
    strength
        The weight of every vertex's edges.
    community
        The community of every vertex. The refinement fills it: all vertices are alone at first.
    within
        Empty, or the communities to stay in, which the call before has improved. Then this is the refinement of
        Leiden: a vertex that is alone moves once, if it is well connected to its community.
    given
        The order of the first pass, or empty; and whether it is reversed.
    desk
        Arrays with room for the vertices of any level: ``lists``, ``parts`` and ``finer``, ``changed``, ``plan``, near.

        ``lists`` get the vertices to process; a flag per vertex to process in the next pass; and its slack. That is how
        much the weights of its edges to communities may change before another than the best may be better. Only a
        vertex without slack is processed again.

        ``parts`` get the strength and the number of vertices of every community; ``finer`` get those of the refinement.

        ``changed`` gets the last batch in which a vertex joined every community, that in which one left it, and the
        gain of the pass.

        ``plan`` has room for two batches: the community chosen, the weight of a vertex's edges to it and to its own
        community, and the slack.

        The last has zeros per member and vertex, and afterwards as well.
    batch
        How many vertices choose at once.
    scales
        The resolution divided by the strength of all vertices; slack per weight, and the gain below which a pass is the
        last one. Slack is a whole number, since the sum of such does not depend on the order.
    longest
        The largest number of neighbours.
    ahead
        How many edges ahead to prefetch neighbours' communities; 0 for not at all.
    limit
        The largest number of passes.
    """
    lists, parts, finer, changed, plan, near = desk
    rows, strength, within, scales = borrowed(rows), borrowed(strength), borrowed(within), borrowed(scales)
    lists, changed, plan, now = borrowed(lists), borrowed(changed), borrowed(plan), borrowed(state)[NOW:]
    bound, refining = (within, borrowed(parts)[0]), within.size > 0
    whole, sizes = borrowed(finer) if refining else borrowed(parts)
    parts = (borrowed(community), whole, sizes)
    chunk = batch if size == 1 else max(LEAST_CHUNK, min(CHUNK, batch // EIGHT))
    if is_first(state):
        _prepare(parts, strength, refining, given, lists, changed)
        now[COUNT] = community.size if limit > 0 else 0
        _open(state, now, batch, chunk, refining)
    near, seen = borrowed(near)[member], np.empty(longest, community.dtype)
    while True:
        ticket = take_ticket(state)
        if ticket == NONE:
            return now[MOVES]
        first, count, stamp = np.uint64(now[FIRST]), np.uint64(now[COUNT]), now[STAMP]
        number, choices = np.uint64(ticket - now[BASE]), np.uint64(now[CHOICES])
        last, here = min(first + batch, count), np.uint64(stamp % 2) * batch
        if number < choices:
            some = (first + number * chunk, min(first + (number + ONE) * chunk, last))
            _choose(some, rows, strength, parts, bound, lists[0], plan, here - first, scales, ahead, near, seen)
        else:
            low, high = first - batch, min(first, count)
            some = (low + (number - choices) * chunk, min(low + (number - choices + ONE) * chunk, high))
            _wake(some, size, rows, parts[0], lists, plan[0], batch - here - low, scales[1])
        if is_last(state):
            if first < count:
                some = (first, last, here - first, stamp, now[PASSES] > 0 or community.size <= FEW)
                now[MOVES] += _carry_out(some, rows, strength, parts, refining, lists, plan, scales[0], changed)
            now[FIRST] += batch
            if now[FIRST] >= now[COUNT] + (0 if refining else batch):  # one step more, to wake the last
                now[FIRST], now[PASSES] = 0, now[PASSES] + 1
                goes_on = now[PASSES] < limit and changed[2][0] >= scales[2]
                now[COUNT] = _refill(community.size, lists[0], lists[1]) if goes_on else 0
                changed[2][0] = 0.0
            _open(state, now, batch, chunk, refining)


@njit(cache=True, nogil=True)
def _prepare(parts, strength, refining, given, lists, changed):
    """Fill the arrays of the first pass."""
    community, totals, sizes = parts
    queue, awake, slack = lists
    count = np.uint64(community.size)
    order, backwards = given
    for i in range(count):
        v = count - ONE - i if backwards else i
        queue[i] = order[v] if order.size > 0 else v
        slack[i] = -1
        changed[0][i] = 0
        changed[1][i] = 0
        awake[i] = 0
        if refining:
            community[i], totals[i], sizes[i] = i, strength[i], 1
        else:
            totals[i], sizes[i] = 0, 0
    awake[count : (count + EIGHT - ONE) // EIGHT * EIGHT] = 0
    changed[2][0] = 0.0
    if not refining:
        for v in range(count):
            totals[community[v]] += strength[v]
            sizes[community[v]] += 1


@njit(cache=True, nogil=True)
def _open(state, now, batch, chunk, refining):
    """Open the round of the next batch, in which the neighbours of the batch before wake up, too."""
    first, count = np.uint64(now[FIRST]), np.uint64(now[COUNT])
    choosing = min(first + batch, count) - min(first, count)
    waking = min(first, count) - (first - batch) if first > 0 and not refining else np.uint64(0)
    now[CHOICES] = (choosing + chunk - ONE) // chunk
    now[BASE] = state[counter(OPEN)]
    now[STAMP] += 1
    stops = atomic.load(state, STOP) != 0
    open_round(state, 0 if stops else now[CHOICES] + np.int64((waking + chunk - ONE) // chunk))


@njit(cache=True, nogil=True)
def _refill(count, queue, awake):
    """Put the vertices that are awake into the queue, in order; returns how many. Eight flags are read at a time."""
    length = np.uint64(0)
    eights = awake.view(np.uint64)
    for i in range((np.uint64(count) + EIGHT - ONE) // EIGHT):
        if eights[i]:
            for v in range(i * EIGHT, (i + ONE) * EIGHT):
                queue[length] = v
                length += np.uint64(awake[v])
            eights[i] = 0
    return np.int64(length)


@njit(cache=True, nogil=True)
def _choose(some, rows, strength, parts, bound, queue, plan, here, scales, ahead, near, seen):
    """The best community for some vertices of the queue; of several, the first in its row.

    The plan of vertex ``i`` of the queue is in place ``i + here``.
    """
    starts, ends, neighbors, weights = rows
    community, totals, sizes = parts
    target, joining, staying, slacks = plan
    factor, grains, _ = scales
    unit = weights.size == 0
    final = np.uint64(neighbors.size) - ONE
    within, whole = bound
    refining = within.size > 0
    for i in range(some[0], some[1]):
        v = queue[i]
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
def _carry_out(some, rows, strength, parts, refining, lists, plan, factor, changed):
    """Move the vertices of the batch that still gain; returns how many. ``target`` becomes the community before.

    A move before it in the batch may have changed what a vertex gains. The totals are always up to date. With ``exact``
    the weights of edges are added up again where they may have become less good. That is the case if a vertex has
    joined the community that this one leaves, or has left the one that it joins. So no move lowers the modularity, and
    the passes end.
    """
    community, totals, sizes = parts
    queue, awake, slack = lists
    target, joining, staying, slacks = plan
    joined, left, gained = changed
    first, last, here, stamp, exact = some
    moves = 0
    for i in range(first, last):
        v = queue[i]
        c, d = community[v], target[here + i]
        target[here + i] = c
        if not refining:
            slack[v] = slacks[here + i]
        if c == d or (refining and sizes[c] != 1):
            continue
        into, stay = joining[here + i], staying[here + i]
        if exact and not refining and (joined[c] == stamp or left[d] == stamp):
            into, stay = _weights_to(rows, community, v, c, d)
        gain = into - stay - factor * strength[v] * (totals[d] - totals[c] + strength[v])
        if sizes[d] == 0 or gain <= LEAST_GAIN:
            if not refining and (joined[c] == stamp or left[c] == stamp or joined[d] == stamp or left[d] == stamp):
                awake[v] = 1
                slack[v] = -1
            continue
        community[v] = d
        totals[c] -= strength[v]
        totals[d] += strength[v]
        sizes[c] -= 1
        sizes[d] += 1
        gained[0] += gain
        left[c] = stamp
        joined[d] = stamp
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
def _wake(some, size, rows, community, lists, old, before, grains):
    """Take from the slack of moved vertices' neighbours, unless they are in the same community now.

    It falls by the weight of the edge, and by twice as much for those in the community that the vertex left. Vertices
    yet to be processed in this pass have none, and need no other.
    """
    starts, ends, neighbors, weights = rows
    queue, awake, slack = lists
    unit = weights.size == 0
    for i in range(some[0], some[1]):
        v = queue[i]
        c, d = old[i + before], community[v]
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
