"""Bipartite matching on the CPU: finding the sides, and memory for the kernels."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.algorithms.bipartite_matching import summary
from clew.algorithms.registry import Answer
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.graph import Graph


def edge_within_a_side(graph: Graph, left: Array) -> tuple[int, int] | None:
    """An edge whose ends are both in ``left`` or both outside, where there is one."""
    from clew.algorithms.bipartite_matching import kernels

    bounds = blocks_of(graph.outgoing)
    rows = graph.outgoing.unsigned()
    found = threads.each(kernels.edge_within_a_side, bounds.size - 1, bounds, rows, left.view(np.uint8))
    return next(((int(u), int(v)) for u, v, wrong in found if wrong), None)


def two_sides(graph: Graph) -> tuple[Array, tuple[int, int] | None]:
    """Which vertices are on the left, and an edge that closes an odd cycle where there is one."""
    from clew.algorithms.bipartite_matching import kernels

    side = np.zeros(graph.num_vertices, dtype=np.uint8)
    queue = np.empty(graph.num_vertices, dtype=as_bits(graph.indices).dtype)
    u, v, odd = kernels.two_sides(graph.outgoing.unsigned(), side, queue)
    return side == kernels.LEFT, (int(u), int(v)) if odd else None


def bipartite_matching(graph: Graph, left: Array, maximum: bool) -> Answer:
    """A maximal or a maximum matching between ``left`` and the rest; the graph is undirected."""
    from clew.algorithms.bipartite_matching import kernels

    n = graph.num_vertices
    rows = graph.outgoing.unsigned()
    side = np.where(left, np.uint8(kernels.LEFT), np.uint8(kernels.RIGHT))
    mate = np.full(n, -1, dtype=graph.indices.dtype)
    partners = as_bits(mate)
    none = partners.dtype.type(np.iinfo(partners.dtype).max)
    counts, stack = np.empty(n, dtype=np.uint64), np.empty(n, dtype=partners.dtype)
    paths = [kernels.karp_sipser(rows, side, counts, stack, partners, none)]  # of one edge each
    if maximum:
        seen, looked = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.uint64)
        # A call for every phase, so that Ctrl-C is honoured between them.
        while found := kernels.augment(rows, side, partners, none, len(paths), seen, counts, looked, stack):
            paths.append(found)
    return summary(mate, left, paths)
