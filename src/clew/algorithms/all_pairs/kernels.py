# mypy: ignore-errors
"""All distances by Floyd and Warshall in tiles, or by one search of Dijkstra's per source.

The tiled form does SIDE rounds of the outer loop at once. It works on the diagonal tile, then on the tiles in its row
and column, then on all others. Each update is an outer sum and a minimum of three tiles that fit into the cache. Since
the first of these is closed under paths within it, the second needs no order of rounds either.

References
----------
G. Venkataraman, S. Sahni, S. Mukhopadhyaya: "A blocked all-pairs shortest-paths algorithm", JEA 8 (2003).
"""

import numpy as np

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import all_stop, barrier, counter
from clew.jit import njit

SIDE = 64  # of a tile: three of float64 take 96 KiB
UNROLL = 4  # rounds whose minimum is taken before it is written
TAKEN = 0  # counter
MEETINGS = 4  # barriers in a round of Floyd and Warshall
ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def fill(part, bounds, rows, weights, distance):
    """Set the rows of one block: the lightest edge to each vertex, 0 (or less) to the vertex itself."""
    indptr, indices = rows
    for u in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        for v in range(np.uint64(distance.shape[1])):
            distance[u, v] = np.inf
        distance[u, u] = 0
        for j in range(indptr[u], indptr[u + ONE]):
            v = indices[j]
            distance[u, v] = min(distance[u, v], weights[j])


@njit(cache=True, nogil=True)
def floyd_warshall(member, size, state, distance):
    """Replace the weights of edges by the lengths of shortest paths, in place. Missing edges are infinite."""
    number = distance.dtype
    left, upper, tile = np.empty((SIDE, SIDE), number), np.empty((SIDE, SIDE), number), np.empty((SIDE, SIDE), number)
    tiles = -(-distance.shape[0] // SIDE)
    for middle in range(tiles):
        if all_stop(state):
            break
        if member == 0:
            _load(distance, middle, middle, tile)
            _close(tile)
            _store(distance, middle, middle, tile)
            state[counter(TAKEN)] = 0
        barrier(size, state)
        _load(distance, middle, middle, left)
        while True:
            taken = atomic.add(state, counter(TAKEN), np.int64(1))
            if taken >= 2 * tiles:
                break
            other = taken // 2
            if other != middle:
                row, column = (middle, other) if taken % 2 == 0 else (other, middle)
                _load(distance, row, column, tile)
                _load(distance, row, column, upper)
                if row == middle:
                    _relax(left, upper, tile)
                else:
                    _relax(upper, left, tile)
                _store(distance, row, column, tile)
        barrier(size, state)
        if member == 0:
            state[counter(TAKEN)] = 0
        barrier(size, state)
        while True:
            row = atomic.add(state, counter(TAKEN), np.int64(1))
            if row >= tiles:
                break
            if row != middle:
                _load(distance, row, middle, left)
                for column in range(tiles):
                    if column != middle:
                        _load(distance, middle, column, upper)
                        _load(distance, row, column, tile)
                        _relax(left, upper, tile)
                        _store(distance, row, column, tile)
        barrier(size, state)


@njit(cache=True, nogil=True)
def _relax(left, upper, tile):
    """tile[i, j] = min(tile[i, j], left[i, k] + upper[k, j]) for all k."""
    for i in range(np.uint64(SIDE)):
        for k in range(np.uint64(0), np.uint64(SIDE), np.uint64(UNROLL)):
            a, b = left[i, k], left[i, k + np.uint64(1)]
            c, d = left[i, k + np.uint64(2)], left[i, k + np.uint64(3)]
            for j in range(np.uint64(SIDE)):
                first = _less(a + upper[k, j], b + upper[k + np.uint64(1), j])
                second = _less(c + upper[k + np.uint64(2), j], d + upper[k + np.uint64(3), j])
                tile[i, j] = _less(_less(first, second), tile[i, j])


@njit(cache=True, nogil=True)
def _close(tile):
    """Shortest paths within the tile on the diagonal."""
    for k in range(np.uint64(SIDE)):
        for i in range(np.uint64(SIDE)):
            a = tile[i, k]
            for j in range(np.uint64(SIDE)):
                tile[i, j] = _less(a + tile[k, j], tile[i, j])


@njit(inline="always")
def _less(x, y):
    """The smaller one as one instruction; what is not a number (infinity less infinity) is passed over."""
    return x if x < y else y


@njit(cache=True, nogil=True)
def _load(distance, row, column, tile):
    """Copy a tile out; beyond the last vertex, all is infinite."""
    top, left = row * SIDE, column * SIDE
    height, width = min(SIDE, distance.shape[0] - top), min(SIDE, distance.shape[1] - left)
    if height < SIDE or width < SIDE:
        tile[:] = np.inf
    tile[:height, :width] = distance[top : top + height, left : left + width]


@njit(cache=True, nogil=True)
def _store(distance, row, column, tile):
    top, left = row * SIDE, column * SIDE
    height, width = min(SIDE, distance.shape[0] - top), min(SIDE, distance.shape[1] - left)
    distance[top : top + height, left : left + width] = tile[:height, :width]


@njit(cache=True, nogil=True)
def dijkstra(member, taken, rows, weights, unreached, distance):
    """Fill whole rows of ``distance``; a member takes the next source until there are none."""
    num_vertices = distance.shape[0]
    heap = np.empty(num_vertices, rows[1].dtype)
    place = np.empty(num_vertices, np.int64)
    while True:
        source = atomic.add(taken, np.uint64(0), np.int64(1))
        if source >= num_vertices:
            break
        _search(rows, weights, source, unreached, distance[source], heap, place)


@njit(cache=True, nogil=True)
def _search(rows, weights, source, unreached, distance, heap, place):
    """Dijkstra's algorithm; ``place[v]`` is where ``v`` is in the heap, if it is there."""
    indptr, indices = rows
    distance[:] = unreached
    distance[source] = 0
    heap[0] = source
    size = 1
    while size > 0:
        u = heap[0]
        size -= 1
        if size > 0:
            down(heap, place, distance, size, heap[size])
        base = distance[u]
        for j in range(indptr[u], indptr[u + ONE]):
            v = indices[j]
            length = base + weights[j]
            if length < distance[v]:
                if distance[v] == unreached:
                    place[v] = size
                    size += 1
                distance[v] = length
                up(heap, place, distance, v)


@njit(cache=True, nogil=True)
def up(heap, place, distance, v):
    """Move ``v``, whose distance has become smaller, towards the top."""
    hole = place[v]
    while hole > 0:
        above = heap[(hole - 1) // 2]
        if distance[above] <= distance[v]:
            break
        heap[hole] = above
        place[above] = hole
        hole = (hole - 1) // 2
    heap[hole] = v
    place[v] = hole


@njit(cache=True, nogil=True)
def down(heap, place, distance, size, v):
    """Put ``v`` into a heap whose top was taken away."""
    hole = 0
    while True:
        child = 2 * hole + 1
        if child >= size:
            break
        if child + 1 < size and distance[heap[child + 1]] < distance[heap[child]]:
            child += 1
        if distance[heap[child]] >= distance[v]:
            break
        heap[hole] = heap[child]
        place[heap[hole]] = hole
        hole = child
    heap[hole] = v
    place[v] = hole
