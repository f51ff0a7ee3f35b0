"""Shortest paths as products over (min, +)."""

from __future__ import annotations

from clew.algorithms.arguments import check_balance
from clew.algorithms.paths.generic import shortest_paths
from clew.algorithms.registry import Answer, Waist
from clew.graph import Graph


def sssp(waist: Waist, graph: Graph, source: int, balance: str = "auto", cut: int | None = None) -> Answer:
    """Distances and parents over weights of 0 or more; see ``clew.sssp``."""
    check_balance(balance, cut, on_gpu=False)
    return shortest_paths(waist, graph, source)
