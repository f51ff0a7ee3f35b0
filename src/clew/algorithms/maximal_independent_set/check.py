"""Checker of maximal independent sets."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import arcs, named, require
from clew.graph import Graph
from clew.result import Result


@named
def maximal_independent_set(graph: Graph, result: Result) -> None:
    """Check that no two members are neighbours and that every other vertex has a member as a neighbour."""
    member = np.asarray(result.member)
    require(member.size == graph.num_vertices and member.dtype == np.bool_, "there is a bool for every vertex")
    u, v = arcs(graph)
    require(~(member[u] & member[v]) | (u == v), "no two members are neighbours", (u, v))
    covered = np.zeros(member.size, dtype=np.bool_)
    covered[v[member[u]]] = True
    covered[u[member[v]]] = True
    require(member | covered, "every other vertex has a member for a neighbour")
    require(member.sum() == result.size, "size is the number of members")
