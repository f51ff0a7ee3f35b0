"""Edges to rows, in parallel and in the order the edges were given, whatever the number of threads.

1. ``extent``            the smallest and largest id, so that everything after it may index without checks
2. ``count_buckets``     how many arcs each thread's share of the edges puts into each bucket of consecutive rows
3. ``cursors``           where each thread writes in each bucket
4. ``fill_buckets``      arcs to their buckets; few buckets at a time stay in cache, which is why this beats one big scatter
5. ``place_rows``        every bucket on its own: count, prefix sum, place

A bucket holds 2^shift rows, and within it a row is a 16-bit number where that suffices: 2 bytes an arc instead of 4 or 8.
Weights are moved as unsigned integers of their size: moving them needs no other type, and fewer types compile faster.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def extent(part, parts, values):
    """The smallest and the largest value of one part (0 and -1 where it is empty)."""
    size = values.size
    start, stop = part * size // parts, (part + 1) * size // parts
    if start == stop:
        return np.int64(0), np.int64(-1)
    smallest = values[start]
    largest = smallest
    for i in range(start + 1, stop):
        smallest = min(smallest, values[i])
        largest = max(largest, values[i])
    return np.int64(smallest), np.int64(largest)


@njit(cache=True, nogil=True)
def count_buckets(part, source, target, shift, mirror, drop_loops, counts):
    """counts[t, b] = arcs that share t of the edges puts into bucket b. Returns the number of self-loops in the share."""
    size = source.size
    parts = counts.shape[0]
    mine = counts[part]
    loops = 0
    for i in range(part * size // parts, (part + 1) * size // parts):
        u = source[i]
        v = target[i]
        if u == v:
            loops += 1
            if not drop_loops:
                mine[u >> shift] += 1
        else:
            mine[u >> shift] += 1
            if mirror:
                mine[v >> shift] += 1
    return loops


@njit(cache=True, nogil=True)
def cursors(counts, starts):
    """Turn counts[t, b] into the place where share t starts writing in bucket b; starts[b] is where the bucket starts."""
    place = 0
    for bucket in range(counts.shape[1]):
        starts[bucket] = place
        for part in range(counts.shape[0]):
            count = counts[part, bucket]
            counts[part, bucket] = place
            place += count
    starts[counts.shape[1]] = place


@njit(cache=True, nogil=True)
def fill_buckets(part, source, target, weights, shift, mirror, drop_loops, places, rows, columns, carried):
    """Put one share of the arcs into their buckets, in the order given."""
    size = source.size
    parts = places.shape[0]
    low_bits = (1 << shift) - 1
    mine = places[part]
    for i in range(part * size // parts, (part + 1) * size // parts):
        u = source[i]
        v = target[i]
        if u == v and drop_loops:
            continue
        place = mine[u >> shift]
        mine[u >> shift] = place + 1
        rows[place] = u & low_bits
        columns[place] = v
        if weights is not None:
            carried[place] = weights[i]
        if mirror and u != v:
            place = mine[v >> shift]
            mine[v >> shift] = place + 1
            rows[place] = v & low_bits
            columns[place] = u
            if weights is not None:
                carried[place] = weights[i]


@njit(cache=True, nogil=True)
def place_rows(bucket, starts, rows, columns, carried, shift, indptr, indices, weights):
    """Turn one bucket into rows; arcs of a row stay in the order given."""
    begin, end = starts[bucket], starts[bucket + 1]
    first = bucket << shift
    count = min(1 << shift, indptr.size - 1 - first)
    place = np.zeros(count, np.int64)
    for i in range(begin, end):
        place[rows[i]] += 1
    running = begin
    for row in range(count):
        degree = place[row]
        indptr[first + row] = running
        place[row] = running
        running += degree
    for i in range(begin, end):
        row = rows[i]
        to = place[row]
        place[row] = to + 1
        indices[to] = columns[i]
        if carried is not None:
            weights[to] = carried[i]
