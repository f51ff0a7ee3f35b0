"""Leiden over the waist."""

from __future__ import annotations

from typing import Any

from clew.algorithms.communities.generic import communities
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.graph import Graph


def leiden(waist: Waist, graph: Graph, **options: Any) -> Answer:
    """Communities of high modularity; see ``clew.leiden``."""
    return communities(waist, graph, **options, refine=True)
