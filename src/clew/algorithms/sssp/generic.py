"""Shortest paths as products over (min, +)."""

from __future__ import annotations

from clew.algorithms.paths.generic import shortest_paths
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.graph import Graph


def sssp(waist: Waist, graph: Graph, source: int) -> Answer:
    """Distances and parents over weights of 0 or more; see ``clew.sssp``."""
    return shortest_paths(waist, graph, source)
