"""Shortest paths over any weights, as products over (min, +)."""

from __future__ import annotations

import numpy as np

from clew.algorithms.bellman_ford import cycle_through, negative_cycle
from clew.algorithms.paths.generic import shortest_paths
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.errors import NegativeCycleError
from clew.graph import Graph
from clew.layouts import coo
from clew.operators import monoids


def bellman_ford(waist: Waist, graph: Graph, source: int) -> Answer:
    """Distances and parents; see ``clew.bellman_ford``."""

    def look_for_cycle(rounds: int, active: Array, distance: Array) -> None:
        # A shortest path has fewer edges than there are vertices: what improves later is behind a negative cycle.
        if rounds < graph.num_vertices or not waist.any(active.size):
            return
        if waist.distributed:
            raise NegativeCycleError(
                "a negative cycle is reachable, so shortest paths do not exist. Its edges are with several workers.", []
            )
        if cycle := _cycle_behind(graph, distance, int(active[0])):
            raise negative_cycle(graph, cycle)

    return shortest_paths(waist, graph, source, look_for_cycle)


def _cycle_behind(graph: Graph, distance: Array, vertex: int) -> list[int]:
    """A negative cycle that leads to a vertex; empty where there is none yet."""
    arcs = coo(graph)
    assert arcs.weights is not None
    weights = arcs.weights.astype(distance.dtype)
    far = monoids.min.identity(distance.dtype)
    before = distance[arcs.rows]
    offered = np.where(before == far, far, np.where(before == far, 0, before) + weights)
    best_last = np.lexsort((offered, arcs.columns))[::-1]
    best = np.full(graph.num_vertices, -1)
    best[arcs.columns[best_last]] = best_last  # of several assignments to one place, the last one stays
    parent = np.where(best >= 0, arcs.rows[best], -1)
    for _ in range(graph.num_vertices):  # then the walk is on a cycle
        vertex = int(parent[vertex])
        if vertex < 0:
            return []
    cycle = cycle_through(vertex, parent)
    return cycle if sum(weights[best[cycle]].tolist()) < 0 else []
