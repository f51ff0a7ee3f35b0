"""Checker of spanning forests: Kruskal's algorithm takes exactly these edges, if it prefers them among equal ones."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import named, require
from clew.graph import Graph
from clew.result import Result


@named
def minimum_spanning_forest(graph: Graph, result: Result, *, maximum: bool = False) -> None:
    """Accept every forest of least (or largest) weight, and compare the total weight and the number of trees."""
    source, target, weights = graph.edges()
    require(result.member.size == source.size, "there is an entry for every edge")
    _, group = np.unique(np.zeros(source.size) if weights is None else weights, return_inverse=True)
    order = np.lexsort((~result.member, -group if maximum else group))
    above, taken = list(range(graph.num_vertices)), np.zeros(source.size, dtype=np.bool_)

    def root(v: int) -> int:
        while above[v] != v:
            above[v] = v = above[above[v]]
        return v

    for edge, a, b in zip(order.tolist(), source[order].tolist(), target[order].tolist(), strict=True):
        one, other = root(a), root(b)
        above[one] = other
        taken[edge] = one != other
    rule = "an edge is in the forest unless better ones connect its ends already"
    require(result.member == taken, rule, (source, target))
    total = taken.sum() if weights is None else weights[taken].sum()
    require(np.isclose(float(result.weight), float(total), rtol=1e-9, atol=0), f"the weights add up to {total}")
    trees = graph.num_vertices - int(taken.sum())
    require(result.trees == trees, f"there are {trees:,} trees")
