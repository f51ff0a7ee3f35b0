"""Checker of Leiden communities: they are valid, connected, and better than none."""

from __future__ import annotations

from clew.algorithms.checking import named
from clew.algorithms.communities.check import check_communities, require_connected
from clew.graph import Graph
from clew.result import Result


@named
def leiden(graph: Graph, result: Result, resolution: float = 1.0) -> None:
    """Check the numbers of communities, the modularity and that every community is connected."""
    check_communities(graph, result, resolution)
    require_connected(graph, result.community)
