"""Checker of clustering coefficients, from a list of all triangles."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.checking import named, require
from clew.algorithms.triangles.check import Pairs, listed
from clew.graph import Graph
from clew.result import Result

TOLERANCE = 1e-9


@named
def clustering_coefficient(graph: Graph, result: Result, *, method: str = "links", weighted: bool = False) -> None:
    """Check every coefficient, their average and the transitivity by the definition."""
    require(result.coefficient.size == graph.num_vertices, "there is an entry for every vertex")
    pairs = Pairs.of(graph)
    if weighted or (graph.directed and method == "triangles"):
        links, possible = _means(graph, pairs, weighted=weighted)
        _compare(result, links, possible)
        return
    links = np.zeros(graph.num_vertices)
    for triangle in listed(pairs):
        for corner, side in zip(triangle.corners, triangle.opposite, strict=True):
            links += np.bincount(corner, weights=pairs.directions[side], minlength=links.size)
    degrees = np.bincount(pairs.ends.ravel(), minlength=links.size).astype(np.float64)
    _compare(result, links, degrees * (degrees - 1))


def _compare(result: Result, links: Any, possible: Any) -> None:
    expected = np.divide(links, possible, out=np.zeros(links.size), where=possible > 0)
    close = np.isclose(result.coefficient, expected, rtol=TOLERANCE, atol=TOLERANCE)
    require(close, "a coefficient is the share of possible edges among the neighbours that exist")
    average = expected.mean() if expected.size else 0.0
    transitivity = links.sum() / possible.sum() if possible.any() else 0.0
    require(abs(result.average - average) <= TOLERANCE, f"the coefficients' average is {average}")
    require(abs(result.transitivity - transitivity) <= TOLERANCE, f"the transitivity is {transitivity}")


def _means(graph: Graph, pairs: Pairs, *, weighted: bool) -> tuple[Any, Any]:
    """The cube roots of weights around every triangle, in all directions, and the triangles that are possible."""
    n, (source, target, weights) = graph.num_vertices, graph.edges()
    real = source != target
    ends = source[real].astype(np.int64), target[real].astype(np.int64)
    if not graph.directed:
        ends = np.minimum(*ends), np.maximum(*ends)
    arcs, place = np.unique(ends[0] * n + ends[1], return_inverse=True)
    total = np.bincount(place, None if weights is None or not weighted else weights[real], minlength=arcs.size)
    loops = 0 if weights is None else weights[~real].max(initial=0)
    roots = np.cbrt(total / (total.max(initial=loops) or 1)) if weighted else np.ones(arcs.size)
    first, second = pairs.place[arcs // max(n, 1)], pairs.place[arcs % max(n, 1)]
    side = np.searchsorted(pairs.keys, np.minimum(first, second) * n + np.maximum(first, second))
    strength = np.bincount(side, roots, minlength=pairs.keys.size)
    links = np.zeros(n)
    for triangle in listed(pairs):
        product = np.prod([strength[one] for one in triangle.opposite], axis=0)
        for corner in triangle.corners:
            links += np.bincount(corner, 2 * product, minlength=n)
    degree = np.bincount(arcs // max(n, 1), minlength=n) + np.bincount(arcs % max(n, 1), minlength=n)
    near = np.bincount(pairs.ends.ravel(), minlength=n)
    possible = degree * (degree - 1.0)
    return links, 2 * (possible - 2 * (degree - near)) if graph.directed else possible
