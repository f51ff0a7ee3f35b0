"""Checker of harmonic centrality."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import named, require
from clew.algorithms.distances.check import distances_from
from clew.graph import Graph
from clew.result import Result


@named
def harmonic(graph: Graph, result: Result, *, weighted: bool = False, normalized: bool = True) -> None:
    """Compare with distances by another method, from the same sources.

    Every centrality is the mean of the inverse distances from the other sources, 0 for those that do not reach it.
    """
    n = graph.num_vertices
    require(result.centrality.size == n, "there is an entry for every vertex")
    sources = [graph.vertex(name) for name in np.asarray(result.sources).tolist()]
    total, others = np.zeros(n), np.zeros(n)
    for source in sources:
        distance = distances_from(graph, source, weighted=weighted)
        near = np.isfinite(distance) & (distance > 0) & (np.arange(n) != source)
        total[near] += 1 / distance[near]
        others[np.arange(n) != source] += 1
    with np.errstate(invalid="ignore"):
        expected = np.where(n == 1, 0.0, total / others) * (1 if normalized else n - 1)
    close = np.isclose(result.centrality, expected, rtol=1e-9, atol=0, equal_nan=True)
    require(close, "a centrality is the mean inverse distance from the other vertices")
