# mypy: ignore-errors
"""Kernels that path searches share: buckets of vertices by value, relaxed edges, and shortest-path trees.

**Buckets** belong to one thread and are lists of blocks in a pool. A window of SLOTS buckets starts at ``base``.
Entries beyond the window wait in one more list, FAR, until the window moves there. So the number of buckets is not
limited, and an empty bucket takes no memory.

An entry says that ``vertex`` got the value ``reach`` over an edge from ``origin``. It is valid while the vertex has
that value. A thread that improves the vertex adds a new entry. Or ``waiting`` says which vertices are in buckets, by
the values that they have now. Then ``origin`` and ``reach`` are None, and the entries of a vertex that waits are valid.

A pool is ``(vertex, origin, reach, follow, tips, marks)``. Block ``b`` has the entries from ``b * BLOCK`` on. Blocks
save memory accesses compared with lists of single entries. ``tips[slot]`` is where the last entry of a list ends, 0 for
an empty list. All blocks of a list but the last are full. ``follow[b]`` is where the block before ``b`` ends, 0 for
none. ``marks`` has the first block of the free list (linked by ``follow``) or NONE, the first unused block, and the
number of blocks in both.

**Relaxed edges.** A vertex has a value (smaller is better) and a parent, which must change together. Delta-stepping
does that with its entries. Elsewhere the parent doubles as a lock: the thread that swaps it for LOCKED may write
both. Values only fall, so a value read without the lock is never too low, and most edges need no lock.

**Parents form a tree.** Every written value is strictly smaller than the one before it, and is at least the value
that the parent's gives. A cycle of parents would need a value below itself. With negative weights, this holds unless
a cycle has a negative sum.
"""

import numpy as np

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.jit import njit
from clew.kernels_rows import edges_of, weight_of

SLOTS = 512
FAR = SLOTS
NOTHING = SLOTS + 1  # the slot that no list has
LAST = 2.0**62  # the number of the last bucket; it takes all that would have a larger number
ONE = np.uint64(1)
BITS = np.uint64(4)
BLOCK = ONE << BITS
EMPTY = np.uint64(0)
NONE = np.uint64(2**64 - 1)
FREE, FRESH, ROOM = range(3)


@njit(cache=True, nogil=True)
def bucket_of(value, scale, low):
    """The number of a value's bucket, never smaller for a larger value."""
    if low is None:
        place = np.float64(value) * scale
    else:
        place = (np.float64(value) - low) * scale
    return np.int64(min(max(place, 0.0), LAST))


@njit(cache=True, nogil=True)
def slot_of(value, base, scale, low):
    """The list for a value."""
    return min(bucket_of(value, scale, low) - base, np.int64(FAR))


@njit(cache=True, nogil=True)
def new_pool(ids, values):
    """An empty pool for vertices and values of the types of those in two arrays."""
    entries = np.empty(0, ids.dtype), np.empty(0, ids.dtype), np.empty(0, values.dtype)
    marks = np.zeros(3, np.uint64)
    marks[FREE] = NONE
    return with_room((*entries, np.empty(0, np.uint64), np.zeros(SLOTS + 1, np.uint64), marks), ONE)


@njit(cache=True, nogil=True)
def with_room(pool, entries):
    """The pool, or a larger copy, with room for this many more entries in any lists."""
    vertex, origin, reach, follow, tips, marks = pool
    blocks = (entries >> BITS) + np.uint64(SLOTS + 2)  # every list may need a block that it does not fill
    if marks[ROOM] >= blocks:
        return pool
    size = np.uint64(follow.size)
    larger = size + max(size, blocks)
    marks[ROOM] += larger - size
    used, length = marks[FRESH] << BITS, larger << BITS
    columns = _longer(vertex, used, length), _longer(origin, used, length), _longer(reach, used, length)
    return (*columns, _longer(follow, marks[FRESH], larger), tips, marks)


@njit(cache=True, nogil=True)
def _longer(array, used, size):
    if array is None:
        return None
    longer = np.empty(size, array.dtype)
    for i in range(used):  # a copy of slices would take seconds to compile
        longer[i] = array[i]
    return longer


@njit(cache=True, nogil=True)
def put(pool, slot, v, u, value):
    """Add an entry to a list; there must be room."""
    vertex, origin, reach, follow, tips, marks = pool
    tip = tips[np.uint64(slot)]
    if tip & (BLOCK - ONE) == 0:
        block = marks[FREE]
        if block == NONE:
            block = marks[FRESH]
            marks[FRESH] += ONE
        else:
            marks[FREE] = follow[block]
        marks[ROOM] -= ONE
        follow[block] = tip
        tip = block << BITS
    vertex[tip] = v
    _set(origin, tip, u)
    _set(reach, tip, value)
    tips[np.uint64(slot)] = tip + ONE


@njit(cache=True, nogil=True)
def _set(column, place, value):
    if column is not None:
        column[place] = value


@njit(cache=True, nogil=True)
def _get(column, place, otherwise):
    if column is None:
        return otherwise
    else:  # noqa: RET505, Numba drops the branch that does not apply only if it is one
        return column[place]


@njit(cache=True, nogil=True)
def _is_valid(v, there, value, waiting):
    if waiting is None:
        return value[v] == there
    else:  # noqa: RET505, as above
        return waiting[v]


@njit(cache=True, nogil=True)
def before(follow, marks, tip):
    """Where a list ends without its last entry, which ended at ``tip``; a block that is empty then becomes free."""
    tip -= ONE
    if tip & (BLOCK - ONE) == 0:
        block = tip >> BITS
        tip = follow[block]
        follow[block] = marks[FREE]
        marks[FREE] = block
        marks[ROOM] += ONE
    return tip


@njit(cache=True, nogil=True)
def next_slot(tips, slot):
    """The first list from ``slot`` on that is not empty, FAR included, or NOTHING."""
    while slot <= FAR and tips[np.uint64(slot)] == EMPTY:
        slot += 1
    return slot


@njit(cache=True, nogil=True)
def longer_than(follow, tips, slot, length):
    """Whether a list has more entries than that."""
    tip = tips[np.uint64(slot)]
    found = np.uint64(0)
    while tip != EMPTY and found <= length:
        block = (tip - ONE) >> BITS
        found += tip - (block << BITS)
        tip = follow[block]
    return found > length


@njit(cache=True, nogil=True)
def nearest_far(pool, scale, low, value, waiting=None):
    """The smallest bucket of an entry in FAR that counts; LAST + 1 if there is none. Vertices may wait in FAR only."""
    vertex, _, reach, follow, tips, _ = pool
    nearest = np.int64(LAST) + 1
    tip = tips[FAR]
    while tip != EMPTY:
        block = (tip - ONE) >> BITS
        for entry in range(block << BITS, tip):
            v = np.uint64(vertex[entry])
            there = _get(reach, entry, value[v])
            if _is_valid(v, there, value, waiting):
                nearest = min(nearest, bucket_of(there, scale, low))
        tip = follow[block]
    return nearest


@njit(cache=True, nogil=True)
def move_window(pool, base, scale, low, value, waiting=None):
    """Sort FAR into the window that starts at ``base``; entries that do not count any more are dropped."""
    pool = with_room(pool, ONE)  # each list may need a block before the first of FAR's is free
    vertex, origin, reach, follow, tips, marks = pool
    tip = tips[FAR]
    tips[FAR] = EMPTY
    while tip != EMPTY:
        entry = tip - ONE
        v = np.uint64(vertex[entry])
        u, there = _get(origin, entry, v), _get(reach, entry, value[v])
        tip = before(follow, marks, tip)
        if _is_valid(v, there, value, waiting):
            put(pool, slot_of(there, base, scale, low), v, u, there)
    return pool


@njit(cache=True, nogil=True)
def extended(value, weight, low):
    """The value at the end of an edge: the sum, or, where ``low`` is given, the worse of the two."""
    if low is None:
        return value + weight
    else:  # noqa: RET505, Numba drops the branch that does not apply only if it is one
        return max(value, weight)


@njit(cache=True, nogil=True)
def lock(parent, v):
    """Take the lock of ``v``; the parent it has. ``parent`` is unsigned, so LOCKED is no vertex."""
    locked = parent.dtype.type(parent.dtype.type(0) - parent.dtype.type(2))
    while True:
        before = atomic.load(parent, v)
        if before != locked and atomic.compare_and_swap(parent, v, before, locked):
            return before
        atomic.relax()


@njit(cache=True, nogil=True)
def shortest_path_tree(out, weights, source, value, unreached, low, parent, queue):
    """Choose parents that depend on the graph alone: breadth first over edges that give their ends their values.

    Of several parents in one level, the smallest id is taken: each level is sorted. ``parent``
    holds -1 (unsigned) everywhere; ``queue`` has room for all vertices.
    """
    none = parent[source]
    parent[source] = source
    queue[0] = source
    head, tail, level = np.uint64(0), ONE, ONE
    while head < tail:
        if head == level:
            level = tail
            queue[head:tail].sort()
        u = queue[head]
        head += ONE
        for j, v in edges_of(out, u):
            if parent[v] != none or value[v] == unreached:
                continue
            if extended(value[u], weight_of(weights, j), low) == value[v]:
                parent[v] = u
                queue[tail] = v
                tail += ONE
