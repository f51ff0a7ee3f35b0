"""Shortest paths as products over (min, +), in the manner of Bellman and Ford."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.arguments import vertex_of, weights_of
from clew.algorithms.generic.steps import best_values, tree
from clew.algorithms.path_sums import check_sums
from clew.graph import Graph
from clew.operators import semirings
from clew.result import Result


def sssp(graph: Graph, source: Any = 0, *, device: str = "auto") -> Result:
    """Distances and parents over weights of 0 or more; see ``clew.sssp``."""
    start = vertex_of(graph, source)
    weights = weights_of(graph, algorithm="sssp")
    check_sums(weights, graph.num_vertices)
    if weights.dtype.kind != "f":
        weights = weights.astype(np.int64)  # the sums are, and uint64 with int64 would make floats
    paths = graph.with_weights(weights)
    unreached = np.inf if weights.dtype.kind == "f" else np.iinfo(np.int64).max
    distance = np.full(graph.num_vertices, unreached, dtype=weights.dtype)
    distance[start] = 0
    rounds = best_values(paths, start, distance, semirings.min_plus, lambda new, old: new < old, device)
    reached = distance != unreached
    parent = tree(paths, start, distance, lambda weight, x: weight + x, reached, device)
    return Result(
        "sssp",
        {"distance": distance, "parent": parent},
        names=graph.names,
        unreached=unreached,
        facts={"num_reached": int(reached.sum())},
        iterations=rounds,
    )
