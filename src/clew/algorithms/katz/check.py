"""Checker of Katz centrality."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.checking import arcs, named, require
from clew.graph import Graph
from clew.result import Result


@named
def katz(graph: Graph, result: Result, *, beta: Any = 1.0, weighted: bool = False, tolerance: float = 1e-6) -> None:
    """Check Katz centrality.

    1. There is a score for every vertex.
    2. If the tolerance was met, every score is beta plus alpha times the scores of the in-neighbours.
    """
    x, n = result.centrality, graph.num_vertices
    require(x.size == n, "there is an entry for every vertex")
    if not result.converged:
        return
    source, target = arcs(graph)
    weights = 1.0 if graph.weights is None or not weighted else graph.weights.astype(np.float64)
    expected = np.asarray(beta) + result.alpha * np.bincount(target, x[source] * weights, n)
    slack = 10 * tolerance + 1e-9 * np.abs(expected)
    require(np.abs(expected - x) <= slack, "a score is beta plus alpha times the sum of its in-neighbours' scores")
