# mypy: ignore-errors
"""Edges to rows, in parallel, and rows to other rows: transposed, cut down, renumbered.

Rows keep the order of the edges, for any number of threads. Edges become rows in four steps:

1. ``extent``            the smallest and largest id, so that everything after it may index without checks
2. ``count_buckets``     how many arcs each thread's share of the edges puts into each bucket of consecutive rows
3. ``fill_buckets``      arcs to their buckets; few enough to stay in cache, which is why this beats one big scatter
4. ``place_rows``        every bucket on its own: nearly sort by column, count, prefix sum, place, sort the rows

A bucket holds 2^shift rows, and within it a row is a 16-bit number where that suffices: 2 bytes an arc, not 4 or 8.

Ids and offsets are unsigned integers and pieces are slices. A signed index may count from the end in Numba. The test
for that costs a third of the time of these loops, and prevents vectorization. Weights come as unsigned integers of
their size: moving them needs no other type, and fewer types compile faster.
"""

import numpy as np

from clew.build.kernels_sort import sort_row
from clew.jit import njit
from clew.kernels_search import first_from

DIGIT = 11  # bits that buckets are sorted by: 2,048 counters fit the first-level cache
ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def extent(part, parts, values):
    """The smallest and the largest value of one part (0 and -1 where it is empty)."""
    mine = values[part * values.size // parts : (part + 1) * values.size // parts]
    if mine.size == 0:
        return np.int64(0), np.int64(-1)
    smallest = mine[0]
    largest = mine[0]
    for i in range(mine.size):
        smallest = min(smallest, mine[i])
        largest = max(largest, mine[i])
    return np.int64(smallest), np.int64(largest)


@njit(cache=True, nogil=True)
def count_buckets(part, source, target, shift, mirror, drop_loops, counts):
    """counts[t, b] = arcs that share t of the edges puts into bucket b; returns the self-loops in the share."""
    size, parts = source.size, counts.shape[0]
    my_source = source[part * size // parts : (part + 1) * size // parts]
    my_target = target[part * size // parts : (part + 1) * size // parts]
    mine = counts[part]
    loops = 0
    for i in range(my_source.size):
        u = my_source[i]
        v = my_target[i]
        if u == v:
            loops += 1
            if not drop_loops:
                mine[u >> shift] += ONE
        else:
            mine[u >> shift] += ONE
            if mirror:
                mine[v >> shift] += ONE
    return loops


@njit(cache=True, nogil=True)
def fill_buckets(part, source, target, weights, shift, mirror, drop_loops, places, rows, columns, carried):
    """Put one share of the arcs into their buckets, in the order given; places[t, b] is where share t starts in b."""
    size, parts = source.size, places.shape[0]
    start = part * size // parts
    my_source = source[start : (part + 1) * size // parts]
    my_target = target[start : (part + 1) * size // parts]
    low_bits = (ONE << shift) - ONE
    mine = places[part]
    for i in range(my_source.size):
        u = my_source[i]
        v = my_target[i]
        if u == v and drop_loops:
            continue
        place = mine[u >> shift]
        mine[u >> shift] = place + ONE
        rows[place] = u & low_bits
        columns[place] = v
        if weights is not None:
            carried[place] = weights[start + i]
        if mirror and u != v:
            place = mine[v >> shift]
            mine[v >> shift] = place + ONE
            rows[place] = v & low_bits
            columns[place] = u
            if weights is not None:
                carried[place] = weights[start + i]


@njit(cache=True, nogil=True)
def fill_range(
    source, target, weights, mirror, drop_loops, first, shift, bucket_of, firsts, places, rows, columns, carried
):
    """Put the arcs of a range of rows into their buckets, in the order given; False if there is no room for them.

    Cells of 2^shift rows belong to bucket ``bucket_of``. Row ``first`` is the first of the range, ``firsts`` has those
    of its buckets, counted from there, and ``places`` where their next arcs go.
    """
    span = firsts[firsts.size - 1]
    for i in range(source.size):
        u, v = np.uint64(source[i]), np.uint64(target[i])
        loop = u == v
        for turned in range(2 if mirror and not loop else 1):
            row, column = (v - first, u) if turned else (u - first, v)
            if row < span and not (loop and drop_loops):
                bucket = bucket_of[row >> shift]
                place = places[bucket]
                if place >= np.uint64(rows.size):
                    return False
                places[bucket] = place + ONE
                rows[place] = row - firsts[bucket]
                columns[place] = column
                if weights is not None:
                    carried[place] = weights[i]
    return True


@njit(cache=True, nogil=True)
def place_rows(part, bounds, starts, rows, columns, carried, firsts, presort, low_bit, indptr, indices, weights):
    """Turn buckets bounds[part]…bounds[part + 1]-1 into sorted rows; returns how often neighbours in a row are equal.

    Bucket b has the rows from firsts[b] to firsts[b + 1]-1.

    Equal neighbours stay in the order given. With ``presort``, a bucket is first brought into the order of its columns'
    bits from ``low_bit`` up, by one radix pass in cache. That leaves every row nearly sorted, and such rows are
    what insertion is fastest at.
    """
    largest = 0
    if presort:
        for bucket in range(bounds[part], bounds[part + 1]):
            largest = max(largest, np.int64(starts[bucket + ONE] - starts[bucket]))
    # One scratch for all buckets: memory that is given back and taken again costs more than the sort.
    spare_rows = np.empty(largest, rows.dtype)
    spare_columns = np.empty(spare_rows.size, columns.dtype)
    if carried is not None:
        spare_weights = np.empty(spare_rows.size, carried.dtype)
    repeated = 0
    for bucket in range(bounds[part], bounds[part + 1]):
        begin, end = starts[bucket], starts[bucket + ONE]
        my_indptr = indptr[firsts[bucket] : firsts[bucket + ONE]]
        my_rows, my_columns = rows[begin:end], columns[begin:end]
        if carried is None:
            if presort:
                _by_digit(my_rows, my_columns, None, low_bit, spare_rows, spare_columns, None)
                my_rows, my_columns = spare_rows[: end - begin], spare_columns[: end - begin]
            repeated += _place(begin, my_rows, my_columns, None, my_indptr, indices[begin:end], None, presort)
        else:
            mine = carried[begin:end]
            if presort:
                _by_digit(my_rows, my_columns, mine, low_bit, spare_rows, spare_columns, spare_weights)
                my_rows, my_columns = spare_rows[: end - begin], spare_columns[: end - begin]
                mine = spare_weights[: end - begin]
            to = weights[begin:end]
            repeated += _place(begin, my_rows, my_columns, mine, my_indptr, indices[begin:end], to, presort)
    return repeated


@njit(cache=True, nogil=True)
def _by_digit(rows, columns, weights, low_bit, to_rows, to_columns, to_weights):
    """Stably sorted by the DIGIT bits of the column from ``low_bit`` up."""
    places = np.zeros((1 << DIGIT) + 1, np.uint64)
    for i in range(columns.size):
        places[(columns[i] >> low_bit) + ONE] += ONE
    for digit in range(1 << DIGIT):
        places[digit + 1] += places[digit]
    for i in range(columns.size):
        digit = columns[i] >> low_bit
        to = places[digit]
        places[digit] = to + ONE
        to_rows[to] = rows[i]
        to_columns[to] = columns[i]
        if weights is not None:
            to_weights[to] = weights[i]


@njit(cache=True, nogil=True)
def _place(begin, rows, columns, carried, indptr, indices, weights, nearly_sorted):
    """Place the arcs of one bucket, whose rows' offsets are ``indptr``, and sort every row."""
    place = np.zeros(indptr.size, np.uint64)
    for i in range(rows.size):
        place[rows[i]] += ONE
    running = np.uint64(0)
    for row in range(indptr.size):
        degree = place[row]
        indptr[row] = begin + running
        place[row] = running
        running += degree
    for i in range(rows.size):
        row = rows[i]
        to = place[row]
        place[row] = to + ONE
        indices[to] = columns[i]
        if carried is not None:
            weights[to] = carried[i]
    start = np.uint64(0)
    repeated = 0
    for row in range(indptr.size):
        stop = place[row]
        sort_row(indices, weights, start, stop, nearly_sorted)
        for i in range(start + ONE, stop):
            repeated += indices[i - ONE] == indices[i]
        start = stop
    return repeated


@njit(cache=True, nogil=True)
def count_columns(part, bounds, indptr, indices, counts):
    """counts[t, v] = arcs into v from block t of the rows."""
    mine = counts[part]
    targets = indices[indptr[bounds[part]] : indptr[bounds[part + 1]]]
    for i in range(targets.size):
        mine[targets[i]] += ONE


@njit(cache=True, nogil=True)
def column_totals(part, parts, counts):
    """The number of arcs into one part of the vertices."""
    num_vertices = counts.shape[1]
    total = np.uint64(0)
    for block in range(counts.shape[0]):
        mine = counts[block, part * num_vertices // parts : (part + 1) * num_vertices // parts]
        for v in range(mine.size):
            total += mine[v]
    return total


@njit(cache=True, nogil=True)
def column_places(part, parts, counts, starts, indptr):
    """Turn counts into the places where each block of rows writes; fills the offsets of the transposed rows."""
    num_vertices = counts.shape[1]
    place = starts[part]
    first = part * num_vertices // parts
    mine = counts[:, first : (part + 1) * num_vertices // parts]
    for v in range(mine.shape[1]):
        indptr[first + v] = place
        for block in range(mine.shape[0]):
            count = mine[block, v]
            mine[block, v] = place
            place += count


@njit(cache=True, nogil=True)
def place_columns(part, bounds, indptr, indices, weights, places, to_indices, to_weights):
    """Rows are visited in ascending order, so the transposed rows come out sorted."""
    mine = places[part]
    for u in range(bounds[part], bounds[part + 1]):
        start = indptr[u]
        targets = indices[start : indptr[u + 1]]
        for i in range(targets.size):
            v = targets[i]
            place = mine[v]
            mine[v] = place + ONE
            to_indices[place] = u
            if weights is not None:
                to_weights[place] = weights[start + i]


@njit(cache=True, nogil=True)
def first_asymmetry(indptr, indices, weights):
    """The first arc (u, v) without an equal (v, u), or (-1, -1).

    Rows are sorted and visited in ascending order, so what u must find in row v is always what comes next there.
    Parallel edges may list their weights in another order in the other row, so those are compared as sets.
    """
    num_vertices = indptr.size - 1
    place = indptr[:-1].copy()
    for u in range(num_vertices):
        i = indptr[u]
        while i < indptr[u + 1]:
            v = indices[i]
            stop = i + 1
            while stop < indptr[u + 1] and indices[stop] == v:
                stop += 1
            back = place[v]
            count = stop - i
            if back + count > indptr[v + 1]:
                return u, v
            for j in range(back, back + count):
                if indices[j] != u:
                    return u, v
            if weights is not None:
                if count == 1:
                    if weights[i] != weights[back]:
                        return u, v
                elif not np.array_equal(np.sort(weights[i:stop]), np.sort(weights[back : back + count])):
                    return u, v
            place[v] = back + count
            i = stop
    return -1, -1


@njit(cache=True, nogil=True)
def sources(part, bounds, indptr, out):
    """The source of every arc, in order."""
    for u in range(bounds[part], bounds[part + 1]):
        for i in range(indptr[u], indptr[u + 1]):
            out[i] = u


@njit(cache=True, nogil=True)
def count_kept(part, bounds, indptr, indices, keep, lengths):
    """lengths[u] = arcs of u whose both ends are kept (0 for a vertex that is not)."""
    for u in range(bounds[part], bounds[part + 1]):
        length = 0
        if keep[u]:
            for i in range(indptr[u], indptr[u + 1]):
                length += keep[indices[i]]
        lengths[u] = length


@njit(cache=True, nogil=True)
def move_rows(part, bounds, indptr, indices, weights, keep, new_ids, to_indptr, to_indices, to_weights):
    """Write the kept arcs of every kept vertex to the row of its new id; rows are not sorted afterwards."""
    for u in range(bounds[part], bounds[part + 1]):
        if keep[u]:
            place = to_indptr[new_ids[u]]
            for i in range(indptr[u], indptr[u + 1]):
                v = indices[i]
                if keep[v]:
                    to_indices[place] = new_ids[v]
                    if weights is not None:
                        to_weights[place] = weights[i]
                    place += 1


@njit(cache=True, nogil=True)
def count_loops(part, bounds, base, indptr, indices):
    """The number of arcs from a vertex of one block to itself, by bisection; row 0 is vertex ``base``."""
    found = 0
    for u in range(bounds[part], bounds[part + 1]):
        end = np.uint64(indptr[u + 1])
        place = first_from(indices, np.uint64(indptr[u]), end, u + base)
        while place < end and indices[place] == u + base:
            found += 1
            place += ONE
    return found
