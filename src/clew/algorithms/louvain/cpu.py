"""Louvain on the CPU."""

from __future__ import annotations

from typing import Any

from clew.algorithms.communities.cpu import communities, workspace
from clew.algorithms.registry import Answer
from clew.graph import Graph

__all__ = ["louvain", "workspace"]


def louvain(graph: Graph, **options: Any) -> Answer:
    """Communities of high modularity; see ``clew.louvain``."""
    return communities(graph, **options, refine=False)
