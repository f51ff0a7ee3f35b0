"""Links among the neighbours of every vertex, on the CPU."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clew import threads
from clew.algorithms.registry import Answer
from clew.algorithms.triangles import cpu as triangles
from clew.build.rows import blocks_of
from clew.dtypes import Array
from clew.engines.cpu import team
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run: those of a count of triangles, and what links are divided by."""
    n = graph.num_vertices
    counted = {name: space._replace(role="scratch") for name, space in triangles.workspace(graph, True, times=True)}
    spaces = dict.fromkeys(("count", "near_start", "near_stop", "near_items", "near_times", "times")) | counted
    return Workspace(
        coefficient=result(n, np.float64, 0),
        degrees=scratch(n, np.int64),
        possible=scratch(n, np.float64, later=True),
        **spaces,
    )


class Neighbourhoods(NamedTuple):
    """Edges among the neighbours of each vertex, an undirected one counted in both directions, and their number."""

    links: Array
    degrees: Array


def clustering_coefficient(graph: Graph) -> Answer:
    """Links among neighbours, an undirected one counted in both directions, over the possible ones."""
    work = workspace(graph).allocate()
    links, degrees = neighbourhoods(graph, work)
    possible = degrees.astype(np.float64) * (degrees - 1)
    coefficient = np.divide(links, possible, out=work.coefficient, where=possible > 0)
    average = float(coefficient.mean()) if coefficient.size else 0.0
    transitivity = float(links.sum() / possible.sum()) if possible.any() else 0.0
    return Answer({"coefficient": coefficient}, {"average": average, "transitivity": transitivity})


def neighbourhoods(graph: Graph, work: Any) -> Neighbourhoods:
    """Neighbours over edges of either direction, duplicates and the vertex itself left out."""
    from clew.algorithms.clustering_coefficient import kernels

    near = triangles.neighbours(graph, work)
    bounds = blocks_of(graph.outgoing)
    threads.each(kernels.distinct, bounds.size - 1, bounds, *near[:3], work.degrees)
    if near.times is None:
        return Neighbourhoods(2 * triangles.count_within(graph, work), work.degrees)
    order = triangles.ranked(graph, near, work)
    team.run(kernels.links, graph.num_arcs, *order.lists, order.hubs, work.count_by_rank, **triangles.shown(graph))
    return Neighbourhoods(order.by_vertex(work.count_by_rank), work.degrees)
