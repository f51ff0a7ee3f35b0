"""Best paths over the waist."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clew.algorithms.bfs.generic import bfs
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.layouts import coo
from clew.operators import Semiring


def best_values(
    waist: Waist, graph: Graph, source: int, value: Array, semiring: Semiring, better: Callable[[Any, Any], Any]
) -> int:
    """Improve ``value`` along edges, from ``source`` on, until nothing gets better; returns the number of rounds."""
    active: Array = np.array([source])
    rounds = 0
    while active.size:
        active = improve(waist, graph, active, value, semiring, better)
        rounds += 1
    return rounds


def improve(
    waist: Waist, graph: Graph, active: Array, value: Array, semiring: Semiring, better: Callable[[Any, Any], Any]
) -> Array:
    """One round: y = A' ⊗ x over those that improved last; returns those that y improves."""
    found, offered = waist.spmspv(graph, (active, value[active]), semiring)
    improved = waist.compact(waist.elementwise(better, offered, value[found]))
    active = found[improved]
    value[active] = offered[improved]
    return active


def tree(
    waist: Waist, graph: Graph, source: int, value: Array, extend: Callable[[Any, Any], Any], reached: Array
) -> Array:
    """Parents on best paths: a breadth-first search over the edges u -> v with value[v] = extend(weight, value[u])."""
    arcs = coo(graph)
    assert arcs.weights is not None
    offered = waist.elementwise(extend, arcs.weights, value[arcs.rows])
    tight = waist.elementwise(lambda a, b: a == b, offered, value[arcs.columns])
    tight = waist.elementwise(lambda a, b: a & b, tight, reached[arcs.rows])
    used = waist.compact(tight)
    best = Graph.from_edges(arcs.rows[used], arcs.columns[used], num_vertices=graph.num_vertices)
    parent: Array = bfs(waist, best, source).parent
    parent[waist.compact(~reached)] = -1
    return parent
