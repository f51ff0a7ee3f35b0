"""Breadth-first levels: the frontiers of a traversal."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.dtypes import Array, as_bits
from clew.graph import Graph

WIDE = 1 << 16  # edges of a frontier from which on it pays to wake other threads
MANY = 16  # where more than 1/MANY of the vertices are in the frontier, the others had better look for it


def levels_from(graph: Graph, source: int) -> npt.NDArray[np.int32]:
    """The level of every vertex, -1 where unreached. In-edges are used if they exist."""
    from clew.placement import kernels_levels as kernels

    n = graph.num_vertices
    depth = np.full(n, -1, dtype=np.int32)
    depth[source] = 0
    indptr, indices = as_bits(graph.indptr), as_bits(graph.indices)
    queue = np.empty(n, dtype=indices.dtype)
    queue[0] = source
    owner, seen = np.empty(n, dtype=np.uint16), np.zeros(-(-n // 8), dtype=np.uint8)
    start, stop, level = np.uint64(0), np.uint64(1), 0
    while start < stop:
        start, stop, level = kernels.search_narrow(indptr, indices, depth, queue, start, stop, level, np.uint64(WIDE))
        start, stop = np.uint64(start), np.uint64(stop)  # Numba gives Python's own integers back
        if start == stop:
            break
        level += 1
        if stop - start > n // MANY and graph.has_incoming:
            pieces = threads.pieces(n)
            into = (as_bits(graph.incoming.indptr), as_bits(graph.incoming.indices))
            found = threads.each(kernels.look_back, pieces, pieces, *into, depth, np.int32(level))
        else:
            pieces = min(threads.count() * threads.PIECES_PER_THREAD, int(stop - start), 2**16)
            frontier = queue[start:stop]
            found = threads.each(
                kernels.search_wide, pieces, pieces, indptr, indices, depth, seen, owner, frontier, np.int32(level)
            )
            found = threads.each(_kept, pieces, found, owner)
        start = stop
        for mine in found:
            queue[stop : stop + np.uint64(mine.size)] = mine
            stop += np.uint64(mine.size)
    return depth


def _kept(piece: int, found: list[Array], owner: Array) -> Array:
    """What one piece found and owns."""
    from clew.placement import kernels_levels as kernels

    return found[piece][: kernels.keep_own(piece, found[piece], owner)]


def level_sizes(graph: Graph, depth: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The number of vertices on every level, and the number of their edges."""
    from clew.placement import kernels_levels as kernels

    vertices, edges = kernels.level_sizes(depth, as_bits(graph.indptr))
    return vertices, edges


def places_in_levels(depth: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """For every vertex, the number of vertices with smaller ids on its level; 0 for those on none."""
    from clew.placement import kernels_levels as kernels

    place = np.zeros(depth.size, dtype=np.int64)
    kernels.places_in_levels(depth, np.zeros(int(depth.max(initial=0)) + 1, dtype=np.int64), place)
    return place
