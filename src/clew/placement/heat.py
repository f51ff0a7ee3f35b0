"""How much a row gains from fast memory: its expected number of reads, or the cost of an access."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clew import threads
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.graph import Graph

ROUNDS = 5  # of PageRank; the order of the hottest settles soon
DAMPING = np.float32(0.85)
WALKS, STEPS = 1 << 16, 32


def by_degree(graph: Graph) -> Array:
    """The in-degree of every vertex: each in-edge is a chance of a visit."""
    return graph.degrees("in")


def by_pagerank(graph: Graph) -> Array:
    """Approximate PageRank; the graph's in-edges are built and cached for it."""
    from clew.placement import kernels_budget as kernels

    into = graph.incoming
    rank = np.ones(graph.num_vertices, dtype=np.float32)
    passed = np.empty_like(rank)
    bounds = blocks_of(into)
    rows = (as_bits(into.indptr), as_bits(into.indices))
    for _ in range(ROUNDS):
        threads.each(kernels.pass_on, bounds.size - 1, bounds, as_bits(graph.indptr), rank, passed)
        threads.each(kernels.collect, bounds.size - 1, bounds, DAMPING, *rows, passed, rank)
    return rank


def by_access(graph: Graph) -> Array:
    """Visits of sampled random walks: far fewer steps than edges, so only a part of the graph is read."""
    from clew.placement import kernels_budget as kernels

    if not graph.num_vertices:
        return np.zeros(0, dtype=np.int64)
    visits = np.empty((STEPS, WALKS), dtype=np.int64)
    rows = (as_bits(graph.indptr), as_bits(graph.indices))
    pieces = threads.pieces(visits.size)
    threads.each(kernels.walk, pieces, pieces, np.uint64(1), *rows, as_bits(visits))
    return np.bincount(visits.reshape(-1), minlength=graph.num_vertices)


def by_cost(graph: Graph) -> Array:
    """The saving per byte of fast memory if every row is one access: the shorter the row, the larger.

    A row of b bytes costs a + b / w in slow memory, for an access cost a and a bandwidth w. That is (a + b / w) / b per
    byte, which decreases with b for any a and w. Empty rows are never read.
    """
    lengths = graph.degrees()
    heat: Array = np.where(lengths > 0, lengths.max(initial=0) + 1 - lengths, 0)
    return heat


HEAT: dict[str, Callable[[Graph], Array]] = {
    "degree": by_degree,
    "pagerank": by_pagerank,
    "access": by_access,
    "cost": by_cost,
}
