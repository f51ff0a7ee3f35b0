"""Shortest paths over any weights, as products over (min, +)."""

from __future__ import annotations

import numpy as np

from clew.algorithms.bellman_ford import negative_cycle
from clew.algorithms.paths.generic import improve, tree
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.layouts import coo
from clew.operators import semirings


def bellman_ford(waist: Waist, graph: Graph, source: int) -> Answer:
    """Distances and parents; see ``clew.bellman_ford``."""
    assert graph.weights is not None
    weights = graph.weights if graph.weights.dtype.kind == "f" else graph.weights.astype(np.int64)
    paths = graph.with_weights(weights)
    unreached = np.inf if weights.dtype.kind == "f" else np.iinfo(np.int64).max
    distance = np.full(graph.num_vertices, unreached, dtype=weights.dtype)
    distance[source] = 0
    active: Array = np.array([source])
    rounds = 0
    while active.size:
        active = improve(waist, paths, active, distance, semirings.min_plus, lambda new, old: new < old)
        rounds += 1
        # A shortest path has fewer edges than there are vertices: what improves later is behind a negative cycle.
        if active.size and rounds >= graph.num_vertices and (cycle := _cycle_behind(paths, distance, int(active[0]))):
            raise negative_cycle(graph, cycle)
    reached = distance != unreached
    parent = tree(waist, paths, source, distance, lambda weight, x: weight + x, reached)
    facts = {"num_reached": int(reached.sum())}
    return Answer({"distance": distance, "parent": parent}, facts, unreached=unreached, iterations=rounds)


def _cycle_behind(graph: Graph, distance: Array, vertex: int) -> list[int]:
    """A negative cycle that leads to a vertex, from its smallest vertex on; empty where there is none yet."""
    arcs = coo(graph)
    assert arcs.weights is not None
    far = np.inf if distance.dtype.kind == "f" else np.iinfo(distance.dtype).max
    before = distance[arcs.rows]
    offered = np.where(before == far, far, np.where(before == far, 0, before) + arcs.weights)
    order = np.lexsort((offered, arcs.columns))
    best: dict[int, int] = {}
    for arc in order[::-1]:
        best[int(arcs.columns[arc])] = int(arc)  # the smallest offer comes last
    seen: dict[int, int] = {}
    walk: list[int] = []
    while vertex not in seen and vertex in best:
        seen[vertex] = len(walk)
        walk.append(vertex)
        vertex = int(arcs.rows[best[vertex]])
    cycle = walk[seen.get(vertex, len(walk)) :][::-1]
    if not cycle or sum(arcs.weights[best[v]].item() for v in cycle) >= 0:
        return []
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]
