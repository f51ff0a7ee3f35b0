"""Topological order: vertices that nothing leads to are taken away, generation by generation."""

from __future__ import annotations

from typing import Any

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
    generation, count = generations(waist, graph)
    return _ordered_by_all(waist, graph, generation, count) if waist.distributed else ordered(graph, generation)


def generations(waist: Waist, graph: Graph) -> tuple[Array, int]:
    """The generation of every vertex, -1 for those on a cycle or behind one, and the number of generations."""
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
    return generation, count


def _ordered_by_all(waist: Any, graph: Graph, generation: Array, count: int) -> Answer:
    """The same on a cluster. The first worker has the order, and the others have none."""
    if waist.any((generation < 0).any()):
        raise CycleError(
            "a topological order needs a graph without cycles, and this one has a cycle.",
            [],
            remedy="clew.topological_order(graph.gather()) names its vertices.",
        )
    ids = waist.ids(graph)
    position = waist.ranks(generation * graph.num_vertices + ids)
    ids, places = waist.at_first(ids), waist.at_first(position)
    order = np.empty(ids.size, np.int64)
    order[places] = ids
    facts = {"order": order, "generations": count}
    return Answer({"position": position, "generation": generation}, facts, iterations=max(1, count))
