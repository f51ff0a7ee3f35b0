# mypy: ignore-errors
"""Best paths by members of a cluster: delta-stepping with an exchange along rows and columns in every step.

The owner of a vertex keeps it in a bucket by its value. A step sends the vertices of the first buckets along the row.
Blocks relax their edges. A block knows the best value that it has offered for each of its columns, and offers better
ones only. Owners take offers that improve a vertex, and note whose they are: parents are requested at the end.

An array says which vertices wait in a bucket, and the value of a vertex is the one that it has now. So entries
are vertices alone, a third of what one machine keeps, and buckets can be filled again from what waits: no checkpoint
has them.

How many vertices were sent, and the next bucket that is not empty, travel in the heads of the messages. After a step
with few vertices, the next one takes the next bucket too, and does not wait until this one stays empty. A value that
improves later is sent again.
"""

import numpy as np

from clew.algorithms.paths import kernels as buckets
from clew.engines.cluster.kernels_pause import pauses
from clew.engines.cluster.kernels_sockets import DONE, WAITING
from clew.engines.cluster.kernels_superstep import (
    FIRST,
    HEAD,
    PATIENCE,
    SECOND,
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
from clew.engines.cpu.team.kernels_intrinsics import nanoseconds, prefetch
from clew.jit import njit

PHASE, LIMIT, BASE, TOTAL, NEXT, STEPS, FEW, NUMBERS = range(8)  # of the state
EXPAND, EXPANDING, FOLDING = range(3)  # phases
NO_BUCKET = np.int64(buckets.LAST) + 1
AHEAD = 4  # rows whose edges are prefetched
ONE = np.uint64(1)


@njit(nogil=True, cache=True)
def best_paths(row, column, out, weights, owned, block, pool, scale, low, state):
    """Steps, until nothing is left in any bucket or PATIENCE is over; returns the state of ``finish``, and the pool.

    ``owned`` has the values of this member's vertices, who gave them, which wait, a set and a list. ``block`` has the
    best values offered for its columns, the rows that they came from, and a set. It also has room for the rows of a
    step with their values. ``weights`` has them and the ``turn`` of ``cost_of``. A pool that is not in use is filled.
    """
    began = nanoseconds()
    if pool[-1][buckets.FRESH] == 0:
        pool = _fill(pool, owned[0], owned[2], scale, low, state[BASE])
    while nanoseconds() - began < PATIENCE * 1_000_000:
        if state[PHASE] == EXPAND:
            pool = _expand(row, owned, pool, scale, low, state)
            state[PHASE] = EXPANDING
        if state[PHASE] == EXPANDING:
            code = finish(row)
            if code == DONE:
                code = _relax(row, column, out, weights, block, low, state)
            if code != DONE:
                return code, pool
            state[PHASE] = FOLDING
        code = finish(column)
        if code == DONE:
            code, pool = _apply(column, owned, block, pool, scale, low, state)
        if code != DONE:
            return code, pool
        state[PHASE] = EXPAND
        state[STEPS] += state[TOTAL] > 0
        if state[TOTAL] <= state[FEW]:
            if state[NEXT] < NO_BUCKET:
                state[LIMIT] = max(state[LIMIT], state[NEXT])
            elif state[TOTAL] == 0:
                return DONE, pool
        if pauses(state, state[TOTAL]):
            return DONE, pool
    return WAITING, pool


@njit(nogil=True, cache=True)
def _fill(pool, value, waiting, scale, low, base):
    """The pool with all vertices that wait."""
    pool = buckets.with_room(pool, np.uint64(waiting.sum()))
    for v in range(np.uint64(waiting.size)):
        if waiting[v]:
            buckets.put(pool, _slot_of(value[v], base, scale, low), v, None, None)
    return pool


@njit(nogil=True, cache=True)
def _expand(row, owned, pool, scale, low, state):
    """Send the vertices in the buckets up to the limit, with their values, along the row; returns the pool."""
    value, _, waiting, chosen, listed = owned
    while state[LIMIT] >= state[BASE] + buckets.SLOTS:
        _choose(pool, waiting, chosen, buckets.SLOTS - 1)
        state[BASE] = min(state[LIMIT], buckets.nearest_far(pool, scale, low, value, waiting))
        pool = buckets.move_window(pool, state[BASE], scale, low, value, waiting)
    slot = _choose(pool, waiting, chosen, state[LIMIT] - state[BASE])
    upcoming = state[BASE] + slot
    if slot == buckets.FAR:
        upcoming = buckets.nearest_far(pool, scale, low, value, waiting)
    elif slot == buckets.NOTHING:
        upcoming = NO_BUCKET
    count = take(chosen, 0, value.size, listed)
    _write(row, row.position, listed, count, value, count, upcoming)
    post(row, True)
    return pool


@njit(nogil=True, cache=True)
def _choose(pool, waiting, chosen, last):
    """Move what waits in the buckets up to a slot to a set; returns the slot of the next vertex that waits.

    A vertex that improved may still be in the list for its old value too. The list for its value comes first.
    """
    vertex, _, _, follow, tips, marks = pool
    for slot in range(buckets.FAR + 1):
        tip = tips[np.uint64(slot)]
        while tip != buckets.EMPTY:
            v = np.uint64(vertex[tip - ONE])
            if waiting[v]:
                if slot > last:
                    tips[np.uint64(slot)] = tip
                    return slot
                waiting[v] = False
                add(chosen, v)
            tip = buckets.before(follow, marks, tip)
        tips[np.uint64(slot)] = buckets.EMPTY
    return buckets.NOTHING


@njit(nogil=True, cache=True)
def _write(channel, position, listed, count, values, first, second):
    """The message to a member with the values at some places, and two numbers."""
    message = message_to(channel, position)
    begin = pack(listed, count, channel.sizes[position], message)
    head = message[:HEAD].view(np.int64)
    head[FIRST], head[SECOND] = first, second
    end = begin + count * values.itemsize
    written = message[begin:end].view(values.dtype)
    for i in range(count):
        written[i] = values[listed[i]]
    channel.lengths[position] = end


@njit(nogil=True, cache=True)
def _read(channel, position, size, start, listed, values):
    """The places and values of a member's message into two lists; their number, -1 if it is not valid, and its head."""
    message = message_from(channel, position)
    count, begin = unpack(message, size, start, listed)
    if count < 0 or message.size != begin + count * values.itemsize:
        return -1, np.int64(0), NO_BUCKET
    values[:count] = message[begin:].view(values.dtype)
    head = message[:HEAD].view(np.int64)
    return count, head[FIRST], head[SECOND]


@njit(nogil=True, cache=True)
def cost_of(weight, turn):
    """The cost of an edge: its weight or, where ``turn`` is a number, what the weight leaves of that."""
    if turn is None:
        return weight
    return turn - weight


@njit(nogil=True, cache=True)
def _relax(row, column, out, weights, block, low, state):
    """Relax the edges of the rows that arrived, and send what got better along the column."""
    best, source, offers, rows, reach = block
    (indptr, indices), (weight, turn) = out, weights
    total, nearest, filled = np.int64(0), NO_BUCKET, 0
    for position in range(row.sizes.size):
        size, start = row.sizes[position], row.starts[position]
        count, sent, upcoming = _read(row, position, size, start, rows[filled:], reach[filled:])
        if count < 0:
            return refuse(row, position)
        total, nearest, filled = total + sent, min(nearest, upcoming), filled + count
    for i in range(filled):
        if i + AHEAD < filled:
            ahead = np.uint64(indptr[np.uint64(rows[i + AHEAD])])
            prefetch(indices, ahead)
            prefetch(weight, ahead)
        u, there = np.uint64(rows[i]), reach[i]
        for j in range(indptr[u], indptr[u + ONE]):
            v = np.uint64(indices[j])
            better = best.dtype.type(buckets.extended(there, cost_of(weight[j], turn), low))
            if better < best[v]:
                best[v] = better
                source[v] = u
                add(offers, v)
    for position in range(column.sizes.size):
        start = column.starts[position]
        count = take(offers, start, column.sizes[position], rows)
        _write(column, position, rows, count, best[start:], total, nearest)
    post(column, False)
    return DONE


@njit(nogil=True, cache=True)
def _apply(column, owned, block, pool, scale, low, state):
    """Take the offers that improve a vertex; returns the state of ``finish``, and the pool."""
    value, giver, waiting, _, listed = owned
    best, reach = block[0], block[4]
    mine = np.uint64(column.starts[column.position])
    state[TOTAL], state[NEXT] = 0, NO_BUCKET
    for position in range(column.sizes.size):
        count, sent, upcoming = _read(column, position, value.size, 0, listed, reach)
        if count < 0:
            return refuse(column, position), pool
        state[TOTAL] += sent
        state[NEXT] = min(state[NEXT], upcoming)
        pool = buckets.with_room(pool, np.uint64(count))
        for i in range(count):
            v, offered = np.uint64(listed[i]), reach[i]
            if offered < value[v]:
                slot = _slot_of(offered, state[BASE], scale, low)
                if not waiting[v] or slot != _slot_of(value[v], state[BASE], scale, low):
                    buckets.put(pool, slot, v, None, None)
                value[v], giver[v], waiting[v] = offered, position, True
                best[mine + v] = offered  # so that this block offers nothing worse
    return DONE, pool


@njit(nogil=True, cache=True)
def _slot_of(value, base, scale, low):
    """The list for a value, which may be of a bucket before the window."""
    return max(buckets.slot_of(value, base, scale, low), np.int64(0))
