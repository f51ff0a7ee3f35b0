"""Leiden on the CPU."""

from __future__ import annotations

from typing import Any

from clew.algorithms.communities.cpu import communities, workspace
from clew.algorithms.registry import Answer
from clew.graph import Graph

__all__ = ["leiden", "workspace"]


def leiden(graph: Graph, **options: Any) -> Answer:
    """Communities of high modularity; see ``clew.leiden``."""
    return communities(graph, **options, refine=True)
