"""Checker of bridges."""

from __future__ import annotations

import numpy as np

from clew.algorithms.biconnectivity.check import blocks
from clew.algorithms.checking import named, require
from clew.graph import Graph
from clew.result import Result


@named
def bridges(graph: Graph, result: Result) -> None:
    """Compare with the blocks of one edge, found by another method."""
    block = blocks(graph)
    require(result.bridge.size == block.size, "there is an entry for every edge")
    expected = (block >= 0) & (np.bincount(block + 1, minlength=1)[block + 1] == 1)
    require(result.bridge == expected, "an edge is a bridge if it is on no cycle", graph.edges()[:2])
    require(result.count == expected.sum(), "the count is the number of bridges")
