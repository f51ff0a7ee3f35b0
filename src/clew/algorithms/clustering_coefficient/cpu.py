"""Links among the neighbours of every vertex, on the CPU."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clew import threads
from clew.algorithms.registry import Answer
from clew.algorithms.triangles import cpu as triangles
from clew.build.rows import blocks_of
from clew.dtypes import Array
from clew.engines.cpu import team
from clew.graph import Graph


class Neighbourhoods(NamedTuple):
    """Edges among the neighbours of each vertex, an undirected one counted in both directions, and their number."""

    links: Array
    degrees: Array


def clustering_coefficient(graph: Graph) -> Answer:
    """Links among neighbours, an undirected one counted in both directions, over the possible ones."""
    links, degrees = neighbourhoods(graph)
    possible = degrees.astype(np.float64) * (degrees - 1)
    coefficient = np.divide(links, possible, out=np.zeros(degrees.size), where=possible > 0)
    average = float(coefficient.mean()) if coefficient.size else 0.0
    transitivity = float(links.sum() / possible.sum()) if possible.any() else 0.0
    return Answer({"coefficient": coefficient}, {"average": average, "transitivity": transitivity})


def neighbourhoods(graph: Graph) -> Neighbourhoods:
    """Neighbours over edges of either direction, duplicates and the vertex itself left out."""
    from clew.algorithms.clustering_coefficient import kernels

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
