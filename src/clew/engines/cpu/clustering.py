"""Links among the neighbours of every vertex, on the CPU."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clew import threads
from clew.build.rows import blocks_of
from clew.dtypes import Array
from clew.engines.cpu import team, triangles
from clew.graph import Graph


class Neighbourhoods(NamedTuple):
    """Edges among the neighbours of each vertex, an undirected one counted in both directions, and their number."""

    links: Array
    degrees: Array


def neighbourhoods(graph: Graph) -> Neighbourhoods:
    """Neighbours over edges of either direction, duplicates and the vertex itself left out."""
    from clew.engines.cpu import kernels_clustering as kernels

    near = triangles.neighbours(graph)
    degrees = np.empty(graph.num_vertices, dtype=np.int64)
    bounds = blocks_of(graph.outgoing)
    threads.each(kernels.distinct, bounds.size - 1, bounds, *near[:3], degrees)
    if near.times is None:
        return Neighbourhoods(2 * triangles.count(graph), degrees)
    order = triangles.ranked(graph, near)
    counts = np.zeros(graph.num_vertices, dtype=np.uint64)
    team.run(kernels.links, graph.num_arcs, *order.lists, order.hubs, counts, **triangles.shown(graph))
    return Neighbourhoods(order.by_vertex(counts), degrees)
