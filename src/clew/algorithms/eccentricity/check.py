"""Checker of eccentricities."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import named, require
from clew.algorithms.distances.check import distances_from
from clew.graph import Graph
from clew.result import Result


@named
def eccentricity(graph: Graph, result: Result, *, weighted: bool = False) -> None:
    """Compare with distances by another method, and the diameter and the radius with the eccentricities."""
    n = graph.num_vertices
    require(result.eccentricity.size == n, "there is an entry for every vertex")
    expected = np.zeros(n)
    for v in range(n):
        distance = distances_from(graph, v, weighted=weighted)
        expected[v] = distance[np.isfinite(distance)].max()
    require(np.isclose(result.eccentricity, expected, rtol=1e-12, atol=0), "the farthest vertex has that distance")
    ends = (result.eccentricity.min(), result.eccentricity.max()) if n else (0, 0)
    require((result.radius, result.diameter) == ends, "radius and diameter are the least and the largest eccentricity")
