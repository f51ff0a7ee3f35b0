# mypy: ignore-errors
"""Searches where every member has all out-edges of its vertices: many levels or buckets, then an exchange.

A round follows the edges of the vertices that got a better value, as far as they lead inside this member's range. Ends
of edges elsewhere are ghosts. A member knows the best value that it has offered for each of its ghosts. At the end of a
round the better ones go to their owners, with the id of the parent. The search ends when nothing is left to do.

Vertices are relaxed in the order of their values. A breadth-first search merges those that arrived, sorted, with a
queue. With weights there are buckets. All members stop a round at the same level or bucket. Without that limit, members
near the source would run far ahead, with values that others improve later. The limit advances by a width that adapts,
so that a round relaxes about the requested number of vertices.
"""

import numpy as np

from clew.algorithms.paths import kernels as buckets
from clew.algorithms.paths.kernels_cluster import cost_of
from clew.engines.cluster.kernels_pause import pauses
from clew.engines.cluster.kernels_sockets import DONE
from clew.engines.cluster.kernels_superstep import (
    FIRST,
    HEAD,
    SECOND,
    add,
    aligned,
    finish,
    message_from,
    message_to,
    pack,
    post,
    refuse,
    take,
    unpack,
)
from clew.jit import njit

ROUNDS, POSTED, ARRIVED, LIMIT, WIDTH, TARGET, RELAXED, NUMBERS = range(8)  # of the state
WIDEST = 1 << 40
CHUNK = 64  # vertices relaxed at a time
ONE = np.uint64(1)


@njit(nogil=True, cache=True)
def bfs(column, out, owned, ghosts, arrived, queue, state):
    """Rounds of a breadth-first search; returns as ``finish`` does.

    ``owned`` has the depths (the largest number where unreached), parents and ids of this member's vertices, and a set.
    ``ghosts`` has their columns, where those of every member begin, and the offers: depths, parents and a set.
    ``arrived`` are the vertices to begin with.
    """
    while True:
        if state[POSTED] == 0:
            _flood(column, out, owned, ghosts, arrived, queue, state)
            _offer(column, ghosts, queue, owned, arrived, state)
        code, left = _take_offers(column, owned, arrived, queue, state)
        if code != DONE or left == 0 or pauses(state, state[TARGET]):
            return code


@njit(nogil=True, cache=True)
def best_paths(column, out, weights, owned, ghosts, arrived, queue, scale, low, state):
    """The same for sums of weights or, where ``low`` is given, the largest weight."""
    while True:
        if state[POSTED] == 0:
            _relax(column, out, weights, owned, ghosts, arrived, scale, low, state)
            _offer(column, ghosts, queue, owned, arrived, state)
        code, left = _take_offers(column, owned, arrived, queue, state)
        if code != DONE or left == 0 or pauses(state, state[TARGET]):
            return code


@njit(nogil=True, cache=True)
def _flood(column, out, owned, ghosts, arrived, queue, state):
    """Spread depths inside the range, the smallest first."""
    indptr, indices = out
    depth, parent, ids, waiting = owned
    mine, size = np.uint64(column.starts[column.position]), np.uint64(depth.size)
    sources = arrived[: state[ARRIVED]]
    keys = depth[sources]
    order = np.argsort(keys)
    head, tail, place, relaxed = 0, 0, 0, 0
    while True:
        if place < order.size and (head == tail or keys[order[place]] <= depth[queue[head]]):
            u = np.uint64(sources[order[place]])
            place += 1
            if depth[u] != keys[order[place - 1]]:  # it got a better one meanwhile, and was in the queue
                continue
        elif head < tail:
            u = np.uint64(queue[head])
            head += 1
        else:
            break
        if depth[u] > state[LIMIT]:
            add(waiting, u)
            continue
        relaxed += 1
        further = depth[u] + np.int32(1)
        for j in range(indptr[u], indptr[u + ONE]):
            v = np.uint64(indices[j]) - mine  # of a ghost, not below size
            if v >= size:
                _improve_ghost(ghosts, np.int64(indices[j]), further, ids[u])
            elif further < depth[v]:
                depth[v] = further
                parent[v] = ids[u]
                queue[tail] = v
                tail += 1
    state[RELAXED] = relaxed


@njit(nogil=True, cache=True)
def _relax(column, out, weights, owned, ghosts, arrived, scale, low, state):
    """Spread values inside the range, bucket by bucket."""
    indptr = out[0]
    value, _, _, waiting = owned
    mine = np.uint64(column.starts[column.position])
    pool = buckets.with_room(buckets.new_pool(arrived, value), np.uint64(state[ARRIVED]))
    base = np.int64(buckets.LAST)
    for i in range(state[ARRIVED]):
        base = min(base, buckets.bucket_of(value[arrived[i]], scale, low))
    for i in range(state[ARRIVED]):
        v = arrived[i]
        buckets.put(pool, buckets.slot_of(value[v], base, scale, low), v, v, value[v])
    work = np.empty(CHUNK, np.uint32)
    slot, relaxed = buckets.next_slot(pool[4], np.int64(0)), 0
    while slot < buckets.NOTHING:
        if slot == buckets.FAR:
            base = buckets.nearest_far(pool, scale, low, value)
            if base > np.int64(buckets.LAST):
                break
            pool = buckets.move_window(pool, base, scale, low, value)
            slot = buckets.next_slot(pool[4], np.int64(0))
        count, edges = _take(pool, slot, value, indptr, work)
        if base + slot > state[LIMIT]:
            for i in range(count):
                add(waiting, np.uint64(work[i]))
        else:
            relaxed += count
            pool = buckets.with_room(pool, edges)
            _relax_some(out, weights, owned, ghosts, mine, work[:count], pool, base, scale, low)
        slot = buckets.next_slot(pool[4], slot)
    state[RELAXED] = relaxed


@njit(nogil=True, cache=True)
def _take(pool, slot, value, indptr, work):
    """Up to CHUNK vertices of a bucket into ``work``; returns how many, and their edges."""
    vertex, _, reach, follow, tips, marks = pool
    tip = tips[np.uint64(slot)]
    count, edges = 0, np.uint64(0)
    while tip != buckets.EMPTY and count < CHUNK:
        v = np.uint64(vertex[tip - ONE])
        if value[v] == reach[tip - ONE]:
            work[count] = v
            count += 1
            edges += np.uint64(indptr[v + ONE] - indptr[v])
        tip = buckets.before(follow, marks, tip)
    tips[np.uint64(slot)] = tip
    return count, edges


@njit(nogil=True, cache=True)
def _relax_some(out, weights, owned, ghosts, mine, work, pool, base, scale, low):
    """Relax the edges of some vertices; the pool has room for all their ends."""
    (indptr, indices), (weight, turn) = out, weights
    value, parent, ids, _ = owned
    size = np.uint64(value.size)
    for u in work:
        there, own = value[u], ids[u]
        for j in range(indptr[u], indptr[np.uint64(u) + ONE]):
            better = value.dtype.type(buckets.extended(there, cost_of(weight[j], turn), low))
            v = np.uint64(indices[j]) - mine
            if v >= size:
                _improve_ghost(ghosts, np.int64(indices[j]), better, own)
            elif better < value[v]:
                value[v] = better
                parent[v] = own
                buckets.put(pool, buckets.slot_of(better, base, scale, low), v, u, better)


@njit(nogil=True, cache=True)
def _improve_ghost(ghosts, place, better, parent):
    """Note an offer for the vertex of a column that is not in this range."""
    columns, _, best, origin, offers = ghosts
    ghost = np.searchsorted(columns, place)
    if better < best[ghost]:
        best[ghost] = better
        origin[ghost] = parent
        add(offers, np.uint64(ghost))


@njit(nogil=True, cache=True)
def _offer(column, ghosts, listed, owned, arrived, state):
    """Send every member the better values of its vertices, and their parents; and how much is left to do here."""
    columns, bounds, best, origin, offers = ghosts
    state[ARRIVED] = left = take(owned[3], 0, owned[0].size, arrived)
    for position in range(column.sizes.size):
        first = bounds[position]
        count = take(offers, first, bounds[position + 1] - first, listed)
        left += count
        message = message_to(column, position)
        values = np.empty(count, best.dtype)
        parents = np.empty(count, origin.dtype)
        for i in range(count):
            ghost = first + listed[i]
            values[i], parents[i] = best[ghost], origin[ghost]
            listed[i] = columns[ghost] - column.starts[position]
        begin = pack(listed, count, column.sizes[position], message)
        middle = aligned(begin + values.nbytes)
        end = middle + parents.nbytes
        message[begin : begin + values.nbytes].view(best.dtype)[:] = values
        message[middle:end].view(origin.dtype)[:] = parents
        column.lengths[position] = end
    for position in range(column.sizes.size):
        head = message_to(column, position)[:HEAD].view(np.int64)
        head[FIRST], head[SECOND] = left, state[RELAXED]
    post(column, False)
    state[POSTED] = 1


@njit(nogil=True, cache=True)
def _take_offers(column, owned, arrived, listed, state):
    """Take the offers that improve a vertex; returns as ``finish`` does, and how much was left to do anywhere."""
    value, parent, _, waiting = owned
    left, relaxed = np.int64(0), np.int64(0)
    code = finish(column)
    if code != DONE:
        return code, left
    for i in range(state[ARRIVED]):
        add(waiting, np.uint64(arrived[i]))
    for position in range(column.sizes.size):
        message = message_from(column, position)
        offered, begin = unpack(message, value.size, 0, listed)
        middle = aligned(begin + offered * value.itemsize)
        if offered < 0 or message.size != middle + offered * parent.itemsize:
            return refuse(column, position), left
        values = message[begin : begin + offered * value.itemsize].view(value.dtype)
        parents = message[middle:].view(parent.dtype)
        head = message[:HEAD].view(np.int64)
        left, relaxed = left + head[FIRST], relaxed + head[SECOND]
        for i in range(offered):
            v = listed[i]
            if values[i] < value[v]:
                value[v], parent[v] = values[i], parents[i]
                add(waiting, np.uint64(v))
    state[ARRIVED], state[POSTED] = take(waiting, 0, value.size, arrived), 0
    state[ROUNDS] += 1
    if relaxed < state[TARGET] // 2:
        state[WIDTH] = min(state[WIDTH] * 2, WIDEST)
    elif relaxed > state[TARGET] * 2:
        state[WIDTH] = max(state[WIDTH] // 2, 1)
    state[LIMIT] += state[WIDTH]
    return DONE, left
