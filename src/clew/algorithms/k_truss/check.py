"""Checker of truss numbers: edges fall from a list of all triangles."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import named, require
from clew.algorithms.triangles.check import Pairs, listed
from clew.graph import Graph
from clew.result import Result


@named
def k_truss(graph: Graph, result: Result) -> None:
    """Remove pairs of too few triangles for every k, and compare what is left with the numbers."""
    source, target, _ = graph.edges()
    require(result.truss.size == source.size, "there is an entry for every edge")
    pairs = Pairs.of(graph)
    sides = [np.stack(triangle.opposite) for triangle in listed(pairs)]
    triangles = np.concatenate(sides, axis=1) if sides else np.empty((3, 0), dtype=np.int64)
    truss, k = np.full(pairs.keys.size, 2), 3
    left = np.ones(pairs.keys.size, dtype=np.bool_)
    while left.any():
        support = np.bincount(triangles.ravel(), minlength=left.size)
        falls = left & (support < k - 2)
        if falls.any():
            left &= ~falls
            triangles = triangles[:, left[triangles].all(axis=0)]
        else:
            truss[left] = k
            k += 1
    place, n = pairs.place, graph.num_vertices
    first, second = np.minimum(place[source], place[target]), np.maximum(place[source], place[target])
    expected, real = np.zeros(source.size, dtype=np.int64), source != target
    expected[real] = truss[np.searchsorted(pairs.keys, first[real] * n + second[real])]
    rule = "a truss number is the largest k for which the edge is in k - 2 triangles of such edges"
    require(result.truss == expected, rule, (source, target))
    require(result.largest == expected.max(initial=0), "largest is the largest truss number")
