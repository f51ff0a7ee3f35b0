"""Widest paths as products over (max, min)."""

from __future__ import annotations

from clew.algorithms.arguments import check_balance
from clew.algorithms.paths.generic import best_paths
from clew.algorithms.registry import Answer, Waist
from clew.graph import Graph
from clew.operators import monoids, semirings


def sswp(waist: Waist, graph: Graph, source: int, balance: str = "auto", cut: int | None = None) -> Answer:
    """Widths and parents; see ``clew.sswp``."""
    check_balance(balance, cut, on_gpu=False)
    assert graph.weights is not None
    widest = monoids.min.identity(graph.weights.dtype)
    return best_paths(waist, graph, source, "width", semirings.max_min, widest, lambda new, old: new > old)
