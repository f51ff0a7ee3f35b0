# mypy: ignore-errors
"""Edges to rows, in parallel and in the order the edges were given, whatever the number of threads.

1. ``extent``            the smallest and largest id, so that everything after it may index without checks
2. ``count_buckets``     how many arcs each thread's share of the edges puts into each bucket of consecutive rows
3. ``cursors``           where each thread writes in each bucket
4. ``fill_buckets``      arcs to their buckets; few enough to stay in cache, which is why this beats one big scatter
5. ``place_rows``        every bucket on its own: sort by column, count, prefix sum, place

A bucket holds 2^shift rows, and within it a row is a 16-bit number where that suffices: 2 bytes an arc, not 4 or 8.
Weights are moved as unsigned integers of their size: moving them needs no other type, and fewer types compile faster.
"""

import numpy as np
from numba import njit

DIGIT = 11  # bits per pass of the radix sort: 2,048 counters fit the first-level cache


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
    """counts[t, b] = arcs that share t of the edges puts into bucket b; returns the self-loops in the share."""
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
    """Turn counts[t, b] into where share t starts writing in bucket b; starts[b] is where the bucket starts."""
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
def place_rows(bucket, starts, rows, columns, carried, shift, column_bits, indptr, indices, weights):
    """Turn one bucket into rows; with ``column_bits`` sorted ones, else arcs of a row stay in the order given.

    Sorting the whole bucket by column first (by radix, in cache, stably) leaves every row sorted once the arcs are placed:
    measured, that costs a third of sorting the rows one by one.
    """
    begin, end = starts[bucket], starts[bucket + 1]
    my_rows = rows[begin:end]
    my_columns = columns[begin:end]
    if column_bits > 0:
        spare_rows = np.empty_like(my_rows)
        spare_columns = np.empty_like(my_columns)
    else:
        spare_rows, spare_columns = my_rows, my_columns
    if carried is None:
        for low_bit in range(0, column_bits, DIGIT):
            _by_digit(my_rows, my_columns, None, low_bit, spare_rows, spare_columns, None)
            my_rows, spare_rows = spare_rows, my_rows
            my_columns, spare_columns = spare_columns, my_columns
        _place(bucket, begin, my_rows, my_columns, None, shift, indptr, indices, None)
    else:
        my_weights = carried[begin:end]
        spare_weights = np.empty_like(my_weights) if column_bits > 0 else my_weights
        for low_bit in range(0, column_bits, DIGIT):
            _by_digit(my_rows, my_columns, my_weights, low_bit, spare_rows, spare_columns, spare_weights)
            my_rows, spare_rows = spare_rows, my_rows
            my_columns, spare_columns = spare_columns, my_columns
            my_weights, spare_weights = spare_weights, my_weights
        _place(bucket, begin, my_rows, my_columns, my_weights, shift, indptr, indices, weights)


@njit(cache=True, nogil=True)
def _by_digit(rows, columns, weights, low_bit, to_rows, to_columns, to_weights):
    """One pass of a stable radix sort by column."""
    mask = (1 << DIGIT) - 1
    places = np.zeros(mask + 2, np.int64)
    for i in range(columns.size):
        places[((columns[i] >> low_bit) & mask) + 1] += 1
    for digit in range(mask):
        places[digit + 1] += places[digit]
    for i in range(columns.size):
        digit = (columns[i] >> low_bit) & mask
        to = places[digit]
        places[digit] = to + 1
        to_rows[to] = rows[i]
        to_columns[to] = columns[i]
        if weights is not None:
            to_weights[to] = weights[i]


@njit(cache=True, nogil=True)
def _place(bucket, begin, rows, columns, carried, shift, indptr, indices, weights):
    first = bucket << shift
    count = min(1 << shift, indptr.size - 1 - first)
    place = np.zeros(count, np.int64)
    for i in range(rows.size):
        place[rows[i]] += 1
    running = begin
    for row in range(count):
        degree = place[row]
        indptr[first + row] = running
        place[row] = running
        running += degree
    for i in range(rows.size):
        row = rows[i]
        to = place[row]
        place[row] = to + 1
        indices[to] = columns[i]
        if carried is not None:
            weights[to] = carried[i]
