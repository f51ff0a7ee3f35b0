"""Widest paths as products over (max, min)."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.arguments import vertex_of, weights_of
from clew.algorithms.generic.steps import best_values, tree
from clew.graph import Graph
from clew.operators import functions, monoids, semirings
from clew.result import Result


def sswp(graph: Graph, source: Any = 0, *, device: str = "auto") -> Result:
    """Widths and parents; see ``clew.sswp``."""
    start = vertex_of(graph, source)
    dtype = weights_of(graph, algorithm="sswp", negative=True).dtype
    unreached = monoids.max.identity(dtype)
    width = np.full(graph.num_vertices, unreached, dtype=dtype)
    width[start] = monoids.min.identity(dtype)
    rounds = best_values(graph, start, width, semirings.max_min, lambda new, old: new > old, device)
    reached = width != unreached
    parent = tree(graph, start, width, functions.smaller, reached, device)
    return Result(
        "sswp",
        {"width": width, "parent": parent},
        names=graph.names,
        unreached=unreached,
        facts={"num_reached": int(reached.sum())},
        iterations=rounds,
    )
