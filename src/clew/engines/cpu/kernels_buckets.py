# mypy: ignore-errors
"""Buckets of vertices by value, of one thread: linked lists in a pool of entries.

A window of SLOTS buckets starts at ``base``; whatever lies beyond it waits in one more list, FAR, until the window
moves there. So there may be any number of buckets, and none costs memory while it is empty.

A pool is ``(vertex, follow, heads, marks)``: entry ``e`` holds ``vertex[e]`` and is followed by ``follow[e]``;
``heads[slot]`` is the first entry of a list; ``marks`` are the first free entry and the number of free ones.
"""

import numpy as np
from numba import njit

SLOTS = 512
FAR = SLOTS
NOTHING = SLOTS + 1  # the slot that no list has
LAST = 2.0**62  # the number of the last bucket; it takes all that would have a larger number
NONE = np.uint64(2**64 - 1)
FREE, ROOM = range(2)
ROOM_AT_FIRST = 4096


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
def new_pool(like):
    """An empty pool for vertices of the type of ``like``."""
    heads = np.full(SLOTS + 1, NONE, np.uint64)
    marks = np.zeros(2, np.uint64)
    marks[FREE] = NONE
    empty = (np.empty(0, like.dtype), np.empty(0, np.uint64), heads, marks)
    return with_room(empty, np.uint64(ROOM_AT_FIRST))


@njit(cache=True, nogil=True)
def with_room(pool, wanted):
    """The pool, or a larger one that goes on where it was, with that many free entries."""
    vertex, follow, heads, marks = pool
    if marks[ROOM] >= wanted:
        return pool
    size = np.uint64(vertex.size)
    larger = size + max(size, wanted)
    vertices, follows = np.empty(larger, vertex.dtype), np.empty(larger, np.uint64)
    vertices[:size] = vertex
    follows[:size] = follow
    for entry in range(size, larger):
        follows[entry] = entry + np.uint64(1)
    follows[larger - np.uint64(1)] = marks[FREE]
    marks[FREE] = size
    marks[ROOM] += larger - size
    return vertices, follows, heads, marks


@njit(cache=True, nogil=True)
def put(pool, slot, v):
    """Add a vertex to a list; there must be room."""
    vertex, follow, heads, marks = pool
    entry = marks[FREE]
    marks[FREE] = follow[entry]
    marks[ROOM] -= np.uint64(1)
    vertex[entry] = v
    follow[entry] = heads[np.uint64(slot)]
    heads[np.uint64(slot)] = entry


@njit(cache=True, nogil=True)
def next_slot(pool, slot):
    """The first list from ``slot`` on that is not empty, FAR included, or NOTHING."""
    heads = pool[2]
    while slot <= FAR and heads[np.uint64(slot)] == NONE:
        slot += 1
    return slot


@njit(cache=True, nogil=True)
def longer_than(pool, slot, length):
    """Whether a list has more entries than that."""
    follow, heads = pool[1], pool[2]
    entry = heads[np.uint64(slot)]
    while entry != NONE and length >= 0:
        entry = follow[entry]
        length -= 1
    return length < 0


@njit(cache=True, nogil=True)
def nearest_far(pool, base, scale, low, value):
    """The smallest bucket of a vertex in FAR that has not been seen to in the window at ``base``; LAST + 1 if none."""
    vertex, follow, heads, _ = pool
    nearest = np.int64(LAST) + 1
    entry = heads[FAR]
    while entry != NONE:
        bucket = bucket_of(value[vertex[entry]], scale, low)
        if bucket >= base + SLOTS:
            nearest = min(nearest, bucket)
        entry = follow[entry]
    return nearest


@njit(cache=True, nogil=True)
def move_window(pool, base, scale, low, value):
    """Sort FAR into the window that starts at ``base``; entries of vertices seen to by now are dropped."""
    vertex, follow, heads, marks = pool
    entry = heads[FAR]
    heads[FAR] = NONE
    while entry != NONE:
        after = follow[entry]
        slot = slot_of(value[vertex[entry]], base, scale, low)
        if slot >= 0:
            follow[entry] = heads[np.uint64(slot)]
            heads[np.uint64(slot)] = entry
        else:
            follow[entry] = marks[FREE]
            marks[FREE] = entry
            marks[ROOM] += np.uint64(1)
        entry = after
