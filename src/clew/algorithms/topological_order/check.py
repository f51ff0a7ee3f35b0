"""Checker of topological orders."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import arcs, named, require
from clew.graph import Graph
from clew.result import Result


@named
def topological_order(graph: Graph, result: Result) -> None:
    """Accept every order in which no edge leads back, with the lengths of the longest paths to each vertex."""
    n, position, generation = graph.num_vertices, result.position, result.generation
    require(position.size == n, "there is an entry for every vertex")
    require(np.array_equal(np.sort(position), np.arange(n)), "positions are the numbers from 0 to n - 1")
    require(position[result.order] == np.arange(n), "the order has every vertex at its position")
    u, v = arcs(graph)
    require(position[u] < position[v], "an edge leads to a later vertex", (u, v))
    # A longest path ends with the longest one to a vertex before: it is one edge longer, and 0 without an edge.
    longest = np.zeros(n, dtype=np.int64)
    np.maximum.at(longest, v, generation[u] + 1)
    require(generation == longest, "a generation is one more than the largest among those before")
    require(result.generations == generation.max(initial=-1) + 1, "generations is the number of generations")
