"""Checkers of centralities."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
import numpy.typing as npt

from clew.algorithms.checking import arcs, named, require
from clew.graph import Graph
from clew.result import Result

RELATIVE = 1e-9


@named
def betweenness(graph: Graph, result: Result, *, weighted: bool = False, normalized: bool = True) -> None:
    """Compare with Brandes' algorithm in plain Python, from the same sources.

    1. Every source is a vertex, and none is there twice.
    2. Every centrality is that of the plain algorithm, within a billionth; NaN only where nothing was counted.
    """
    n, sources = graph.num_vertices, ids_of(graph, result.sources)
    require((sources >= 0) & (sources < n), "a source is a vertex", sources)
    first = np.zeros(sources.size, dtype=np.bool_)
    first[np.unique(sources, return_index=True)[1]] = True
    require(first, "no source is there twice", sources)
    require(result.centrality.size == n, "there is an entry for every vertex")
    rows, total = lengths_of(graph, weighted=weighted), np.zeros(n)
    for source in sources.tolist():
        total += dependencies(rows, source)[0]
    # Ordered pairs (s, t) that are counted for v: s is a source, and both differ from v and from each other.
    counted = (sources.size - np.isin(np.arange(n), sources)) * max(n - 2, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = total / counted if n > 2 else total
    if not normalized and n > 2:
        expected *= (n - 1) * (n - 2) * (1.0 if graph.directed else 0.5)
    close = np.isclose(result.centrality, expected, rtol=RELATIVE, atol=RELATIVE * 1e-3, equal_nan=True)
    require(close, "a centrality is the fraction of shortest paths that lead over the vertex")


def ids_of(graph: Graph, sources: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """The vertices that are called so; -1 for what is no vertex."""
    given = np.asarray(sources)
    if graph.names is None:
        return given.astype(np.int64)
    known = {name: vertex for vertex, name in enumerate(graph.names.array.to_pylist())}
    return np.array([known.get(name, -1) for name in given.tolist()], dtype=np.int64)


def lengths_of(graph: Graph, *, weighted: bool) -> list[dict[int, float]]:
    """The neighbours of every vertex, and the length of the shortest edge to each."""
    source, target = arcs(graph)
    weights = graph.weights.tolist() if weighted and graph.weights is not None else [1] * source.size
    rows: list[dict[int, float]] = [{} for _ in range(graph.num_vertices)]
    for u, v, length in zip(source.tolist(), target.tolist(), weights, strict=True):
        if u != v:
            rows[u][v] = min(length, rows[u].get(v, length))
    return rows


def dependencies(
    rows: list[dict[int, float]], source: int
) -> tuple[npt.NDArray[np.float64], dict[tuple[int, int], float]]:
    """How much paths from ``source`` depend on each vertex, and on each edge that they use."""
    distance: dict[int, float] = {source: 0}
    order, heap = [], [(0.0, source)]
    while heap:
        length, u = heappop(heap)
        if length > distance[u]:
            continue
        order.append(u)
        for v, more in rows[u].items():
            if length + more < distance.get(v, np.inf):
                distance[v] = length + more
                heappush(heap, (distance[v], v))
    before: dict[int, list[int]] = {v: [] for v in order}
    for u in order:
        for v, more in rows[u].items():
            if v in distance and distance[u] < distance[v] == distance[u] + more:
                before[v].append(u)
    paths = {source: 1}  # integers of any size
    for v in order[1:]:
        paths[v] = sum(paths[u] for u in before[v])
    depends, edges = np.zeros(len(rows)), {}
    for v in reversed(order):
        for u in before[v]:
            edges[u, v] = paths[u] / paths[v] * (1 + depends[v]) if paths[v] else 0.0
            depends[u] += edges[u, v]
    depends[source] = 0
    return depends, edges
