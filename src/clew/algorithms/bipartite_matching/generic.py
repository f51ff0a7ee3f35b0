"""Matching over sparse vectors: proposals for a maximal one, searches from all free vertices at once for a maximum."""

from __future__ import annotations

import numpy as np

from clew.algorithms.bipartite_matching import summary
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import semirings


def bipartite_matching(waist: Waist, graph: Graph, left: Array, maximum: bool) -> Answer:
    """The mate of every vertex (-1: none); see ``clew.bipartite_matching``.

    ``graph`` has its edges in both directions, all between ``left`` and the rest.
    """
    graph = graph.with_weights(None)
    mate: Array = np.full(graph.num_vertices, -1, dtype=graph.indices.dtype)
    added = [_propose(waist, graph, left, mate)]
    while maximum and (paths := _augment(waist, graph, left, mate)):
        added.append(paths)
    return summary(mate, left, added)


def _propose(waist: Waist, graph: Graph, left: Array, mate: Array) -> int:
    """Free vertices on the left propose to all their neighbours, until nobody is left who could accept."""
    pairs = 0
    while True:
        free = np.flatnonzero(left & (mate < 0)).astype(mate.dtype)
        asked, proposer = waist.spmspv(graph, (free, free), semirings.min_second, mask=~left & (mate < 0))
        # A proposer may be accepted by several; it takes the first.
        proposer, first = np.unique(proposer, return_index=True)
        if proposer.size == 0:
            return pairs
        chosen = asked[first]
        mate[proposer], mate[chosen] = chosen, proposer
        pairs += proposer.size


def _augment(waist: Waist, graph: Graph, left: Array, mate: Array) -> int:
    """Search from all free vertices on the left at once, in trees that share no vertex; turn one path of each tree."""
    parent = np.full_like(mate, -1)
    root: Array = np.where(left & (mate < 0), np.arange(mate.size), -1).astype(mate.dtype)
    end = np.full_like(mate, -1)  # by root: where its path ends
    unseen = ~left
    frontier: Array = np.flatnonzero(root >= 0).astype(mate.dtype)
    while frontier.size:
        found, before = waist.spmspv(graph, (frontier, frontier), semirings.min_second, mask=unseen)
        unseen[found] = False
        parent[found], root[found] = before, root[before]
        free = mate[found] < 0
        end[root[found[free]]] = found[free]
        onward = mate[found[~free]]
        root[onward] = root[found[~free]]
        frontier = np.sort(onward[end[root[onward]] < 0])  # trees with a path need no more
    at = end[end >= 0]
    paths = int(at.size)
    while at.size:  # every path takes a step back to its root
        before = parent[at]
        then = mate[before]
        mate[before], mate[at] = at, before
        at = then[then >= 0]
    return paths
