# mypy: ignore-errors
"""Delta-stepping: vertices are relaxed bucket by bucket, in any order within a bucket, until nothing improves.

Every member of the team has its own buckets. In a step, all members move their share of the current bucket to one
frontier and relax it together, in chunks. A member relaxes few vertices that fall back into the same bucket at once,
without a barrier. This bucket fusion saves most of the barriers on road networks. Then all agree on the next bucket.
After several nearly empty buckets, member 0 takes all entries and continues alone until a bucket is worth sharing.

A thread that improves a vertex swaps its value and adds an entry to a bucket: the vertex, the value and the origin. An
entry is skipped if its vertex has another value by then. One entry remains, and its origin becomes the parent.
So an improvement is one atomic operation. ``paths.kernels`` shows that the parents form a tree.

Parents are written only while no thread changes values. Otherwise a thread could check its entry, and write the
parent after another thread has improved the vertex and written a newer one. So a member that relaxes vertices without
a barrier keeps their entries until the next one.

With ``low``, the value of a path is its largest weight instead of its sum (see ``extended``). Nothing else changes,
because that never decreases along a path either.

References
----------
U. Meyer, P. Sanders: "Δ-stepping: a parallelizable shortest path algorithm", J. Algorithms 49, 2003.
Y. Zhang et al.: "Optimizing ordered graph algorithms with GraphIt", CGO 2020 (bucket fusion).
"""

import numpy as np

from clew.algorithms.paths import kernels as buckets
from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import append, barrier, counter, stopped
from clew.engines.cpu.team.kernels_intrinsics import WORTH_A_LOOK, nanoseconds
from clew.jit import njit
from clew.kernels_rows import edges_of, prefetch_edge, prefetch_weight, weight_of

CHUNK = 64  # vertices relaxed at a time
SHARES = 8  # that a member should get of a small frontier
FUSED_EDGES = 4096  # the most edges that a member relaxes alone,
FUSED = 1024  # and the most vertices
HELD = 4 * FUSED  # entries that a member keeps until their parents can be written
QUIET, QUIET_STEPS = 32, 16  # after this many steps with frontiers no larger than that, member 0 continues alone
AHEAD = 4  # vertices whose edges are prefetched
ONE = np.uint64(1)
LINE = np.uint64(16)  # edges of four bytes to a cache line
TAIL, TAKEN, NEXT = 0, 2, 4  # counters, two of each: those of one step are reset during the next
NEAREST, BASE, SLOT, STEPS, REACHED = 6, 7, 8, 9, 10
BUCKET, VERTICES, EDGES, BEGUN, COLUMNS = range(5)  # of the trace


@njit(cache=True, nogil=True)
def delta_stepping(member, size, state, out, weights, source, ends, paths, wide, frontier, scale, low, trace):
    """Fill value and parent; returns the number of buckets that were emptied, and of vertices that were reached.

    ``out`` are rows, plain or packed. ``paths`` are (value, the same as unsigned integers, parent), all unsigned.
    ``ends`` are the values of the source and of an unreached vertex, ``scale`` is 1 / delta. ``trace`` gets COLUMNS
    numbers per bucket, and the end of the last one; it is 0 at first. If ``wide`` is not None, it gets the values in
    its own type, whose largest number means unreached.
    """
    value = paths[0]
    work = np.empty(CHUNK, frontier.dtype)
    held = np.empty(HELD, frontier.dtype), np.empty(HELD, frontier.dtype), np.empty(HELD, value.dtype)
    pool = buckets.new_pool(frontier, value)
    tips = pool[4]
    _begin(member, size, paths, ends[1])
    barrier(size, state)
    if member == 0:
        value[source] = ends[0]
        buckets.put(pool, np.int64(0), source, source, ends[0])
        _reset(state, 0)
        _reset(state, 1)
    base, slot, steps = np.int64(0), np.int64(0), np.int64(0)
    turn, quiet = 0, 0
    few = max(QUIET, min(FUSED, FUSED_EDGES * value.size // max(1, np.int64(out[0][out[0].size - 1]))))
    together = 1  # how many work: 1 while member 0 is alone
    unclocked = np.uint64(0)  # edges and vertices since member 0 read the clock
    if member == 0:
        _begin_bucket(trace, steps)
    while slot < buckets.NOTHING:
        if member > 0 and together == 1:
            barrier(size, state)
            base, slot, steps = state[counter(BASE)], state[counter(SLOT)], state[counter(STEPS)]
            together = size
            continue
        if slot == buckets.FAR:
            _lower(state, counter(NEAREST), buckets.nearest_far(pool, scale, low, value))
            barrier(together, state)
            base, slot = state[counter(NEAREST)], np.int64(0)
            if base > np.int64(buckets.LAST):
                slot = np.int64(buckets.NOTHING)
            else:
                pool = buckets.move_window(pool, base, scale, low, value)
        vertices, edges, waiting, poured, holds = np.int64(0), np.uint64(0), 0, np.int64(0), 0
        if together > 1 and slot < buckets.FAR:
            _pour(state, turn, pool, paths, frontier, work, slot)
            barrier(size, state)
            poured = state[counter(TAIL + turn)]
            if member == 0:
                _reset(state, 1 - turn)
            while True:
                count, arcs = _take_shared(size, state, turn, out, frontier, work)
                if count == 0:
                    break
                pool = buckets.with_room(pool, arcs)
                waiting += _relax(size, out, weights, paths, work, count, pool, base, slot, scale, low)
                vertices += count
                edges += arcs
        while slot < buckets.FAR and tips[np.uint64(slot)] != buckets.EMPTY and waiting < few and not stopped(state):
            if together > 1 and holds > HELD - FUSED:
                break  # the list has fewer entries than FUSED
            tip = tips[np.uint64(slot)]
            tips[np.uint64(slot)] = buckets.EMPTY
            waiting = 0
            while tip != buckets.EMPTY:
                tip, count, arcs = _take_own(tip, out, paths, pool, work, held, holds if together > 1 else -1)
                holds += count
                pool = buckets.with_room(pool, arcs)
                fallen = _relax(together, out, weights, paths, work, count, pool, base, slot, scale, low)
                waiting += fallen if size > 1 else 0
                vertices += count
                edges += arcs
        if slot < buckets.FAR:
            _note(trace, steps, base + slot, vertices, edges)
            unclocked += np.uint64(vertices) + edges
        agreed = buckets.next_slot(tips, slot)
        if together > 1:
            # Only member 0 checks for a stop: all must leave at the same step.
            _lower(state, counter(NEXT + turn), np.int64(-1) if member == 0 and stopped(state) else agreed)
            barrier(size, state)
            _write_parents(paths, held, holds)
            agreed = state[counter(NEXT + turn)]
            turn = 1 - turn
        elif stopped(state):
            agreed = np.int64(-1)
        steps += agreed != slot
        slot = agreed if agreed >= 0 else np.int64(buckets.NOTHING)
        if member == 0 and (together > 1 or unclocked >= WORTH_A_LOOK):
            _begin_bucket(trace, steps)
            unclocked = np.uint64(0)
        if together > 1:
            quiet = quiet + 1 if poured <= QUIET else 0
            if quiet == QUIET_STEPS and slot < buckets.NOTHING:
                pool = _hand_over(member, size, state, turn, pool, paths, frontier, work, base, scale, low)
                together, quiet = 1, 0
        elif size > 1 and (
            slot == buckets.NOTHING or (slot < buckets.FAR and buckets.longer_than(pool[3], tips, slot, few))
        ):
            state[counter(BASE)], state[counter(SLOT)], state[counter(STEPS)] = base, slot, steps
            _reset(state, turn)
            barrier(size, state)
            together = size
        elif slot == buckets.FAR:
            state[counter(NEAREST)] = np.int64(buckets.LAST) + 1
    if member == 0:
        _begin_bucket(trace, steps)
    barrier(size, state)  # all parents are there
    _finish(member, size, state, paths, wide)
    barrier(size, state)
    return steps, state[counter(REACHED)]


@njit(cache=True, nogil=True)
def _begin(member, size, paths, unreached):
    """Nothing is reached. Every member sets its share: touching new memory takes longer than the rest of it."""
    value, _, parent = paths
    for v in range(np.uint64(member * value.size // size), np.uint64((member + 1) * value.size // size)):
        value[v] = unreached
        parent[v] = -1


@njit(cache=True, nogil=True)
def _finish(member, size, state, paths, wide):
    """Count the vertices that were reached, and copy the values to another type if asked."""
    value, _, parent = paths
    none = parent.dtype.type(-1)
    reached = np.int64(0)
    for v in range(np.uint64(member * value.size // size), np.uint64((member + 1) * value.size // size)):
        reached += parent[v] != none
        if wide is not None:
            wide[v] = value[v] if parent[v] != none else np.iinfo(wide.dtype).max
    atomic.add(state, counter(REACHED), reached)


@njit(cache=True, nogil=True)
def _reset(state, turn):
    state[counter(TAIL + turn)] = 0
    state[counter(TAKEN + turn)] = 0
    state[counter(NEXT + turn)] = buckets.NOTHING
    state[counter(NEAREST)] = np.int64(buckets.LAST) + 1


@njit(cache=True, nogil=True)
def _hand_over(member, size, state, turn, pool, paths, frontier, work, base, scale, low):
    """Move all members' entries to member 0; returns the pool, enlarged if needed."""
    value, _, parent = paths
    if member > 0:
        for slot in range(buckets.FAR + 1):
            _pour(state, turn, pool, paths, frontier, work, np.int64(slot))
    barrier(size, state)
    if member == 0:
        count = np.uint64(state[counter(TAIL + turn)])
        pool = buckets.with_room(pool, count)
        for i in range(count):
            v = frontier[i]
            buckets.put(pool, buckets.slot_of(value[v], base, scale, low), v, parent[v], value[v])
        state[counter(TAIL + turn)] = 0
    return pool


@njit(cache=True, nogil=True)
def _lower(state, place, number):
    """Set ``state[place]`` to ``number`` if that is smaller."""
    while True:
        there = atomic.load(state, place)
        if number >= there or atomic.compare_and_swap(state, place, there, number):
            break


@njit(cache=True, nogil=True)
def _note(trace, step, bucket, vertices, edges):
    if (step + 1) * COLUMNS <= trace.size:
        row = np.uint64(step * COLUMNS)
        trace[row] = bucket
        atomic.add(trace, row + np.uint64(VERTICES), np.int64(vertices))
        atomic.add(trace, row + np.uint64(EDGES), np.int64(edges))


@njit(cache=True, nogil=True)
def _begin_bucket(trace, step):
    """Note the time, unless this bucket has begun before: it may be emptied more than once."""
    place = step * COLUMNS + BEGUN
    if place < trace.size and trace[place] == 0:
        trace[place] = nanoseconds()


@njit(cache=True, nogil=True)
def _pour(state, turn, pool, paths, frontier, work, slot):
    """Move the valid entries of one of this member's buckets to the frontier; values do not change meanwhile."""
    value, _, parent = paths
    vertex, origin, reach, follow, tips, marks = pool
    filled = 0
    tip = tips[np.uint64(slot)]
    tips[np.uint64(slot)] = buckets.EMPTY
    while tip != buckets.EMPTY:
        entry = tip - ONE
        v = np.uint64(vertex[entry])
        if value[v] == reach[entry]:
            parent[v] = origin[entry]
            work[filled] = v
            filled += 1
            if filled == CHUNK:
                append(state, counter(TAIL + turn), frontier, work, filled)
                filled = 0
        tip = buckets.before(follow, marks, tip)
    append(state, counter(TAIL + turn), frontier, work, filled)


@njit(cache=True, nogil=True)
def _take_shared(size, state, turn, out, frontier, work):
    """Up to CHUNK vertices of the frontier into ``work``, fewer of a small one: how many, and their edges."""
    indptr = out[0]
    tail = state[counter(TAIL + turn)]
    chunk = min(np.int64(CHUNK), tail // (SHARES * size) + 1)
    first = atomic.add(state, counter(TAKEN + turn), chunk)
    count = max(min(chunk, tail - first), 0)
    arcs = np.uint64(0)
    for i in range(count):
        v = np.uint64(frontier[np.uint64(first + i)])
        work[i] = v
        arcs += indptr[v + ONE] - indptr[v]
    return count, arcs


@njit(cache=True, nogil=True)
def _take_own(tip, out, paths, pool, work, held, holds):
    """Up to CHUNK vertices of a list into ``work``: where the rest of the list ends, how many, and their edges.

    Their entries are kept in ``held`` from ``holds`` on. If that is negative, no other thread changes values, and
    the parents are written at once.
    """
    # The test of an entry is that of _pour: a helper for both would make either slower.
    indptr = out[0]
    value, _, parent = paths
    vertex, origin, reach, follow, _, marks = pool
    count, arcs = 0, np.uint64(0)
    while tip != buckets.EMPTY and count < CHUNK:
        entry = tip - ONE
        v = np.uint64(vertex[entry])
        if value[v] == reach[entry]:
            if holds < 0:
                parent[v] = origin[entry]
            else:
                place = np.uint64(holds + count)
                held[0][place], held[1][place], held[2][place] = v, origin[entry], reach[entry]
            work[count] = v
            count += 1
            arcs += indptr[v + ONE] - indptr[v]
        tip = buckets.before(follow, marks, tip)
    return tip, count, arcs


@njit(cache=True, nogil=True)
def _write_parents(paths, held, holds):
    """Write the parents of the entries that still count; values do not change meanwhile."""
    value, _, parent = paths
    vertex, origin, reach = held
    for i in range(np.uint64(holds)):
        if value[vertex[i]] == reach[i]:
            parent[vertex[i]] = origin[i]


@njit(cache=True, nogil=True)
def _relax(size, out, weights, paths, work, count, pool, base, slot, scale, low):
    """Relax the edges of ``work[:count]``; how many vertices fell into the current bucket."""
    indptr = out[0]
    value, bits, _ = paths
    vertex, origin, reach, follow, tips, marks = pool
    free, fresh, used, fallen = marks[buckets.FREE], marks[buckets.FRESH], ONE - ONE, 0
    for i in range(count):
        if i + AHEAD < count:  # rows lie anywhere in memory, and the core follows a row by itself only after a while
            row = indptr[work[i + AHEAD]]
            prefetch_edge(out, row)
            prefetch_weight(weights, row)
            prefetch_edge(out, row + LINE)
            prefetch_weight(weights, row + LINE)
        u = work[i]
        there = value[u]
        for j, neighbour in edges_of(out, u):
            v = np.uint64(neighbour)
            better = value.dtype.type(buckets.extended(there, weight_of(weights, j), low))
            if better < value[v]:
                if size == 1:
                    value[v] = better
                elif not _lowered(bits, v, better):
                    continue
                its_slot = buckets.slot_of(better, base, scale, low)
                tip = tips[np.uint64(its_slot)]
                if tip & (buckets.BLOCK - ONE) == 0:
                    block = free
                    if block == buckets.NONE:
                        block = fresh
                        fresh += ONE
                    else:
                        free = follow[block]
                    used += ONE
                    follow[block] = tip
                    tip = block << buckets.BITS
                vertex[tip] = v
                origin[tip] = u
                reach[tip] = better
                tips[np.uint64(its_slot)] = tip + ONE
                fallen += its_slot == slot
    marks[buckets.FREE] = free
    marks[buckets.FRESH] = fresh
    marks[buckets.ROOM] -= used
    return fallen


@njit(cache=True, nogil=True)
def _lowered(bits, v, better):
    """Set the value of ``v``, given by its bits, to ``better`` unless another thread has found one as good."""
    while True:
        there = atomic.load(bits, v)
        if better >= atomic.of_bits(there, better):
            return False
        if atomic.compare_and_swap(bits, v, there, atomic.to_bits(better)):
            return True
