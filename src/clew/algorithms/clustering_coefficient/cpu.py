"""Clustering coefficients on the CPU: the edges among the neighbours of every vertex."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.algorithms.clustering_coefficient.kernels import weighted_triangles
from clew.algorithms.clustering_coefficient.means import answer, symmetric_roots
from clew.algorithms.registry import Answer
from clew.algorithms.triangles import cpu as triangles
from clew.algorithms.triangles import kernels
from clew.build.rows import blocks_of
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph, means: bool = False, weighted: bool = False) -> Workspace:  # noqa: ARG001
    """The arrays of a run: those of a count of triangles, and what links are divided by."""
    if means:
        n, arcs = graph.num_vertices, 2 * graph.num_edges
        return Workspace(
            coefficient=result(n, np.float64, later=True),
            symmetric=scratch(arcs * (8 + graph.indices.itemsize), np.uint8, later=True),
            sums=scratch((2, n), np.float64, later=True),
        )
    n, counted = graph.num_vertices, triangles.workspace(graph, True, times=True).spaces
    assert counted["count"] is not None
    counted["count"] = counted["count"]._replace(role="scratch")
    return Workspace(
        coefficient=result(n, np.float64, 0),
        degrees=scratch(n, np.int64),
        possible=scratch(n, np.float64, later=True),
        **counted,
    )


def clustering_coefficient(graph: Graph, means: bool = False, weighted: bool = False) -> Answer:
    """Links among neighbours, an undirected one counted in both directions, over the possible ones."""
    if means:
        roots, possible = symmetric_roots(graph, weighted=weighted)
        total, bounds = np.empty(possible.size), blocks_of(roots.outgoing)
        rows = *roots.outgoing.unsigned(), roots.weights
        threads.each(weighted_triangles, bounds.size - 1, bounds, *rows, total)
        return answer(total, possible)
    work = workspace(graph).allocate()
    near, bounds, degrees = triangles.neighbours(graph, work), blocks_of(graph.outgoing), work.degrees
    threads.each(kernels.distinct, bounds.size - 1, bounds, *near[:3], degrees)
    links = triangles.count_within(graph, near, work) * (1 if graph.directed else 2)
    possible = degrees.astype(np.float64) * (degrees - 1)
    coefficient = np.divide(links, possible, out=work.coefficient, where=possible > 0)
    average = float(coefficient.mean()) if coefficient.size else 0.0
    transitivity = float(links.sum() / possible.sum()) if possible.any() else 0.0
    return Answer({"coefficient": coefficient}, {"average": average, "transitivity": transitivity})
