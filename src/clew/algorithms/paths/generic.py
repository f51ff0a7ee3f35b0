"""Best paths over the waist: values by products, then a shortest-path tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clew.algorithms.bfs.generic import bfs
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import Semiring, semirings

#: Called after every round with its number, the vertices that improved, and all values.
AfterRound = Callable[[int, Array, Array], None]


def shortest_paths(waist: Waist, graph: Graph, source: int, after_round: AfterRound | None = None) -> Answer:
    """Distances and parents, by products over (min, +) in the manner of Bellman and Ford."""
    weights = graph.weights
    assert weights is not None
    if weights.dtype.kind != "f":
        weights = weights.astype(np.int64)  # uint64 and int64 would add up to floats
    paths = graph.with_weights(weights)
    return best_paths(waist, paths, source, "distance", semirings.min_plus, 0, lambda new, old: new < old, after_round)


def best_paths(
    waist: Waist,
    graph: Graph,
    source: int,
    name: str,
    semiring: Semiring,
    first: Any,
    better: Callable[[Any, Any], Any],
    after_round: AfterRound | None = None,
) -> Answer:
    """Improve values along edges, from ``first`` at the source, until none gets better; then choose parents."""
    assert graph.weights is not None
    dtype = graph.weights.dtype
    unreached = semiring.add.identity(dtype)
    active: Array = np.flatnonzero(waist.ids(graph) == source)
    value = np.full(waist.ids(graph).size, unreached, dtype=dtype)
    value[active] = first
    rounds = 0
    while waist.any(active.size):
        rounds, active, value = waist.checkpoint(rounds, rounds, active, value)
        # y = A' ⊗ x over the vertices that improved last
        found, offered = waist.spmspv(graph, (active, value[active]), semiring)
        improved = waist.compact(waist.elementwise(better, offered, value[found]))
        active = found[improved]
        value[active] = offered[improved]
        rounds += 1
        if after_round is not None:
            after_round(rounds, active, value)
    parent = _shortest_path_tree(waist, graph, source, value, semiring.multiply, unreached)
    facts = {"num_reached": int(waist.total((value != unreached).astype(np.int64)))}
    return Answer({name: value, "parent": parent}, facts, unreached=unreached, iterations=rounds)


def _shortest_path_tree(
    waist: Waist, graph: Graph, source: int, value: Array, extend: Callable[[Any, Any], Any], unreached: Any
) -> Array:
    """Parents on best paths: a breadth-first search over the edges u -> v with value[v] = extend(weight, value[u])."""

    def is_on_best_path(weight: Array, before: Array, behind: Array) -> Any:
        offered = waist.elementwise(extend, weight, before)
        return waist.elementwise(lambda a, b: a == b, offered, behind) & (before != unreached)

    parent: Array = bfs(waist, waist.select(graph, is_on_best_path, value), source).parent
    parent[waist.compact(value == unreached)] = -1
    return parent
