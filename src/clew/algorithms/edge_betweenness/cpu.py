"""Edge betweenness on the CPU: rounds of searches, after each of which every edge is read once per source."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.algorithms.betweenness import kernels_lengths, lengths
from clew.algorithms.edge_betweenness import summary
from clew.algorithms.registry import Answer
from clew.build.rows import blocks_of
from clew.dtypes import Array
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph, num_sources: int) -> Workspace:
    """The arrays of the searches, and the scores of edges in either direction."""
    return Workspace(
        centrality=result(graph.num_edges, np.float64, later=True),
        score=scratch(graph.num_arcs, np.float64, 0),
        **lengths.workspace(graph, num_sources).spaces,
    )


def edge_betweenness(graph: Graph, sources: Array, scale: float, weighted: bool) -> Answer:
    """The dependencies on every edge, scaled."""
    rows = lengths.simple_rows(graph, weighted=weighted)
    score = scores(rows, sources, workspace(graph, sources.size).allocate()) * scale
    return summary(graph, sources, Graph(rows), score, weighted=weighted)


def scores(rows: Adjacency, sources: Array, work: Any) -> Array:
    """The dependencies on every entry of rows without duplicates."""
    score: Array = work.score[: rows.num_arcs]
    bounds = blocks_of(rows)
    for found in lengths.searches(rows, sources, work):
        given = (bounds, rows.unsigned(), rows.weights, *found, score)
        threads.each(kernels_lengths.add_edges, bounds.size - 1, *given)
    return score
