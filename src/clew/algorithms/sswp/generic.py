"""Widest paths as products over (max, min)."""

from __future__ import annotations

import numpy as np

from clew.algorithms.arguments import check_balance
from clew.algorithms.paths.generic import best_values, tree
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.graph import Graph
from clew.operators import functions, monoids, semirings


def sswp(waist: Waist, graph: Graph, source: int, balance: str = "auto", cut: int | None = None) -> Answer:
    """Widths and parents; see ``clew.sswp``."""
    check_balance(balance, cut, on_gpu=False)
    assert graph.weights is not None
    dtype = graph.weights.dtype
    unreached = monoids.max.identity(dtype)
    width = np.full(graph.num_vertices, unreached, dtype=dtype)
    width[source] = monoids.min.identity(dtype)
    rounds = best_values(waist, graph, source, width, semirings.max_min, lambda new, old: new > old)
    reached = width != unreached
    parent = tree(waist, graph, source, width, functions.smaller, reached)
    facts = {"num_reached": int(reached.sum())}
    return Answer({"width": width, "parent": parent}, facts, unreached=unreached, iterations=rounds)
