"""Checker of the distances between all vertices."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import arcs, named, reachable, require
from clew.graph import Graph
from clew.result import Result

ROUNDING = 1000  # units in the last place that two sums of the same path may differ by


@named
def all_pairs(graph: Graph, result: Result) -> None:
    """Check all distances.

    1. There is a number for every pair, and it is 0 from a vertex to itself.
    2. An edge makes no distance larger than the one before it and its own weight; so none is too large.
    3. From every source, edges over which the distance grows by just their weight lead to all that has a distance; so
       each is the length of a path, and none is too small.

    Sums of floats may differ in their last digits.
    """
    distance, n = result.distance, graph.num_vertices
    require(distance.shape == (n, n), "there is a distance for every pair of vertices")
    require(np.diagonal(distance) == 0, "a vertex is at distance 0 from itself")
    u, v = arcs(graph)
    real = distance.dtype.kind == "f"
    weights = np.ones(u.size, np.int64) if graph.weights is None else graph.weights
    weights = weights.astype(distance.dtype)
    finite = np.isfinite(distance) if real else distance < np.iinfo(distance.dtype).max
    if real:
        require((finite | (distance == np.inf)).all(axis=1), "a distance is a number, or inf where there is no path")
    slack = 0
    if real and (finite.any() and u.size):
        largest = np.abs(distance[finite]).max() + np.abs(weights[np.isfinite(weights)]).max(initial=0)
        slack = ROUNDING * np.finfo(distance.dtype).eps * largest
    for source in range(n):
        near = finite[source]
        leaving = near[u] & (np.isfinite(weights) if real else True)
        a, b = u[leaving], v[leaving]
        rule = "what an edge leads to from what is reached from vertex {source} is reached"
        require(near[b], rule, (a, b), source=source)
        over = distance[source, a] + weights[leaving]
        agree = distance[source, b] <= over + slack
        require(agree, "edges agree with distances from vertex {source}", (a, b), source=source)
        used = over <= distance[source, b] + slack
        joined = reachable(np.arange(n) == source, a[used], b[used])
        require(joined | ~near, "a path from vertex {source} is as long as the distance", source=source)
