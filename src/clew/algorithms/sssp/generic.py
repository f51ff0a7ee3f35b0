"""Shortest paths as products over (min, +), in the manner of Bellman and Ford."""

from __future__ import annotations

import numpy as np

from clew.algorithms.arguments import check_balance
from clew.algorithms.paths.generic import best_values, tree
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.graph import Graph
from clew.operators import semirings


def sssp(waist: Waist, graph: Graph, source: int, balance: str = "auto", cut: int | None = None) -> Answer:
    """Distances and parents over weights of 0 or more; see ``clew.sssp``."""
    check_balance(balance, cut, on_gpu=False)
    weights = graph.weights
    assert weights is not None
    if weights.dtype.kind != "f":
        weights = weights.astype(np.int64)  # the sums are, and uint64 with int64 would make floats
    paths = graph.with_weights(weights)
    unreached = np.inf if weights.dtype.kind == "f" else np.iinfo(np.int64).max
    distance = np.full(graph.num_vertices, unreached, dtype=weights.dtype)
    distance[source] = 0
    rounds = best_values(waist, paths, source, distance, semirings.min_plus, lambda new, old: new < old)
    reached = distance != unreached
    parent = tree(waist, paths, source, distance, lambda weight, x: weight + x, reached)
    facts = {"num_reached": int(reached.sum())}
    return Answer({"distance": distance, "parent": parent}, facts, unreached=unreached, iterations=rounds)
