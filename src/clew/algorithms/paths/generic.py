"""Best paths over the waist: values by products, then a shortest-path tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clew.algorithms.bfs.generic import bfs
from clew.algorithms.registry import Answer, Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.layouts import coo
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
    value = np.full(graph.num_vertices, unreached, dtype=dtype)
    value[source] = first
    active: Array = np.array([source])
    rounds = 0
    while active.size:
        # y = A' ⊗ x over the vertices that improved last
        found, offered = waist.spmspv(graph, (active, value[active]), semiring)
        improved = waist.compact(waist.elementwise(better, offered, value[found]))
        active = found[improved]
        value[active] = offered[improved]
        rounds += 1
        if after_round is not None:
            after_round(rounds, active, value)
    reached = value != unreached
    parent = _shortest_path_tree(waist, graph, source, value, semiring.multiply, reached)
    facts = {"num_reached": int(reached.sum())}
    return Answer({name: value, "parent": parent}, facts, unreached=unreached, iterations=rounds)


def _shortest_path_tree(
    waist: Waist, graph: Graph, source: int, value: Array, extend: Callable[[Any, Any], Any], reached: Array
) -> Array:
    """Parents on best paths: a breadth-first search over the edges u -> v with value[v] = extend(weight, value[u])."""
    arcs = coo(graph)
    assert arcs.weights is not None
    offered = waist.elementwise(extend, arcs.weights, value[arcs.rows])
    attained = waist.elementwise(lambda a, b: a == b, offered, value[arcs.columns])
    used = waist.compact(waist.elementwise(lambda a, b: a & b, attained, reached[arcs.rows]))
    best = Graph.from_edges(arcs.rows[used], arcs.columns[used], num_vertices=graph.num_vertices)
    parent: Array = bfs(waist, best, source).parent
    parent[waist.compact(~reached)] = -1
    return parent
