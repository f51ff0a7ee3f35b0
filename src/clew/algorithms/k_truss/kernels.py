# mypy: ignore-errors
"""The triangles of every edge, and edges removed by ascending number of triangles that are left."""

import numpy as np

from clew.algorithms.triangles.kernels import CHUNK, TAKEN
from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import barrier, counter, stopped
from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def supports(member, size, state, start, stop, items, numbers, support):
    """support[e] += the triangles that edge e is in; lists as in ``triangles.kernels``, with the numbers of edges."""
    num_vertices = np.uint64(start.size)
    mark = np.zeros(num_vertices, np.uint64)  # 1 + the number of the edge from u
    while not stopped(state):
        taken = np.uint64(atomic.add(state, counter(TAKEN), np.int64(CHUNK)))
        if taken >= num_vertices:
            break
        for u in range(taken, min(taken + np.uint64(CHUNK), num_vertices)):
            for i in range(start[u], stop[u]):
                mark[items[i]] = np.uint64(numbers[i]) + ONE
            for i in range(start[u], stop[u]):
                v = items[i]
                found = np.int32(0)
                for j in range(start[v], stop[v]):
                    hit = mark[items[j]]
                    if hit != 0:
                        found += np.int32(1)
                        atomic.add(support, np.uint64(numbers[j]), np.int32(1))
                        atomic.add(support, hit - ONE, np.int32(1))
                if found > 0:
                    atomic.add(support, np.uint64(numbers[i]), found)
            for i in range(start[u], stop[u]):
                mark[items[i]] = 0
    barrier(size, state)


@njit(cache=True, nogil=True)
def peel(indptr, indices, number, first, second, support):
    """Count every edge's support down to the number of triangles that it has when it is the next to be removed.

    Edges are in ``order`` of their supports, and ``bins`` says where each support begins there. An edge that loses a
    triangle moves to the beginning of its bin, which then begins one later. Removed edges leave a row when it is read
    again: rows end at ``stop``.
    """
    stop = indptr[1:].copy()
    m = np.uint64(support.size)
    largest = np.int32(0)
    for e in range(m):
        largest = max(largest, support[e])
    bins = np.zeros(np.int64(largest) + 2, np.uint64)
    for e in range(m):
        bins[support[e] + 1] += ONE
    for i in range(1, bins.size):
        bins[i] += bins[i - 1]
    order, place = np.empty(m, number.dtype), np.empty(m, number.dtype)
    for e in range(m):
        place[e] = bins[support[e]]
        order[place[e]] = e
        bins[support[e]] += ONE
    for i in range(bins.size - 1, 0, -1):
        bins[i] = bins[i - 1]
    bins[0] = 0
    for i in range(m):
        e = np.uint64(order[i])
        least = support[e]
        if least == 0:
            continue
        u, v = np.uint64(first[e]), np.uint64(second[e])
        if stop[u] - indptr[u] > stop[v] - indptr[v]:
            u, v = v, u
        low, kept, todo = indptr[v], indptr[u], least
        for j in range(indptr[u], stop[u]):
            one, w = np.uint64(number[j]), indices[j]
            if place[one] <= i:
                continue
            indices[kept], number[kept] = w, one
            kept += ONE
            if todo == 0:
                continue
            low = _at_least(indices, low, stop[v], w)
            if low < stop[v] and indices[low] == w:
                other = np.uint64(number[low])
                if place[other] > i:
                    _lose(one, least, support, bins, order, place)
                    _lose(other, least, support, bins, order, place)
                    todo -= 1
        stop[u] = kept


@njit(cache=True, nogil=True)
def _at_least(indices, low, high, w):
    """The first place in a sorted range with a value of at least ``w``: by steps that double, then by halves."""
    step = ONE
    while low + step < high and indices[low + step] < w:
        low += step
        step *= np.uint64(2)
    high = min(high, low + step)
    while low < high:
        middle = (low + high) // np.uint64(2)
        if indices[middle] < w:
            low = middle + ONE
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def _lose(e, least, support, bins, order, place):
    """Take a triangle from an edge, unless it falls with the current one anyway."""
    if support[e] <= least:
        return
    begin, here = bins[support[e]], place[e]
    head = order[begin]
    order[here], order[begin] = head, e
    place[head], place[e] = here, begin
    bins[support[e]] += ONE
    support[e] -= 1
