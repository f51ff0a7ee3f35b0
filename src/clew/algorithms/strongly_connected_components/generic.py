"""Strongly connected components by colouring: who has the same largest vertex behind it, and leads to that vertex."""

from __future__ import annotations

import numpy as np

from clew.algorithms.connected_components import summary
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import monoids, semirings


def strongly_connected_components(waist: Waist, graph: Graph) -> Answer:
    """The smallest vertex of every strong component; see ``clew.strongly_connected_components``.

    Long chains of small components take a round each: one depth-first search is faster on such graphs.
    """
    graph = graph.with_weights(None)
    ids = waist.ids(graph)
    label: Array = ids.copy()
    active: Array = np.ones(ids.size, dtype=np.bool_)
    rounds = 0
    while waist.any(active.any()):
        rounds, label, active = waist.checkpoint(rounds, rounds, label, active)
        rounds += 1
        active &= _could_lie_on_a_cycle(waist, graph, active)  # the others are components of their own
        color = _largest_behind(waist, graph, np.where(active, ids, ids.dtype.type(-1)), active)
        inside = _leading_to_it(waist, graph, color, active & (color == ids), active)
        smallest = waist.gather_by(graph, color[inside], ids[inside], monoids.min)
        label[inside] = waist.take(graph, smallest, color[inside])
        active &= ~inside
    return summary(label, waist.label_sizes(graph, label), rounds)


def _could_lie_on_a_cycle(waist: Waist, graph: Graph, active: Array) -> Array:
    """Active vertices with an active neighbour before and behind them."""
    before: Array = waist.spvisit(graph, active, transpose=True)
    after: Array = waist.spvisit(graph, active)
    return before & after


def _largest_behind(waist: Waist, graph: Graph, color: Array, active: Array) -> Array:
    """For every active vertex the largest that a path leads from, through active vertices."""
    while True:
        near = waist.spmv(graph, color, semirings.max_second, transpose=True, mask=active)
        after = np.where(active, np.maximum(color, near), color)
        if not waist.any((after != color).any()):
            return color
        color = after


def _leading_to_it(waist: Waist, graph: Graph, color: Array, roots: Array, active: Array) -> Array:
    """Vertices that a path of their own colour leads from to that colour's vertex."""
    reached = roots.copy()
    frontier: Array = np.flatnonzero(roots)
    while waist.any(frontier.size):
        # A vertex leads to its own colour or a larger one, so the smallest offer decides.
        found, offered = waist.spmspv(
            graph, (frontier, color[frontier]), semirings.min_second, transpose=True, mask=active & ~reached
        )
        frontier = found[offered == color[found]]
        reached[frontier] = True
    return reached
