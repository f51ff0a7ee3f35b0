"""The two sides of a bipartite graph, found or checked."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.algorithms.bipartite_matching import kernels
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.graph import Graph


def edge_within_a_side(graph: Graph, left: Array) -> tuple[int, int] | None:
    """An edge whose ends are both in ``left`` or both outside, where there is one."""
    bounds = blocks_of(graph.outgoing)
    rows = graph.outgoing.unsigned()
    found = threads.each(kernels.edge_within_a_side, bounds.size - 1, bounds, rows, left.view(np.uint8))
    return next(((int(u), int(v)) for u, v, wrong in found if wrong), None)


def two_sides(graph: Graph) -> tuple[Array, tuple[int, int] | None]:
    """Which vertices are on the left, and an edge that closes an odd cycle where there is one."""
    side = np.zeros(graph.num_vertices, dtype=np.uint8)
    queue = np.empty(graph.num_vertices, dtype=as_bits(graph.indices).dtype)
    u, v, odd = kernels.two_sides(graph.outgoing.unsigned(), side, queue)
    return side == kernels.LEFT, (int(u), int(v)) if odd else None
