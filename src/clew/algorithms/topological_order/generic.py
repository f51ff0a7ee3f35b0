"""Topological order: vertices that nothing leads to are taken away, generation by generation."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.topological_order import ordered
from clew.algorithms.waist import Waist
from clew.graph import Graph
from clew.operators import semirings


def topological_order(waist: Waist, graph: Graph) -> Answer:
    """Every edge leads to a later vertex; see ``clew.topological_order``."""
    graph = graph.with_weights(None)
    waiting = graph.degrees("in").copy()
    generation = np.full(graph.num_vertices, -1, dtype=np.int64)
    frontier, count = np.flatnonzero(waiting == 0), 0
    while frontier.size:
        generation[frontier] = count
        # A vertex waits for all its in-edges: count those from the frontier.
        found, edges = waist.spmspv(graph, (frontier, np.ones(frontier.size, np.int64)), semirings.plus_second)
        waiting[found] -= edges
        frontier, count = found[waiting[found] == 0], count + 1
    return ordered(graph, generation)
