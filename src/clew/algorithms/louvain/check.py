"""Checker of Louvain communities: they are valid, and better than none."""

from __future__ import annotations

from clew.algorithms.checking import named
from clew.algorithms.communities.check import check_communities
from clew.graph import Graph
from clew.result import Result


@named
def louvain(graph: Graph, result: Result, resolution: float = 1.0) -> None:
    """Check the numbers of communities, the modularity."""
    check_communities(graph, result, resolution)
