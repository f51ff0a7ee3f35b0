"""Checkers of centralities."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew.algorithms.checking import named, require
from clew.graph import Graph
from clew.result import Result

RELATIVE = 1e-9


@named
def betweenness(graph: Graph, result: Result, *, normalized: bool = True) -> None:
    """Compare with Brandes' algorithm in plain Python, from the same sources.

    1. Every source is a vertex, and none is there twice.
    2. Every centrality is that of the plain algorithm, within a billionth; NaN only where nothing was counted.
    """
    n, sources = graph.num_vertices, _ids(graph, result.sources)
    require((sources >= 0) & (sources < n), "a source is a vertex", sources)
    first = np.zeros(sources.size, dtype=np.bool_)
    first[np.unique(sources, return_index=True)[1]] = True
    require(first, "no source is there twice", sources)
    require(result.centrality.size == n, "there is an entry for every vertex")
    row = [sorted({*graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()} - {v}) for v in range(n)]
    total = np.zeros(n)
    for source in sources.tolist():
        total += _dependencies(row, source)
    # Ordered pairs (s, t) that are counted for v: s is a source, and both differ from v and from each other.
    counted = (sources.size - np.isin(np.arange(n), sources)) * max(n - 2, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = total / counted if n > 2 else total
    if not normalized and n > 2:
        expected *= (n - 1) * (n - 2) * (1.0 if graph.directed else 0.5)
    close = np.isclose(result.centrality, expected, rtol=RELATIVE, atol=RELATIVE * 1e-3, equal_nan=True)
    require(close, "a centrality is the fraction of shortest paths that lead over the vertex")


def _ids(graph: Graph, sources: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """The vertices that are called so; -1 for what is no vertex."""
    given = np.asarray(sources)
    if graph.names is None:
        return given.astype(np.int64)
    known = {name: vertex for vertex, name in enumerate(graph.names.array.to_pylist())}
    return np.array([known.get(name, -1) for name in given.tolist()], dtype=np.int64)


def _dependencies(row: list[list[int]], source: int) -> npt.NDArray[np.float64]:
    """How much paths from ``source`` depend on each vertex."""
    depth, paths, order = {source: 0}, {source: 1}, [source]  # paths are integers of any size
    for u in order:  # grows while it is walked
        for v in row[u]:
            if v not in depth:
                depth[v], paths[v] = depth[u] + 1, 0
                order.append(v)
            if depth[v] == depth[u] + 1:
                paths[v] += paths[u]
    depends = np.zeros(len(row))
    for u in reversed(order):
        depends[u] = sum(paths[u] / paths[v] * (1 + depends[v]) for v in row[u] if depth[v] == depth[u] + 1)
    depends[source] = 0
    return depends
