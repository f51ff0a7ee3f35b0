# mypy: ignore-errors
"""Sort every row by neighbour, stably, carrying the weights: by insertion, by merging, or by radix for hubs."""

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


@njit(cache=True, nogil=True)
def _sort_long(keys, values):
    if keys.size < RADIX:
        _merge(keys, values)
    else:
        _radix(keys, values)


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
def _merge(keys, values):
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
def _radix(keys, values):
    """Least significant digit first; as many digits as the largest key needs."""
    largest = keys.max()
    mask = keys.dtype.type((1 << DIGIT) - 1)
    spare = np.empty_like(keys)
    if values is not None:
        spare_values = np.empty_like(values)
    places = np.empty((1 << DIGIT) + 1, np.uint64)
    shift = np.uint64(0)
    while shift == 0 or (largest >> shift) > 0:
        places[:] = 0
        for i in range(keys.size):
            places[np.uint64((keys[i] >> shift) & mask) + ONE] += ONE
        for digit in range(1 << DIGIT):
            places[digit + 1] += places[digit]
        for i in range(keys.size):
            digit = (keys[i] >> shift) & mask
            to = places[digit]
            places[digit] = to + ONE
            spare[to] = keys[i]
            if values is not None:
                spare_values[to] = values[i]
        keys[:] = spare
        if values is not None:
            values[:] = spare_values
        shift += np.uint64(DIGIT)
