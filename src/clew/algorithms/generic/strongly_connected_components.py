"""Strongly connected components by colouring: who has the same largest vertex behind it, and leads to that vertex."""

from __future__ import annotations

import numpy as np

from clew.algorithms.generic.waist import spmspv, spmv, spvisit
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import semirings
from clew.result import Result


def strongly_connected_components(graph: Graph, *, device: str = "auto") -> Result:
    """The smallest vertex of every strong component; see ``clew.strongly_connected_components``.

    Long chains of small components take a round each: one depth-first search is faster on such graphs.
    """
    graph = graph.with_weights(None)
    ids: Array = np.arange(graph.num_vertices, dtype=graph.indices.dtype)
    label = ids.copy()
    active: Array = np.ones(graph.num_vertices, dtype=np.bool_)
    rounds = 0
    while active.any():
        rounds += 1
        active &= _could_lie_on_a_cycle(graph, active, device)  # the others are components of their own
        color = _largest_behind(graph, np.where(active, ids, ids.dtype.type(-1)), active, device)
        inside = _leading_to_it(graph, color, active & (color == ids), active, device)
        smallest = np.full(ids.size, ids.size, dtype=ids.dtype)
        np.minimum.at(smallest, color[inside], ids[inside])
        label[inside] = smallest[color[inside]]
        active &= ~inside
    sizes = np.bincount(label, minlength=ids.size)
    sizes = sizes[sizes > 0]
    facts = {"count": sizes.size, "sizes": sizes, "largest": int(sizes.max(initial=0))}
    named = graph.names
    return Result("strongly_connected_components", {"label": label}, names=named, facts=facts, iterations=rounds)


def _could_lie_on_a_cycle(graph: Graph, active: Array, device: str) -> Array:
    """Active vertices with an active neighbour before and behind them."""
    before: Array = spvisit(graph, active, transpose=True, device=device)
    after: Array = spvisit(graph, active, device=device)
    return before & after


def _largest_behind(graph: Graph, color: Array, active: Array, device: str) -> Array:
    """For every active vertex the largest that a path leads from, through active vertices."""
    while True:
        near = spmv(graph, color, semirings.max_second, transpose=True, mask=active, device=device)
        after = np.where(active, np.maximum(color, near), color)
        if np.array_equal(after, color):
            return color
        color = after


def _leading_to_it(graph: Graph, color: Array, roots: Array, active: Array, device: str) -> Array:
    """Vertices that a path of their own colour leads from to that colour's vertex."""
    reached = roots.copy()
    frontier: Array = np.flatnonzero(roots).astype(graph.indices.dtype)
    while frontier.size:
        # Whoever leads on leads to its own colour or a larger one; so the smallest that is offered tells.
        found, offered = spmspv(
            graph,
            (frontier, color[frontier]),
            semirings.min_second,
            transpose=True,
            mask=active & ~reached,
            device=device,
        )
        frontier = found[offered == color[found]]
        reached[frontier] = True
    return reached
