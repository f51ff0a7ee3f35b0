"""Widest paths as products over (max, min)."""

from __future__ import annotations

from clew.algorithms.paths.generic import best_paths
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.graph import Graph
from clew.operators import monoids, semirings


def sswp(waist: Waist, graph: Graph, source: int) -> Answer:
    """Widths and parents; see ``clew.sswp``."""
    assert graph.weights is not None
    widest = monoids.min.identity(graph.weights.dtype)
    return best_paths(waist, graph, source, "width", semirings.max_min, widest, lambda new, old: new > old)
