"""Checker of biconnected components."""

from __future__ import annotations

import numpy as np

from clew.algorithms.biconnectivity.check import blocks
from clew.algorithms.checking import named, require
from clew.graph import Graph
from clew.result import Result


@named
def biconnected_components(graph: Graph, result: Result) -> None:
    """Compare with blocks found by another method; components may be numbered in any order."""
    block, found, ends = blocks(graph), result.component, graph.edges()[:2]
    require(found.size == block.size, "there is an entry for every edge")
    require((found < 0) == (block < 0), "all edges but self-loops are in a component", ends)
    known = block >= 0
    for one, other in ((found, block), (block, found)):
        number, first, place = np.unique(one[known], return_index=True, return_inverse=True)
        same = np.ones(block.size, dtype=np.bool_)
        same[known] = other[known] == other[known][first][place]
        require(same, "two edges are in one component if a cycle runs through both", ends)
    require(result.count == number.size, "the count is the number of components")
    sizes = np.bincount(found[known], minlength=result.count)
    require(np.array_equal(np.sort(result.sizes), np.sort(sizes)), "the sizes count the edges of each component")
