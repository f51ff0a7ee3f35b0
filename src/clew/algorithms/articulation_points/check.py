"""Checker of articulation points."""

from __future__ import annotations

import numpy as np

from clew.algorithms.biconnectivity.check import blocks
from clew.algorithms.checking import named, require
from clew.graph import Graph
from clew.result import Result


@named
def articulation_points(graph: Graph, result: Result) -> None:
    """Compare with the vertices that are in two blocks or more, found by another method."""
    n, block, (source, target, _) = graph.num_vertices, blocks(graph), graph.edges()
    require(result.member.size == n, "there is an entry for every vertex")
    pairs = np.append(source.astype(np.int64), target)[np.tile(block >= 0, 2)] * n + np.tile(block[block >= 0], 2)
    expected = np.bincount(np.unique(pairs) // max(n, 1), minlength=n) > 1
    require(result.member == expected, "an articulation point has edges of several biconnected components")
    require(result.count == expected.sum(), "the count is the number of articulation points")
