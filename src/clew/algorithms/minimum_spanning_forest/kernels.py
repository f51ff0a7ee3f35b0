# mypy: ignore-errors
"""Kruskal's algorithm that sorts as few edges as it can (Osipov, Sanders, Singler 2009).

Edges are partitioned as in quicksort. The lighter part is done first. Of the heavier part, edges whose ends are
connected by then are dropped, before it is partitioned in turn. Most edges of a graph are never sorted.

An edge is an entry of four arrays: its key, its ends and its number. Equal keys are ordered by number.
"""

import numpy as np

from clew.jit import njit

FEW = 32  # edges that are sorted by insertion


@njit(cache=True, nogil=True)
def filter_kruskal(keys, first, second, number, in_order, above, chosen):
    """Write the numbers of the chosen edges in their order; returns how many there are.

    ``above`` starts as the vertices themselves. ``in_order`` says that the edges are sorted already.
    """
    waiting = np.empty((64, 2), np.int64)  # ranges of edges, the lightest last
    waiting[0, 0], waiting[0, 1] = 0, keys.size
    top, count = 1, 0
    while top > 0 and count + 1 < above.size:
        top -= 1
        low, high = waiting[top, 0], waiting[top, 1]
        if count > 0 and high - low > FEW:
            high = _keep_open(keys, first, second, number, low, high, above)
        while high - low > FEW and not in_order:
            middle = _partition(keys, first, second, number, low, high)
            if top == waiting.shape[0]:
                more = np.empty((2 * top, 2), np.int64)
                more[:top] = waiting
                waiting = more
            waiting[top, 0], waiting[top, 1] = middle, high
            top += 1
            high = middle
        if not in_order:
            _insertion_sort(keys, first, second, number, low, high)
        for i in range(np.uint64(low), np.uint64(high)):
            a, b = _root(above, first[i]), _root(above, second[i])
            if a != b:
                above[max(a, b)] = min(a, b)
                chosen[count] = number[i]
                count += 1
    return count


@njit(cache=True, nogil=True)
def _root(above, v):
    while above[v] != v:
        above[v] = above[above[v]]
        v = above[v]
    return v


@njit(cache=True, nogil=True)
def _keep_open(keys, first, second, number, low, high, above):
    """Move the edges whose ends are not connected to the front of a range; returns where they end."""
    end = np.uint64(low)
    for i in range(np.uint64(low), np.uint64(high)):
        if _root(above, first[i]) != _root(above, second[i]):
            keys[end], first[end], second[end], number[end] = keys[i], first[i], second[i], number[i]
            end += np.uint64(1)
    return np.int64(end)


@njit(cache=True, nogil=True)
def _before(key, edge, other_key, other_edge):
    return key < other_key or (key == other_key and edge < other_edge)


@njit(cache=True, nogil=True)
def _swap(keys, first, second, number, i, j):
    keys[i], keys[j] = keys[j], keys[i]
    first[i], first[j] = first[j], first[i]
    second[i], second[j] = second[j], second[i]
    number[i], number[j] = number[j], number[i]


@njit(cache=True, nogil=True)
def _partition(keys, first, second, number, low, high):
    """Bring the lighter edges of a range to its front, by the median of three; returns where the heavier ones start."""
    i, j, middle = np.uint64(low), np.uint64(high - 1), np.uint64((low + high) // 2)
    one = np.uint64(1)
    if _before(keys[middle], number[middle], keys[i], number[i]):
        _swap(keys, first, second, number, i, middle)
    if _before(keys[j], number[j], keys[middle], number[middle]):
        _swap(keys, first, second, number, j, middle)
        if _before(keys[middle], number[middle], keys[i], number[i]):
            _swap(keys, first, second, number, i, middle)
    key, edge = keys[middle], number[middle]
    while True:
        while _before(keys[i], number[i], key, edge):
            i += one
        while _before(key, edge, keys[j], number[j]):
            j -= one
        if i >= j:
            return np.int64(i)
        _swap(keys, first, second, number, i, j)
        i += one
        j -= one


@njit(cache=True, nogil=True)
def _insertion_sort(keys, first, second, number, low, high):
    for start in range(low + 1, high):
        i = np.uint64(start)
        key, a, b, edge = keys[i], first[i], second[i], number[i]
        while i > np.uint64(low):
            before = i - np.uint64(1)
            if not _before(key, edge, keys[before], number[before]):
                break
            keys[i], first[i], second[i], number[i] = keys[before], first[before], second[before], number[before]
            i = before
        keys[i], first[i], second[i], number[i] = key, a, b, edge
