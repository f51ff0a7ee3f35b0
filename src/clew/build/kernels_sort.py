# mypy: ignore-errors
"""Sort every row by neighbour, stably, carrying the weights: by insertion, by merging, or by radix for hubs.

Then merge equal neighbours, and drop self-loops, in place.
"""

import numpy as np

from clew.jit import njit

INSERTION = 24  # rows up to here are fastest by insertion
NEARLY = 2048  # and so are nearly sorted rows up to here: an element is moved by few places
RADIX = 4096  # rows from here on are fastest by radix
DIGIT = 11
ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def row_blocks(indptr, parts):
    """Boundaries of ``parts`` blocks of rows with about as many arcs (and rows) each."""
    num_vertices = indptr.size - 1
    work = indptr[num_vertices] + num_vertices
    bounds = np.empty(parts + 1, np.int64)
    bounds[0] = 0
    for part in range(1, parts):
        goal = part * work // parts
        low, high = bounds[part - 1], num_vertices
        while low < high:
            middle = (low + high) // 2
            if indptr[middle] + middle < goal:
                low = middle + 1
            else:
                high = middle
        bounds[part] = low
    bounds[parts] = num_vertices
    return bounds


@njit(cache=True, nogil=True)
def rows_are_sorted(part, bounds, indptr, indices):
    """Whether every row of one block is in ascending order."""
    for row in range(bounds[part], bounds[part + 1]):
        mine = indices[indptr[row] : indptr[row + 1]]
        wrong = 0
        for i in range(1, mine.size):
            wrong += mine[i - 1] > mine[i]
        if wrong > 0:
            return False
    return True


@njit(cache=True, nogil=True)
def sort_rows(part, bounds, indptr, indices, weights):
    """Sort every row of one block in place; offsets and ids are unsigned."""
    for row in range(bounds[part], bounds[part + 1]):
        sort_row(indices, weights, indptr[row], indptr[row + 1], False)


@njit(cache=True, nogil=True, inline="always")
def sort_row(keys, values, start, stop, nearly_sorted):
    """Sort keys[start:stop] in place. Short rows are sorted without a slice, which would cost more than the sort."""
    size = stop - start
    if size <= INSERTION or (nearly_sorted and size <= NEARLY):
        _insertion(keys, values, start, stop)
    elif values is None:
        _sort_long(keys[start:stop], None)
    else:
        _sort_long(keys[start:stop], values[start:stop])


@njit(cache=True, nogil=True, apart=True)
def _sort_long(keys, values):
    if keys.size < RADIX:
        merge_sort(keys, values)
    else:
        radix_sort(keys, values)


@njit(cache=True, nogil=True)
def _insertion(keys, values, start, stop):
    for i in range(start + ONE, stop):
        key = keys[i]
        if keys[i - ONE] <= key:
            continue
        j = i
        if values is None:
            while j > start and keys[j - ONE] > key:
                keys[j] = keys[j - ONE]
                j -= ONE
        else:
            value = values[i]
            while j > start and keys[j - ONE] > key:
                keys[j] = keys[j - ONE]
                values[j] = values[j - ONE]
                j -= ONE
            values[j] = value
        keys[j] = key


@njit(cache=True, nogil=True)
def merge_sort(keys, values):
    """Sorted runs of INSERTION keys, then bottom-up merges; only the left run of a merge is copied out."""
    size = keys.size
    for low in range(0, size, INSERTION):
        _insertion(keys, values, np.uint64(low), np.uint64(min(low + INSERTION, size)))
    spare = np.empty(size, keys.dtype)
    if values is not None:
        spare_values = np.empty(size, values.dtype)
    width = INSERTION
    while width < size:
        for low in range(0, size - width, 2 * width):
            middle = low + width
            high = min(middle + width, size)
            if keys[middle - 1] <= keys[middle]:
                continue
            spare[:width] = keys[low:middle]
            if values is not None:
                spare_values[:width] = values[low:middle]
            left = 0
            right = middle
            to = low
            while left < width:
                if right < high and keys[right] < spare[left]:
                    keys[to] = keys[right]
                    if values is not None:
                        values[to] = values[right]
                    right += 1
                else:
                    keys[to] = spare[left]
                    if values is not None:
                        values[to] = spare_values[left]
                    left += 1
                to += 1
        width *= 2


@njit(cache=True, nogil=True)
def radix_sort(keys, values):
    """Least significant digit first; as many digits as the largest key needs."""
    largest = keys.max()
    mask = keys.dtype.type((1 << DIGIT) - 1)
    now, later = keys, np.empty_like(keys)
    if values is not None:
        now_values, later_values = values, np.empty_like(values)
    places = np.empty((1 << DIGIT) + 1, np.uint64)
    shift = np.uint64(0)
    while shift == 0 or (largest >> shift) > 0:
        places[:] = 0
        for i in range(keys.size):
            places[np.uint64((now[i] >> shift) & mask) + ONE] += ONE
        for digit in range(1 << DIGIT):
            places[digit + 1] += places[digit]
        for i in range(keys.size):
            digit = (now[i] >> shift) & mask
            to = places[digit]
            places[digit] = to + ONE
            later[to] = now[i]
            if values is not None:
                later_values[to] = now_values[i]
        now, later = later, now
        if values is not None:
            now_values, later_values = later_values, now_values
        shift += np.uint64(DIGIT)
    if (shift // np.uint64(DIGIT)) % np.uint64(2) == ONE:  # passes
        keys[:] = now
        if values is not None:
            values[:] = now_values


FIRST, MIN, MAX, SUM = range(4)


@njit(cache=True, nogil=True)
def merge_rows(part, bounds, first_row, indptr, indices, weights, mode, merge, drop_loops, lengths):
    """Compact every row of one block at its own start; lengths[row] becomes its new length.

    The rows are those of vertices from ``first_row`` on.

    Returns (merged arcs, merged self-loops, dropped self-loops, sums that do not fit the weights' type).
    """
    merged = 0
    merged_loops = 0
    dropped = 0
    overflows = 0
    for row in range(bounds[part], bounds[part + 1]):
        start, stop = indptr[row], indptr[row + 1]
        if not (drop_loops or _has_duplicates(indices, start, stop)):
            lengths[row] = stop - start
            continue
        to = start
        for i in range(start, stop):
            neighbor = indices[i]
            if drop_loops and neighbor == first_row + row:
                dropped += 1
            elif merge and to > start and indices[to - 1] == neighbor:
                merged += 1
                merged_loops += neighbor == first_row + row
                if weights is not None and mode != FIRST:
                    kept = weights[to - 1]
                    new = weights[i]
                    if mode == SUM:
                        total = weights.dtype.type(kept + new)
                        overflows += _overflowed(kept, new, total)
                        weights[to - 1] = total
                    elif kept == kept and (new != new or (mode == MIN and new < kept) or (mode == MAX and new > kept)):
                        weights[to - 1] = new  # NaN wins, as in NumPy's minimum and maximum
            else:
                indices[to] = neighbor
                if weights is not None:
                    weights[to] = weights[i]
                to += 1
        lengths[row] = to - start
    return merged, merged_loops, dropped, overflows


@njit(cache=True, nogil=True, inline="always")
def _has_duplicates(indices, start, stop):
    """Whether a sorted row names a neighbour twice; most rows do not, and are left as they are."""
    mine = indices[start:stop]
    repeated = 0
    for i in range(1, mine.size):
        repeated += mine[i - 1] == mine[i]
    return repeated > 0


@njit(cache=True, nogil=True, inline="always")
def _overflowed(a, b, total):
    """Whether an integer sum wrapped around; sums of floats and bools never count as such."""
    if b >= 0:
        return total < a
    return total > a


@njit(cache=True, nogil=True)
def close_gaps(indptr, lengths, indices, weights):
    """Move every row left to where the one before it ends; returns the number of arcs that are left.

    Most rows end where the next begins and move as one run.
    """
    to = np.int64(0)
    run, end = np.int64(0), np.int64(0)  # rows that lie together and have not been moved yet
    for row in range(lengths.size):
        start, length = indptr[row], lengths[row]
        if start != end:
            to = _move(indices, weights, run, end, to)
            run, end = start, start
        indptr[row] = to + (end - run)
        end += length
    to = _move(indices, weights, run, end, to)
    indptr[lengths.size] = to
    return to


@njit(cache=True, nogil=True)
def _move(indices, weights, start, stop, to):
    """Copy start…stop-1 to ``to`` and what follows; returns where the copy ends."""
    if start != to:
        back = np.uint64(start - to)
        for i in range(np.uint64(start), np.uint64(stop)):
            indices[i - back] = indices[i]
        if weights is not None:
            for i in range(np.uint64(start), np.uint64(stop)):
                weights[i - back] = weights[i]
    return to + (stop - start)
