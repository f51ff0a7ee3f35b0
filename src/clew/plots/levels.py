"""Multilevel coarsening: smaller graphs of the same shape, whose layouts give the larger ones initial positions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clew import threads
from clew.dtypes import Array, as_bits

SMALLEST = 100  # vertices of a graph that is laid out directly
STALLED = 0.95  # coarsening stops if more than this share of the vertices remains


class Level(NamedTuple):
    """Rows of a connected undirected graph, and what its vertices and edges represent.

    ``charge`` is the number of edge ends of a vertex, and ``mass`` the number of original vertices in it. ``joined``
    maps each vertex of the finer level to one of this level (None at the finest).
    """

    indptr: Array
    indices: Array
    weights: Array | None
    charge: Array
    mass: Array
    joined: Array | None = None

    @property
    def rows(self) -> tuple[Array, Array, Array | None]:
        """The arrays that kernels read edges from."""
        return self.indptr, self.indices, self.weights

    @property
    def size(self) -> int:
        """The number of vertices."""
        return self.indptr.size - 1


def levels_of(finest: Level, random: np.random.Generator) -> list[Level]:
    """The graph itself, one with about a quarter of its vertices, and so on."""
    levels = [finest]
    while levels[-1].size > SMALLEST:
        half = _coarser(levels[-1], random)
        quarter = _coarser(half, random)
        if quarter.size > STALLED * levels[-1].size:
            break
        assert half.joined is not None
        assert quarter.joined is not None
        levels.append(quarter._replace(joined=quarter.joined[half.joined]))
    return levels


def _coarser(level: Level, random: np.random.Generator) -> Level:
    """The graph with pairs of vertices merged."""
    from clew.build.kernels_sort import close_gaps
    from clew.plots import kernels

    nobody = np.uint32(2**32 - 1)
    mate, waiting = np.full((2, level.size), nobody, dtype=np.uint32)
    order = random.permutation(np.arange(level.size, dtype=np.uint32))
    kernels.match(order, *level.rows, level.mass, nobody, mate, waiting)
    joined = np.empty(level.size, dtype=np.uint32)
    members = np.empty((level.size, 2), dtype=np.uint32)
    count = int(kernels.number_pairs(mate, nobody, joined, members))
    members = members[:count]

    degree = np.diff(level.indptr.view(np.int64))
    alone = members[:, 0] == members[:, 1]
    most = degree[members[:, 0]] + np.where(alone, 0, degree[members[:, 1]])
    indptr = np.concatenate(([0], np.cumsum(most)))  # with room for the rows of both
    indices = np.empty(int(indptr[-1]), dtype=np.uint32)
    weights = np.empty(indices.size, dtype=np.float32)
    length = np.empty(count, dtype=np.int64)
    pieces = threads.pieces(indices.size)
    room = (as_bits(indptr), indices, weights, as_bits(length))
    threads.each(kernels.contract, pieces, pieces, members, joined, *level.rows, *room)
    arcs = close_gaps(indptr, length, indices, weights)
    charge = np.bincount(joined, level.charge, count).astype(np.float32)
    mass = np.bincount(joined, level.mass, count).astype(np.float32)
    return Level(as_bits(indptr), indices[:arcs].copy(), weights[:arcs].copy(), charge, mass, joined)
