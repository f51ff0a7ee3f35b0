# mypy: ignore-errors
"""Triangles by the directions of their edges."""

import numpy as np

from clew.algorithms.triangles.kernels import CHUNK, TAKEN
from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import barrier, stopped, take_chunk
from clew.jit import njit


@njit(cache=True, nogil=True)
def triangle_codes(member, size, state, start, stop, items, sides, codes):
    """codes[c] += the triangles u, v, w of code c: the sides from u to v, 4 times u to w, and 16 times v to w.

    Lists are as in ``triangles.kernels``. ``sides`` is 1 where an edge leads to the item, 2 where one comes from it,
    and 3 where both do.
    """
    num_vertices = np.uint64(start.size)
    mark = np.zeros(num_vertices, np.uint8)
    own = np.zeros(64, np.int64)
    while not stopped(state):
        begin, end = take_chunk(state, TAKEN, CHUNK, num_vertices)
        if begin == num_vertices:
            break
        for u in range(begin, end):
            for i in range(start[u], stop[u]):
                mark[items[i]] = sides[i]
            for i in range(start[u], stop[u]):
                v = items[i]
                for j in range(start[v], stop[v]):
                    hit = mark[items[j]]
                    if hit != 0:
                        own[np.int64(sides[i]) + 4 * np.int64(hit) + 16 * np.int64(sides[j])] += 1
            for i in range(start[u], stop[u]):
                mark[items[i]] = 0
    for code in range(64):
        if own[code] > 0:
            atomic.add(codes, np.uint64(code), own[code])
    barrier(size, state)
