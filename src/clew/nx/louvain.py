"""Louvain's method with NetworkX's rules: the same nodes in the same order, so the same communities for a seed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import NamedTuple

import numpy as np

from clew.dtypes import Array, as_bits
from clew.nx import kernels_louvain
from clew.nx.degrees import edge_weights
from clew.nx.graph import ClewGraph, Weight

# ruff: noqa: N803, NetworkX calls its graphs G


class Level(NamedTuple):
    """A graph of communities: rows in the order of NetworkX's dicts, where a self-loop is one entry."""

    indptr: Array
    indices: Array
    weights: Array

    @property
    def edges(self) -> tuple[Array, Array, Array]:
        """Both ends and the weight of every edge, in NetworkX's order of edges."""
        source = np.repeat(np.arange(self.indptr.size - 1), np.diff(self.indptr))
        once = source <= self.indices
        return source[once], self.indices[once], self.weights[once]

    def degrees(self) -> list[float]:
        """The degree of every vertex, added up by Python, whose sums of floats depend on its version."""
        weights, bounds = self.weights.tolist(), self.indptr.tolist()
        found = [sum(weights[first:last]) for first, last in pairwise(bounds)]
        source, target, weight = self.edges
        loops = source == target
        for vertex, value in zip(source[loops].tolist(), weight[loops].tolist(), strict=True):
            found[vertex] += value
        return found

    def modularity(self, label: Array, degrees: Array, resolution: float) -> float:
        """The modularity of some communities, which are numbered from 0."""
        source, target, weight = self.edges
        inside, total = weight[label[source] == label[target]].sum(), degrees.sum()
        ends = np.bincount(label, weights=degrees)
        return float(2 * inside / total - resolution * (ends**2).sum() / total**2)


def _merged(count: int, source: Array, target: Array, weight: Array) -> Level:
    """The level with these edges. Edges between the same vertices become one, where the first of them is."""
    key = np.minimum(source, target) * count + np.maximum(source, target)
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    weight = np.bincount(place[which], weights=weight, minlength=order.size)
    source, target = source[first[order]], target[first[order]]
    # Every edge is added to the rows of both ends, in the order of edges.
    real = np.flatnonzero(source != target)
    edge = np.append(np.arange(source.size), real)
    heads, tails = np.append(source, target[real]), np.append(target, source[real])
    order = np.lexsort((edge, heads))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(heads, minlength=count))])
    return Level(indptr, tails[order], weight[edge[order]])


def partitions(G: ClewGraph, weight: Weight, resolution: float, threshold: float, seed: Random) -> Iterator[Array]:
    """The community of every vertex at every level, as long as modularity grows by more than ``threshold``."""
    n, once = len(G), G.once
    level = _merged(n, G.sources[once], G.indices[once], edge_weights(G, weight)[once].astype(np.float64))
    label = np.arange(n)
    edges = sum(level.degrees()) / 2
    if edges <= 0:
        raise NotImplementedError("the sum of the weights is not positive; clew needs that here.")
    quality = level.modularity(label, np.array(level.degrees()), resolution)
    is_first = True  # the first level is given even if no node moves
    while True:
        degrees = np.array(level.degrees())
        community, moves = _moved(level, degrees, edges, resolution, seed)
        if not (is_first or moves):
            return
        is_first = False
        _, found = np.unique(community, return_inverse=True)
        label = found[label]
        yield label
        better = level.modularity(found, degrees, resolution)
        if better - quality <= threshold:
            return
        quality = better
        source, target, weights = level.edges
        level = _merged(int(found.max()) + 1, found[source], found[target], weights)


def _moved(level: Level, degrees: Array, edges: float, resolution: float, seed: Random) -> tuple[Array, int]:
    """The community of every vertex after vertices moved until none could gain, and how often they moved."""
    n = degrees.size
    order = list(range(n))
    seed.shuffle(order)
    community, total = np.arange(n), degrees.copy()
    near, marks, seen = np.zeros(n), np.full(n, -1), np.empty(n, dtype=np.int64)
    rows = (as_bits(level.indptr), as_bits(level.indices), level.weights)
    turns, scale = np.array(order, dtype=np.int64), (edges, float(resolution), 2 * edges**2)
    moves = 0
    # A call for every sweep, so that Ctrl-C is honoured between them.
    while now := kernels_louvain.sweep(*rows, degrees, turns, *scale, community, total, near, marks, seen):
        moves += int(now)
        marks[:] = -1
    return community, moves
