"""Louvain and Leiden over the waist: the weight of a vertex's edges to every community is a product of two matrices.

In each round, some vertices choose the best community among their neighbours', and all of them move at once. A round
that does not raise the modularity is undone, and fewer vertices move in the next.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from clew.algorithms.communities import Spread, by_size, improved, numbered, summary, undirected
from clew.algorithms.connected_components.generic import connected_components
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.layouts import coo
from clew.operators import semirings

LEAST_GAIN = 1e-15  # of the modularity; a smaller one may be a rounding error
MAX_ROUNDS = 64  # per level


def communities(
    waist: Waist,
    graph: Graph,
    resolution: float,
    max_iterations: int,
    seed: int | None,
    hierarchy: bool,
    *,
    refine: bool,
) -> Answer:
    """Communities of high modularity; with ``refine``, by Leiden, else by Louvain."""
    first = _lowest(waist, undirected(graph), resolution, seed or 0)
    alone = np.arange(graph.num_vertices)
    levels, moves = improved(first, alone, max_iterations, refine=refine, hierarchy=hierarchy)
    quality = first.quality(levels[-1]) if first.strength.any() else float("nan")
    numbers = [by_size(level, graph.indices.dtype) for level in levels]
    return summary(numbers, quality, moves, hierarchy=hierarchy)


@dataclass(frozen=True)
class _Links:
    """A graph without loops, every edge in both directions. Weights and strengths are shares of the whole."""

    waist: Waist
    links: Graph
    strength: Array
    inner: float  # the weight inside its vertices
    resolution: float
    seed: int

    def quality(self, community: Array) -> float:
        """The modularity."""
        arcs, strong = coo(self.links), np.bincount(community, self.strength)
        inside = arcs.weights * (community[arcs.rows] == community[arcs.columns])
        return float(self.inner + self.waist.total(inside) - self.resolution * self.waist.total(strong * strong))

    @property
    def size(self) -> int:
        """The number of vertices."""
        return int(self.strength.size)

    def turn(self, iteration: int) -> _Links:
        """The level for an iteration: in each, others move together."""
        return replace(self, seed=self.seed + iteration)

    def improve(self, community: Array) -> tuple[Array, int]:
        """Better communities, and the number of moves."""
        return self._moved(community, once=False)

    def refined(self, community: Array) -> Array:
        """Connected parts of the communities."""
        return self.within(community)._moved(np.arange(community.size), once=True)[0]

    def _moved(self, community: Array, *, once: bool) -> tuple[Array, int]:
        """Communities after moves, and how many; with ``once``, only vertices that are alone move."""
        order = self.waist.shuffled(self.links, self.seed)
        groups, idle, moves, best = 2, 0, 0, self.quality(community)
        for turn in range(MAX_ROUNDS):
            movers = order % groups == turn % groups
            if once:
                movers &= np.bincount(community, minlength=community.size)[community] == 1
            after = self._chosen(community, movers)
            if once:  # a community that a vertex leaves accepts none, so every community stays connected
                left = np.isin(after, community[after != community])
                after[left] = community[left]
            moved, quality = int((after != community).sum()), self.quality(after)
            if moved and quality > best:
                community, best, moves, idle = after, quality, moves + moved, 0
            elif moved:
                groups, idle = 2 * groups, 0
            elif (idle := idle + 1) >= groups:
                break
        return community, moves

    def _chosen(self, community: Array, movers: Array) -> Array:
        """The best community for each of the movers; the others keep theirs."""
        ids = np.arange(community.size)
        members = Graph.from_edges(ids, community, num_vertices=ids.size)
        near = coo(self.waist.spgemm(self.links, members, semirings.plus_first))
        assert near.weights is not None
        totals, expected = np.bincount(community, self.strength, ids.size), self.resolution * self.strength
        own = near.columns == community[near.rows]
        stay = np.zeros(ids.size)
        stay[near.rows[own]] = near.weights[own]
        stay -= expected * (totals[community] - self.strength)
        row, column = near.rows[~own], near.columns[~own]
        gain = near.weights[~own] - expected[row] * totals[column]
        best = np.lexsort((column, -gain, row))  # of several, the smallest label
        best = best[np.flatnonzero(np.diff(row[best], prepend=-1))]
        best = best[movers[row[best]] & (gain[best] > stay[row[best]] + LEAST_GAIN)]
        after = community.copy()
        after[row[best]] = column[best]
        return after

    def within(self, community: Array) -> _Links:
        """The same vertices with the edges inside communities only."""
        arcs = coo(self.links)
        inside = arcs.weights * (community[arcs.rows] == community[arcs.columns])
        return replace(self, links=_links(arcs.rows, arcs.columns, inside, community.size))

    def numbered(self, label: Array) -> tuple[Array, int]:
        """Labels replaced by 0, 1, … in their order, and how many there are."""
        return numbered(label)

    def contracted(self, part: Array, count: int, community: Array) -> tuple[_Links, Array]:
        """The graph whose vertices are parts, and their communities."""
        arcs = coo(self.links)
        assert arcs.weights is not None
        links = _links(part[arcs.rows], part[arcs.columns], arcs.weights, count)
        inner = self.inner + float(arcs.weights[part[arcs.rows] == part[arcs.columns]].sum())
        above = np.empty(count, community.dtype)
        above[part] = numbered(community)[0]
        return replace(self, links=links, strength=np.bincount(part, self.strength, count), inner=inner), above

    @property
    def spread(self) -> Spread:
        """A function that returns labels of the level above as labels of this one, given the parts."""
        return np.take

    def connected(self, community: Array) -> Array:
        """The communities, with those that are not connected split into their connected pieces."""
        label: Array = connected_components(self.waist, self.within(community).links).label
        return label


def _lowest(waist: Waist, graph: Graph, resolution: float, seed: int) -> _Links:
    arcs = coo(graph)
    weights = np.ones(arcs.rows.size) if arcs.weights is None else arcs.weights.astype(np.float64)
    loop = arcs.rows == arcs.columns
    weights = weights * np.where(loop, 2.0, 1.0)  # both its ends are here, and it is stored once
    weights /= float(waist.total(weights)) or 1.0
    strength = np.bincount(arcs.rows, weights, graph.num_vertices)
    links = _links(arcs.rows, arcs.columns, weights, graph.num_vertices)
    return _Links(waist, links, strength, float(weights[loop].sum()), resolution, seed)


def _links(source: Array, target: Array, weights: Array, count: int) -> Graph:
    """A graph without loops and without edges of weight 0."""
    keep = (source != target) & (weights > 0)
    return Graph.from_edges(source[keep], target[keep], weights[keep], count, duplicates="sum")
