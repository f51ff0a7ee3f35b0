# mypy: ignore-errors
"""Rows renumbered into a slow and a fast group, and which of a vertex's children the Degree strategy picks."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)
LOW = np.uint64(32)  # bits of a place within a row
MOST = np.uint64(2**32 - 1)


@njit(cache=True, nogil=True)
def move_rows(piece, bounds, boundary, indptr, indices, weights, new_ids, to_indptr, to_indices, to_weights):
    """Write the rows of one block to their new places, sorted: what both groups keep in order need not be sorted.

    Neighbours in the slow group come first, in the order they had. Those in the fast group are written from the row's
    end backwards and turned round after, so that every neighbour is looked up once and nothing is put aside.
    """
    for u in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        first = to_indptr[new_ids[u]]
        front = first
        back = first + (indptr[u + ONE] - indptr[u])
        end = back
        for i in range(indptr[u], indptr[u + ONE]):
            v = new_ids[indices[i]]
            if v < boundary:
                place = front
                front += ONE
            else:
                back -= ONE
                place = back
            to_indices[place] = v
            if weights is not None:
                to_weights[place] = weights[i]
        last = end
        while front + ONE < last:
            last -= ONE
            to_indices[front], to_indices[last] = to_indices[last], to_indices[front]
            if weights is not None:
                to_weights[front], to_weights[last] = to_weights[last], to_weights[front]
            front += ONE


@njit(cache=True, nogil=True)
def rarely_entered_children(piece, bounds, indptr, indices, in_degrees, threshold, percentile, fast):
    """Mark the children, of vertices with more than ``threshold``, whose rank among them is below the percentile.

    Children are ranked by in-degree, and those of the same in-degree with the largest id first, which is the order of
    the row backwards. All write the same value, so it does not matter who comes first.
    """
    longest = ONE
    for u in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        longest = max(longest, indptr[u + ONE] - indptr[u])
    keys = np.empty(longest, np.uint64)
    for u in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        start, size = indptr[u], indptr[u + ONE] - indptr[u]
        if size <= threshold:
            continue
        chosen = np.uint64(percentile * np.float64(size) / 100.0)  # the k-th of them has percentile 100 k / size
        while chosen > 0 and np.float64(chosen) * 100.0 >= percentile * np.float64(size):
            chosen -= ONE
        while np.float64(chosen + ONE) * 100.0 < percentile * np.float64(size):
            chosen += ONE
        if chosen == 0:
            continue
        for i in range(size):
            keys[i] = (np.uint64(in_degrees[indices[start + i]]) << LOW) | (size - ONE - i)
        _smallest_first(keys, chosen, size)
        for k in range(chosen):
            place = start + size - ONE - (keys[k] & MOST)
            fast[indices[place]] = True


@njit(cache=True, nogil=True)
def _smallest_first(keys, count, size):
    """Bring the ``count`` smallest of the first ``size`` keys to the front, by Hoare's selection; no two are equal."""
    low, high = np.uint64(0), size - ONE
    while low < high:
        a, b, c = keys[low], keys[(low + high) >> ONE], keys[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while True:
            while keys[i] < pivot:
                i += ONE
            while keys[j] > pivot:
                j -= ONE
            if i >= j:
                break
            keys[i], keys[j] = keys[j], keys[i]
        # The pivot is at i = j now: what is smaller is before it.
        if i + ONE == count or i == count:
            return
        if i < count:
            low = i + ONE
        else:
            high = i - ONE
