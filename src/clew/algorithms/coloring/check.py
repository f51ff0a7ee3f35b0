"""Checker of colourings."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import arcs, named, require
from clew.graph import Graph
from clew.result import Result


@named
def coloring(graph: Graph, result: Result) -> None:
    """Check that every vertex has a colour, that neighbours have different ones and that they are counted rightly."""
    color = result.color.astype(np.int64)
    require(color.size == graph.num_vertices, "there is a colour for every vertex")
    require(color >= 0, "a colour is 0 or more")
    u, v = arcs(graph)
    require((color[u] != color[v]) | (u == v), "the ends of an edge have different colours", (u, v))
    used = np.unique(color)
    require(used.size == result.count, "count is the number of colours")
    require(np.array_equal(used, np.arange(used.size)), "the colours are 0…count-1")
