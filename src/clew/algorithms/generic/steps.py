"""Steps that several generic algorithms take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clew.algorithms.generic.waist import compact, elementwise, reduce_segments, spmspv
from clew.dtypes import Array
from clew.graph import Graph
from clew.layouts import coo
from clew.operators import Monoid, Semiring, monoids


def total(values: Array, device: str, monoid: Monoid = monoids.plus) -> Any:
    """All values reduced to one."""
    return reduce_segments((values, [0, values.size]), monoid, device=device)[0]


def simple(graph: Graph, *, directed: bool) -> Graph:
    """The graph without weights, loops and duplicates; undirected if asked."""
    source, target, _ = graph.edges()
    directed = directed and graph.directed
    return Graph.from_edges(source, target, None, graph.num_vertices, directed, "drop", "drop")


def best_values(
    graph: Graph, source: int, value: Array, semiring: Semiring, better: Callable[[Any, Any], Any], device: str
) -> int:
    """Improve ``value`` along edges, from ``source`` on, until nothing gets better; returns the number of rounds."""
    active: Array = np.array([source])
    rounds = 0
    while active.size:
        # y = A' ⊗ x over those that improved last; the next are those that y improves.
        found, offered = spmspv(graph, (active, value[active]), semiring, device=device)
        improved = compact(elementwise(better, offered, value[found], device=device), device=device)
        active = found[improved]
        value[active] = offered[improved]
        rounds += 1
    return rounds


def tree(
    graph: Graph, source: int, value: Array, extend: Callable[[Any, Any], Any], reached: Array, device: str
) -> Array:
    """Parents on best paths: a breadth-first search over the edges u -> v with value[v] = extend(weight, value[u])."""
    from clew.algorithms.generic.bfs import bfs

    arcs = coo(graph)
    assert arcs.weights is not None
    offered = elementwise(extend, arcs.weights, value[arcs.rows], device=device)
    tight = elementwise(lambda a, b: a == b, offered, value[arcs.columns], device=device)
    tight = elementwise(lambda a, b: a & b, tight, reached[arcs.rows], device=device)
    used = compact(tight, device=device)
    best = Graph.from_edges(arcs.rows[used], arcs.columns[used], num_vertices=graph.num_vertices)
    parent: Array = bfs(best, source, device=device).parent
    parent[compact(~reached, device=device)] = -1
    return parent
