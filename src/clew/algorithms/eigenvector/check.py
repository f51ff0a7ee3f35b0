"""Checker of eigenvector centrality."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import arcs, named, require
from clew.graph import Graph
from clew.result import Result


@named
def eigenvector(graph: Graph, result: Result, *, weighted: bool = False, tolerance: float = 1e-6) -> None:
    """Check eigenvector centrality.

    1. There is a score of 0 or more for every vertex, and their squares sum to 1.
    2. If the tolerance was met, one more round changes the scores by less than ten times that in all.
    """
    x, n = result.centrality, graph.num_vertices
    require(x.size == n, "there is an entry for every vertex")
    require(x >= 0, "scores are numbers of 0 or more")
    require(abs(np.sqrt((x * x).sum()) - float(n > 0)) < 1e-9, "the squares of the scores sum to 1")
    if n and result.converged:
        source, target = arcs(graph)
        weights = 1.0 if graph.weights is None or not weighted else graph.weights.astype(np.float64)
        after = x + np.bincount(target, x[source] * weights, n)
        after /= after.max()
        change = np.abs(after / np.linalg.norm(after) - x).sum()
        require(change <= 10 * tolerance + 1e-12, f"one more round changes little, but it changed {change:.2g}")
