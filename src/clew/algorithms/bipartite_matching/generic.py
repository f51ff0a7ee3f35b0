"""Matching over sparse vectors: proposals for a maximal one, searches from all free vertices at once for a maximum."""

from __future__ import annotations

import numpy as np

from clew.algorithms.bipartite_matching import summary
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import monoids, semirings


def bipartite_matching(waist: Waist, graph: Graph, left: Array, maximum: bool) -> Answer:
    """The mate of every vertex (-1: none); see ``clew.bipartite_matching``.

    ``graph`` has its edges in both directions, all between ``left`` and the rest.
    """
    graph = graph.with_weights(None)
    mate: Array = np.full_like(waist.ids(graph), -1)
    added: list[int] = []
    while not added or (maximum and added[-1]):
        mate, added = waist.checkpoint(len(added), mate, added)
        added.append((_augment if added else _propose)(waist, graph, left, mate))
    return summary(mate, left, [*added[:1], *filter(None, added[1:])])


def _propose(waist: Waist, graph: Graph, left: Array, mate: Array) -> int:
    """Free vertices on the left propose to all their neighbours, until no vertex is left that could accept."""
    pairs, ids = 0, waist.ids(graph)
    while True:
        free = np.flatnonzero(left & (mate < 0))
        asked, proposer = waist.spmspv(graph, (free, ids[free]), semirings.min_second, mask=~left & (mate < 0))
        if not waist.any(asked.size):
            return pairs
        # A proposer may be accepted by several; it takes the first.
        chosen = waist.gather_by(graph, proposer, ids[asked], monoids.min)
        taken = waist.take(graph, chosen, proposer) == ids[asked]
        mate[asked[taken]] = proposer[taken]
        waist.put(graph, mate, proposer[taken], ids[asked[taken]])
        pairs += int(waist.total(np.array([taken.sum()])))


def _augment(waist: Waist, graph: Graph, left: Array, mate: Array) -> int:
    """Search from all free vertices on the left at once, in trees that share no vertex; turn one path of each tree."""
    ids = waist.ids(graph)
    parent, end = np.full_like(mate, -1), np.full_like(mate, -1)  # end, by root: where its path ends
    root: Array = np.where(left & (mate < 0), ids, mate.dtype.type(-1))
    unseen = ~left
    frontier: Array = np.flatnonzero(root >= 0)
    while waist.any(frontier.size):
        found, before = waist.spmspv(graph, (frontier, ids[frontier]), semirings.min_second, mask=unseen)
        unseen[found] = False
        parent[found], root[found] = before, waist.take(graph, root, before)
        free, matched = found[mate[found] < 0], found[mate[found] >= 0]
        end = np.maximum(end, waist.gather_by(graph, root[free], ids[free], monoids.max))
        onward = waist.put(graph, root, mate[matched], root[matched])
        frontier = onward[waist.take(graph, end, root[onward]) < 0]  # trees with a path need no more
    at = end[end >= 0]
    paths = int(waist.total(np.array([at.size])))
    while waist.any(at.size):  # every path takes a step back to its root
        before = waist.take(graph, parent, at)
        then = waist.take(graph, mate, before)
        waist.put(graph, mate, np.concatenate([before, at]), np.concatenate([at, before]))
        at = then[then >= 0]
    return paths
