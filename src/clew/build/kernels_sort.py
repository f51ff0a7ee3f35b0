# mypy: ignore-errors
"""Sort every row by neighbour, stably, carrying the weights: by insertion, by merging, or by radix for hubs."""

import numpy as np
from numba import njit

INSERTION = 24  # rows up to here are fastest by insertion
RADIX = 4096  # rows from here on are fastest by radix
DIGIT = 11


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
        for i in range(indptr[row] + 1, indptr[row + 1]):
            if indices[i - 1] > indices[i]:
                return False
    return True


@njit(cache=True, nogil=True)
def sort_rows(part, bounds, indptr, indices, weights):
    """Sort every row of one block in place."""
    longest = 0
    for row in range(bounds[part], bounds[part + 1]):
        longest = max(longest, indptr[row + 1] - indptr[row])
    spare = np.empty(longest if longest > INSERTION else 0, indices.dtype)
    if weights is None:
        for row in range(bounds[part], bounds[part + 1]):
            _sort_row(indices, None, indptr[row], indptr[row + 1], spare, None)
    else:
        spare_weights = np.empty(spare.size, weights.dtype)
        for row in range(bounds[part], bounds[part + 1]):
            _sort_row(indices, weights, indptr[row], indptr[row + 1], spare, spare_weights)


@njit(cache=True, nogil=True)
def _sort_row(keys, values, start, stop, spare, spare_values):
    i = start + 1
    while i < stop and keys[i - 1] <= keys[i]:
        i += 1
    if i >= stop:
        return
    if stop - start <= INSERTION:
        _insertion(keys, values, start, stop)
    elif stop - start < RADIX:
        _merge(keys, values, start, stop, spare, spare_values)
    else:
        _radix(keys, values, start, stop, spare, spare_values)


@njit(cache=True, nogil=True, inline="always")
def _insertion(keys, values, start, stop):
    for i in range(start + 1, stop):
        key = keys[i]
        j = i - 1
        if values is not None:
            value = values[i]
            while j >= start and keys[j] > key:
                keys[j + 1] = keys[j]
                values[j + 1] = values[j]
                j -= 1
            values[j + 1] = value
        else:
            while j >= start and keys[j] > key:
                keys[j + 1] = keys[j]
                j -= 1
        keys[j + 1] = key


@njit(cache=True, nogil=True)
def _merge(keys, values, start, stop, spare, spare_values):
    """Sorted runs of INSERTION keys, then bottom-up merges; only the left run of a merge is copied out."""
    for low in range(start, stop, INSERTION):
        _insertion(keys, values, low, min(low + INSERTION, stop))
    width = INSERTION
    while width < stop - start:
        for low in range(start, stop - width, 2 * width):
            middle = low + width
            high = min(middle + width, stop)
            if keys[middle - 1] <= keys[middle]:
                continue
            for i in range(width):
                spare[i] = keys[low + i]
            if values is not None:
                for i in range(width):
                    spare_values[i] = values[low + i]
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
def _radix(keys, values, start, stop, spare, spare_values):
    """Least significant digit first; as many digits as the largest key needs."""
    size = stop - start
    largest = keys[start]
    for i in range(start + 1, stop):
        largest = max(largest, keys[i])
    mask = (1 << DIGIT) - 1
    places = np.empty(mask + 2, np.int64)
    shift = 0
    while shift == 0 or (largest >> shift) > 0:
        places[:] = 0
        for i in range(start, stop):
            places[((keys[i] >> shift) & mask) + 1] += 1
        for digit in range(mask):
            places[digit + 1] += places[digit]
        for i in range(start, stop):
            digit = (keys[i] >> shift) & mask
            to = places[digit]
            places[digit] = to + 1
            spare[to] = keys[i]
            if values is not None:
                spare_values[to] = values[i]
        for i in range(size):
            keys[start + i] = spare[i]
        if values is not None:
            for i in range(size):
                values[start + i] = spare_values[i]
        shift += DIGIT
