# mypy: ignore-errors
"""The triangles of every edge, and edges removed level by level, by the number of triangles that are left."""

import numpy as np

from clew.algorithms.triangles.kernels import CHUNK, TAKEN
from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import barrier, stopped, take_chunk
from clew.jit import njit
from clew.kernels_search import next_from

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def supports(member, size, state, start, stop, items, numbers, support):
    """support[e] += the triangles that edge e is in; lists as in ``triangles.kernels``, with the numbers of edges."""
    num_vertices = np.uint64(start.size)
    mark = np.zeros(num_vertices, np.uint64)  # 1 + the number of the edge from u
    while not stopped(state):
        begin, end = take_chunk(state, TAKEN, CHUNK, num_vertices)
        if begin == num_vertices:
            break
        for u in range(begin, end):
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
def peel(indptr, indices, number, first, second, support, truss):
    """Fill ``truss`` by removing edges level by level: those that are in no more triangles than the level.

    ``support`` is the number of triangles that are left of every edge, and negative once it is removed. Edges that fall
    to the level by the removal of others go to the end of the queue.
    """
    stop = indptr[1:].copy()
    left, queue = np.arange(support.size).astype(number.dtype), np.empty(support.size, number.dtype)
    kept, level = np.uint64(left.size), np.int32(0)
    while kept > 0:
        count, waiting, nearest = kept, np.uint64(0), np.int32(2**31 - 1)
        kept = np.uint64(0)
        for i in range(count):
            e = np.uint64(left[i])
            if support[e] > level:
                left[kept] = e
                kept += ONE
                nearest = min(nearest, support[e])
            elif support[e] >= 0:
                waiting = _fall(e, level, truss, queue, waiting)
        if waiting == 0:
            level = nearest
            continue
        done = np.uint64(0)
        while done < waiting:
            e = np.uint64(queue[done])
            done += ONE
            if support[e] > 0:
                u, v = np.uint64(first[e]), np.uint64(second[e])
                if stop[u] - indptr[u] > stop[v] - indptr[v]:
                    u, v = v, u
                waiting = _remove(e, u, v, level, indptr, stop, indices, number, support, truss, queue, waiting)
            support[e] = -1
        level += np.int32(1)


@njit(cache=True, nogil=True)
def _fall(e, level, truss, queue, waiting):
    truss[e] = level + 2
    queue[waiting] = e
    return waiting + ONE


@njit(cache=True, nogil=True)
def _remove(e, u, v, level, indptr, stop, indices, number, support, truss, queue, waiting):
    """Take the triangles of edge e from the other edges in them; returns where the queue ends then.

    Removed edges leave the row of u, which is no longer than that of v: rows end at ``stop``.
    """
    todo, low, end, kept = support[e], indptr[v], stop[v], indptr[u]
    support[e] = -1
    for j in range(indptr[u], stop[u]):
        one, w = np.uint64(number[j]), indices[j]
        if support[one] < 0:
            continue
        indices[kept], number[kept] = w, one
        kept += ONE
        if todo == 0:
            continue
        low = next_from(indices, low, end, w)
        if low < end and indices[low] == w and support[number[low]] >= 0:
            for side in (one, np.uint64(number[low])):
                support[side] -= 1
                if support[side] == level:
                    waiting = _fall(side, level, truss, queue, waiting)
            todo -= 1
    stop[u] = kept
    return waiting
