"""Distances from many vertices, as many at a time as fit a bounded memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.graph import Graph
from clew.nx.path_search import check_lengths

#: Bytes that a block of distances may take.
BLOCK = 1 << 26


def hops(graph: Graph, sources: Array) -> Iterator[tuple[Array, Array]]:
    """Blocks of sources with a row of depths each, -1 where unreached."""
    # 64 sources share a search; a multiple of that for every thread to have one.
    size = max(64, BLOCK // (4 * max(1, graph.num_vertices)) // 64 * 64)
    for first in range(0, sources.size, size):
        block = sources[first : first + size]
        yield block, algorithms.multi_source_bfs(graph, block).depth.T


def distances(graph: Graph, sources: Array) -> Iterator[tuple[Array, Array]]:
    """Blocks of sources with a row of distances each, infinite where unreached; weights are 0 or more."""
    if not graph.weighted:
        for block, depth in hops(graph, sources):
            yield block, np.where(depth < 0, np.inf, depth)
        return
    check_lengths(graph)
    n = graph.num_vertices
    if sources.size == n and 8 * n * n <= BLOCK:
        # As many sources as vertices need not be in their order.
        yield sources, finite_or_infinite(algorithms.all_pairs(graph).numpy().distance)[sources]
        return
    for source in sources.tolist():
        found = algorithms.sssp(graph, source).numpy()
        yield np.array([source]), np.where(found.parent < 0, np.inf, found.distance)[np.newaxis]


def finite_or_infinite(distance: Array) -> Array:
    """Distances as floats, with inf where integers say "no path" by their largest value."""
    if distance.dtype.kind == "f":
        return distance
    return np.where(distance == np.iinfo(distance.dtype).max, np.inf, distance)
