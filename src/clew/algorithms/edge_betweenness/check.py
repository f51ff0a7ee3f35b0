"""Checker of edge betweenness."""

from __future__ import annotations

from collections import Counter

import numpy as np

from clew.algorithms.betweenness.check import RELATIVE, dependencies, ids_of, lengths_of
from clew.algorithms.checking import named, require
from clew.graph import Graph
from clew.result import Result


@named
def edge_betweenness(graph: Graph, result: Result, *, weighted: bool = False, normalized: bool = True) -> None:
    """Compare with Brandes' algorithm in plain Python, from the same sources; parallel edges share equally."""
    source, target, weights = graph.edges()
    require(result.centrality.size == source.size, "there is an entry for every edge")
    n, sources = graph.num_vertices, ids_of(graph, result.sources).tolist()
    rows, total = lengths_of(graph, weighted=weighted), Counter[tuple[int, int]]()
    for start in sources:
        for edge, score in dependencies(rows, start)[1].items():
            total[edge if graph.directed else (min(edge), max(edge))] += score  # type: ignore[assignment]
    pairs = len(sources) * max(n - 1, 1) if normalized else len(sources) / n * (1 if graph.directed else 2)
    edges = list(zip(source.tolist(), target.tolist(), strict=True))
    lengths = weights.tolist() if weighted and weights is not None else [1] * len(edges)
    shortest = [rows[u].get(v) == length for (u, v), length in zip(edges, lengths, strict=True)]
    number = Counter(edge for edge, least in zip(edges, shortest, strict=True) if least)
    expected = [total[e] / pairs / number[e] if least else 0.0 for e, least in zip(edges, shortest, strict=True)]
    close = np.isclose(result.centrality, expected, rtol=RELATIVE, atol=RELATIVE * 1e-3)
    require(close, "a centrality is the fraction of shortest paths that use the edge", (source, target))
