# mypy: ignore-errors
"""Breadth-first search by members of a cluster: a level is an exchange along rows, a step on the block, and a fold.

Every member tells its row which of its vertices are new. A block follows their edges, by push or by pull as it pays for
the block itself. It offers to the owners in its column what it has not offered before. Both ways find the same origin,
the first row of the frontier. So a block may push alone, which needs no edges by target. Messages contain only vertices
that have edges in the block. Places are numbers in lists that members have agreed on.

No parents travel until the search is over. Then an owner asks, for every vertex, the member whose offer it took. It
takes that of its own block where there is one.

The number of new vertices travels in the heads of the messages: summed along the row, then along the column. So a level
that finds nothing ends the search, and needs no other exchange.
"""

import numpy as np

from clew.algorithms.bfs.kernels import ALPHA, BETA, GAMMA
from clew.engines.cluster.kernels_pause import pauses
from clew.engines.cluster.kernels_routes import numbers_of
from clew.engines.cluster.kernels_sockets import DONE, WAITING
from clew.engines.cluster.kernels_superstep import (
    FIRST,
    HEAD,
    PATIENCE,
    add,
    finish,
    message_from,
    message_to,
    pack,
    post,
    refuse,
    take,
    unpack,
)
from clew.engines.cpu.team.kernels_intrinsics import nanoseconds, trailing_zeros
from clew.jit import njit

PHASE, LEVEL, ROW_TOTAL, REACHED, LEFT, PULLS, NUMBERS = range(7)  # of the state
EXPAND, EXPANDING, FOLDING = range(3)  # phases
ONE, SIX, LOW_SIX = np.uint64(1), np.uint64(6), np.uint64(63)


@njit(nogil=True, cache=True)
def bfs(row, column, lists, out, into, owned, block, state):
    """Levels, until one finds nothing or PATIENCE is over; DONE, or why it stopped before.

    ``lists`` is a ``Numbering``. ``owned`` has depth, the column's member that offered it, the frontier of the vertices
    of this member, and two lists. ``block`` has, for the block, the origins of its offers, what it has offered, what it
    offers now, and room for the frontier.
    """
    began = nanoseconds()
    while nanoseconds() - began < PATIENCE * 1_000_000:
        if state[PHASE] == EXPAND:
            _expand(row, lists.owned, owned)
            state[PHASE] = EXPANDING
        if state[PHASE] == EXPANDING:
            code = finish(row)
            if code == DONE:
                code = _step(row, column, lists, out, into, block, state)
            if code != DONE:
                return code
            state[PHASE] = FOLDING
        code = finish(column)
        if code == DONE:
            code, total = _apply(column, lists.offered, owned, state)
        if code != DONE:
            return code
        state[PHASE] = EXPAND
        if total == 0:
            return DONE
        state[LEVEL] += 1
        state[REACHED] += total
        if pauses(state, total):
            return DONE
    return WAITING


@njit(nogil=True, cache=True)
def _expand(row, lists, owned):
    """Send the frontier along the row, to every member what its block has edges of."""
    words, before, sizes = lists
    depth, _, frontier, listed, numbers = owned
    count = take(frontier, 0, depth.size, listed)
    for position in range(row.sizes.size):
        kept = numbers_of(listed, count, 0, words[position], before[position], 0, numbers)
        message = message_to(row, position)
        row.lengths[position] = pack(numbers, kept, sizes[position], message)
        message[:HEAD].view(np.int64)[FIRST] = count
    post(row, False)


@njit(nogil=True, cache=True)
def _step(row, column, lists, out, into, block, state):
    """Follow the edges of the frontier, and send offers along the column."""
    origin, offered, offers, rows, front = block
    filled, bounds = lists.rows
    state[ROW_TOTAL], count = 0, 0
    for position in range(row.sizes.size):
        message = message_from(row, position)
        first = bounds[position]
        arrived, _ = unpack(message, bounds[position + 1] - first, first, rows[count:])
        if arrived < 0:
            return refuse(row, position)
        for i in range(count, count + arrived):
            rows[i] = filled[rows[i]]
        count += arrived
        state[ROW_TOTAL] += message[:HEAD].view(np.int64)[FIRST]
    if _pulling_pays(out, rows, count, origin.size, state):
        _pull(into, rows, count, origin, offered, offers, front)
    else:
        _push(out, rows, count, origin, offered, offers)
    words, before, bounds = lists.columns
    for position in range(column.sizes.size):
        start, first = column.starts[position], bounds[position]
        found = take(offers, start, column.sizes[position], rows)
        numbers_of(rows, found, start, words, before, first, rows)
        message = message_to(column, position)
        column.lengths[position] = pack(rows, found, bounds[position + 1] - first, message)
        message[:HEAD].view(np.int64)[FIRST] = state[ROW_TOTAL]
    post(column, False)
    return DONE


@njit(nogil=True, cache=True)
def _pulling_pays(out, rows, count, size, state):
    """The rule of one machine, for this block; never without its edges by target."""
    indptr = out[0]
    if state[PULLS] == 0:
        return False
    if count > rows.size // BETA:
        return True
    edges = np.int64(0)
    for i in range(count):
        edges += np.int64(indptr[rows[i] + 1] - indptr[rows[i]])
    left = state[LEFT]
    state[LEFT] -= edges
    return edges > left // ALPHA and edges > size // GAMMA


@njit(nogil=True, cache=True)
def _push(out, rows, count, origin, offered, offers):
    indptr, indices = out
    for i in range(count):
        u = np.uint64(rows[i])
        for j in range(indptr[u], indptr[u + ONE]):
            v = np.uint64(indices[j])
            bit = ONE << (v & LOW_SIX)
            if offered[v >> SIX] & bit == 0:
                offered[v >> SIX] |= bit
                origin[v] = u
                add(offers, v)


@njit(nogil=True, cache=True)
def _pull(into, rows, count, origin, offered, offers, front):
    indptr, indices = into
    front[:] = 0
    for i in range(count):
        u = np.uint64(rows[i])
        front[u >> SIX] |= ONE << (u & LOW_SIX)
    words, tops = offers
    for word in range(np.uint64((origin.size + 63) >> 6)):
        start = word << SIX
        waiting = ~offered[word]
        if start + np.uint64(64) > np.uint64(origin.size):
            waiting &= (ONE << np.uint64(origin.size & 63)) - ONE
        found = np.uint64(0)
        while waiting != 0:
            lowest = waiting & (~waiting + ONE)
            v = start + trailing_zeros(waiting)
            waiting ^= lowest
            for j in range(indptr[v], indptr[v + ONE]):
                u = np.uint64(indices[j])
                if (front[u >> SIX] >> (u & LOW_SIX)) & ONE:
                    origin[v] = u
                    found |= lowest
                    break
        if found != 0:
            offered[word] |= found
            words[word] |= found
            tops[word >> SIX] |= ONE << (word & LOW_SIX)


@njit(nogil=True, cache=True)
def _apply(column, lists, owned, state):
    """Take the offers for vertices that are not reached yet; returns the state, and the size of the last frontier."""
    places, bounds = lists
    depth, giver, frontier, listed, _ = owned
    level, total = np.int32(state[LEVEL] + 1), np.int64(0)
    for turn in range(column.sizes.size):
        # This member's own offers first: it knows their origin.
        position = column.position if turn == 0 else turn - 1 if turn <= column.position else turn
        message = message_from(column, position)
        first = bounds[position]
        count, _ = unpack(message, bounds[position + 1] - first, first, listed)
        if count < 0:
            return refuse(column, position), total
        total += message[:HEAD].view(np.int64)[FIRST]
        for i in range(count):
            v = np.uint64(places[listed[i]])
            if depth[v] < 0:
                depth[v] = level
                giver[v] = position
                add(frontier, v)
    return DONE, total


@njit(nogil=True, cache=True)
def smallest_parents(out, before, behind, ids, smallest):
    """For every column of the block, the smallest id of a row that may be its parent."""
    indptr, indices = out
    for u in range(np.uint64(indptr.size - 1)):
        if before[u] >= 0:
            for j in range(indptr[u], indptr[u + ONE]):
                v = indices[j]
                if behind[v] == before[u] + 1:
                    smallest[v] = min(smallest[v], ids[u])
