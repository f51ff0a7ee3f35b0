"""Checker of clustering coefficients, from a list of all triangles."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import named, require
from clew.algorithms.triangles.check import Pairs, listed
from clew.graph import Graph
from clew.result import Result

TOLERANCE = 1e-9


@named
def clustering_coefficient(graph: Graph, result: Result) -> None:
    """Check every coefficient, their average and the transitivity by the definition."""
    require(result.coefficient.size == graph.num_vertices, "there is an entry for every vertex")
    pairs = Pairs.of(graph)
    links = np.zeros(graph.num_vertices)
    for triangle in listed(pairs):
        for corner, side in zip(triangle.corners, triangle.opposite, strict=True):
            links += np.bincount(corner, weights=pairs.directions[side], minlength=links.size)
    degrees = np.bincount(pairs.ends.ravel(), minlength=links.size).astype(np.float64)
    possible = degrees * (degrees - 1)
    expected = np.divide(links, possible, out=np.zeros(links.size), where=possible > 0)
    close = np.isclose(result.coefficient, expected, rtol=TOLERANCE, atol=TOLERANCE)
    require(close, "a coefficient is the share of possible edges among the neighbours that exist")
    average = expected.mean() if expected.size else 0.0
    transitivity = links.sum() / possible.sum() if possible.any() else 0.0
    require(abs(result.average - average) <= TOLERANCE, f"the coefficients' average is {average}")
    require(abs(result.transitivity - transitivity) <= TOLERANCE, f"the transitivity is {transitivity}")
