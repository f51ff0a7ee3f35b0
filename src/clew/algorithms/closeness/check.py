"""Checker of closeness."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import named, require
from clew.algorithms.distances.check import distances_from
from clew.graph import Graph
from clew.result import Result


@named
def closeness(graph: Graph, result: Result, *, weighted: bool = False) -> None:
    """Compare with distances by another method, from the same sources.

    Every centrality is the share of the other sources that reach a vertex, divided by their mean distance.
    """
    n = graph.num_vertices
    require(result.centrality.size == n, "there is an entry for every vertex")
    sources = [graph.vertex(name) for name in np.asarray(result.sources).tolist()]
    rows = [distances_from(graph, source, weighted=weighted) for source in sources]
    expected = np.zeros(n)
    for v in range(n):
        others = np.array([row[v] for row, source in zip(rows, sources, strict=True) if source != v])
        near = others[np.isfinite(others)]
        if near.sum() > 0:
            expected[v] = near.size / others.size / near.mean()
        elif others.size == 0 and n > 1:
            expected[v] = np.nan
    close = np.isclose(result.centrality, expected, rtol=1e-9, atol=0, equal_nan=True)
    require(close, "a centrality is the share of sources that reach the vertex, by their mean distance")
