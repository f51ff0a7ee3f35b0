"""Topological order: vertices that nothing leads to are taken away, generation by generation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.topological_order import ordered
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.errors import CycleError
from clew.graph import Graph
from clew.operators import semirings


def topological_order(waist: Waist, graph: Graph) -> Answer:
    """Every edge leads to a later vertex; see ``clew.topological_order``."""
    graph = graph.with_weights(None)
    waiting = waist.degrees(graph, "in").copy()
    generation = np.full(waiting.size, -1, dtype=np.int64)
    frontier, count = np.flatnonzero(waiting == 0), 0
    while waist.any(frontier.size):
        count, waiting, generation, frontier = waist.checkpoint(count, count, waiting, generation, frontier)
        generation[frontier] = count
        # A vertex waits for all its in-edges: count those from the frontier.
        found, edges = waist.spmspv(graph, (frontier, np.ones(frontier.size, np.int64)), semirings.plus_second)
        waiting[found] -= edges
        frontier, count = found[waiting[found] == 0], count + 1
    return _ordered_by_all(waist, graph, generation) if waist.distributed else ordered(graph, generation)


def _ordered_by_all(waist: Waist, graph: Graph, generation: Array) -> Answer:
    """The same on a cluster, where every worker gets the generations of all vertices."""
    if waist.any((generation < 0).any()):
        raise CycleError(
            "a topological order needs a graph without cycles, and this one has a cycle.",
            [],
            remedy="clew.topological_order(graph.gather()) names its vertices.",
        )
    ids = waist.ids(graph)
    everywhere = np.empty(graph.num_vertices, np.int64)
    everywhere[waist.collect(ids)] = waist.collect(generation)
    whole = ordered(graph, everywhere)
    return replace(whole, values={name: values[ids] for name, values in whole.values.items()})
