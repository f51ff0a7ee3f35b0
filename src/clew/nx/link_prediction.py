"""Link prediction: scores of pairs of nodes, by the neighbours that they share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array, as_bits
from clew.nx import kernels_neighborhoods
from clew.nx.graph import ClewGraph, Node
from clew.nx.interface import served

# ruff: noqa: N803, signatures are those of NetworkX

Pairs = Iterable[tuple[Node, Node]] | None
Scores = Iterator[tuple[Node, Node, Any]]


class Shared(NamedTuple):
    """Pairs of vertices, and their shared neighbours: how many, and the sums of their values.

    ``similar`` and ``similar_total`` are of those neighbours with the label of the first vertex.
    """

    source: Array
    target: Array
    all: Array
    common: Array
    similar: Array
    total: Array
    similar_total: Array


class Rule(NamedTuple):
    """How a score is computed; ``value`` and ``label`` are those of every vertex."""

    score: Callable[[Shared], Array]
    value: Array | None = None
    label: Array | None = None
    #: Pairs whose score NetworkX gives as the integer 0, though other scores are floats.
    nothing: Callable[[Shared], Array] | None = None


def _scores(G: ClewGraph, rule: Rule, source: Array, target: Array) -> list[Any]:
    counts, totals = np.zeros((3, source.size), dtype=np.int64), np.zeros((2, source.size))
    value = np.zeros(len(G)) if rule.value is None else rule.value
    label = np.zeros(len(G), dtype=np.int64) if rule.label is None else rule.label
    kernels_neighborhoods.shared_neighbors(
        *G.out_rows().bits, as_bits(source), as_bits(target), value, label, counts, totals
    )
    shared = Shared(source, target, *counts, *totals)
    found = rule.score(shared)
    if found.dtype.kind == "f" and not np.isfinite(found).all():
        raise NotImplementedError("a pair of equal nodes has a neighbour of degree 1; its score is not finite.")
    scores: list[Any] = found.tolist()
    if rule.nothing is not None:
        for pair in np.flatnonzero(rule.nothing(shared)).tolist():
            scores[pair] = 0
    return scores


def _predict(G: ClewGraph, ebunch: Pairs, rule: Rule) -> Scores:
    """Every given pair with its score; without pairs, all that are no edges, in NetworkX's order."""
    if ebunch is None:
        return _of_non_edges(G, rule)
    if iter(ebunch) is ebunch:
        raise NotImplementedError("ebunch is an iterator, which NetworkX reads twice; pass a list.")
    pairs = list(ebunch)
    try:
        ends = [G.vertices(nodes) for nodes in zip(*pairs, strict=True)] or [np.empty(0, dtype=np.int64)] * 2
    except (KeyError, TypeError):
        missing = (node for pair in pairs for node in pair if node not in G)
        if (node := next(missing, None)) is None and None in G:
            raise
        raise nx.NodeNotFound(f"Node {node} not in G.") from None
    scores = _scores(G, rule, *ends)
    return ((*pair, score) for pair, score in zip(pairs, scores, strict=True))


def _of_non_edges(G: ClewGraph, rule: Rule) -> Scores:
    """A row of scores at a time. NetworkX's order is that in which a set of all nodes gives them away."""
    nodes = set(G)
    while nodes:
        node = nodes.pop()
        vertex = G.positions[node]
        others = list(nodes - set(G.named(G.neighbors(vertex))))
        if others:
            targets = G.vertices(others)
            yield from zip(repeat(node), others, _scores(G, rule, np.full_like(targets, vertex), targets))


@served(few="ebunch")
def resource_allocation_index(G: ClewGraph, ebunch: Pairs = None) -> Scores:
    """The sum of 1 / degree of the shared neighbours."""
    value = np.divide(1.0, G.degrees, out=np.zeros(len(G)), where=G.degrees > 0)
    return _predict(G, ebunch, Rule(lambda shared: shared.total, value, nothing=lambda shared: shared.common == 0))


@served(few="ebunch")
def jaccard_coefficient(G: ClewGraph, ebunch: Pairs = None) -> Scores:
    """Shared neighbours, divided by the neighbours of either node."""
    sizes = np.diff(G.indptr)

    def union(shared: Shared) -> Array:
        return np.asarray(sizes[shared.source] + sizes[shared.target] - shared.all)

    def score(shared: Shared) -> Array:
        return np.asarray(shared.common / np.maximum(union(shared), 1))

    return _predict(G, ebunch, Rule(score, nothing=lambda shared: union(shared) == 0))


@served(few="ebunch")
def adamic_adar_index(G: ClewGraph, ebunch: Pairs = None) -> Scores:
    """The sum of 1 / log(degree) of the shared neighbours."""
    logs = np.array([math.log(degree) if degree > 1 else 0.0 for degree in G.degrees.tolist()])
    value = np.divide(1.0, logs, out=np.full(len(G), np.inf), where=logs > 0)
    return _predict(G, ebunch, Rule(lambda shared: shared.total, value, nothing=lambda shared: shared.common == 0))


@served(few="ebunch")
def common_neighbor_centrality(G: ClewGraph, ebunch: Pairs = None, alpha: float = 0.8) -> Scores:
    """Shared neighbours, and how near the two nodes are."""

    def score(shared: Shared) -> Array:
        if (shared.source == shared.target).any():
            raise NotImplementedError("a pair has two equal nodes, for which NetworkX raises an error.")
        if alpha == 1:
            return shared.common
        near = (1 - alpha) * len(G) / _hops(G, shared.source, shared.target)
        return np.asarray(alpha * shared.common + near)

    return _predict(G, ebunch, Rule(score))


def _hops(G: ClewGraph, source: Array, target: Array) -> Array:
    """The distances of pairs of vertices, infinite where there is no path."""
    starts, row = np.unique(source, return_inverse=True)
    distance = np.empty(source.size)
    for first in range(0, starts.size, 64):
        depth = algorithms.multi_source_bfs(G.unweighted, starts[first : first + 64]).numpy().depth
        here = (row >= first) & (row < first + 64)
        found = depth[target[here], row[here] - first].astype(np.float64)
        distance[here] = np.where(found < 0, np.inf, found)
    return distance


@served(few="ebunch")
def preferential_attachment(G: ClewGraph, ebunch: Pairs = None) -> Scores:
    """The product of the degrees."""
    return _predict(G, ebunch, Rule(lambda shared: G.degrees[shared.source] * G.degrees[shared.target]))


def _communities(G: ClewGraph, attribute: str) -> Array:
    """A number for every node's community, which is a node attribute."""
    if G.original is None:
        raise NotImplementedError("the graph has no node attributes, and so no communities.")
    rows, number = G.original._node, dict[Any, int]()
    try:
        return np.array([number.setdefault(rows[node][attribute], len(number)) for node in G.nodes], dtype=np.int64)
    except KeyError:
        raise NotImplementedError(f"a node has no {attribute!r}; clew needs the community of every node.") from None
    except TypeError as error:
        raise NotImplementedError("a community is not hashable; clew compares communities by their hashes.") from error


@served(few="ebunch", every_node=True)
def cn_soundarajan_hopcroft(G: ClewGraph, ebunch: Pairs = None, community: str = "community") -> Scores:
    """Shared neighbours; those in the community of both nodes count twice."""
    label = _communities(G, community)

    def score(shared: Shared) -> Array:
        return np.asarray(shared.common + np.where(label[shared.source] == label[shared.target], shared.similar, 0))

    return _predict(G, ebunch, Rule(score, label=label))


@served(few="ebunch", every_node=True)
def ra_index_soundarajan_hopcroft(G: ClewGraph, ebunch: Pairs = None, community: str = "community") -> Scores:
    """The sum of 1 / degree of the shared neighbours in the community of both nodes."""
    label = _communities(G, community)
    value = np.divide(1.0, G.degrees, out=np.zeros(len(G)), where=G.degrees > 0)

    def nothing(shared: Shared) -> Array:
        return np.asarray((label[shared.source] != label[shared.target]) | (shared.similar == 0))

    return _predict(G, ebunch, Rule(lambda shared: shared.similar_total, value, label, nothing))


@served(few="ebunch", every_node=True)
def within_inter_cluster(
    G: ClewGraph, ebunch: Pairs = None, delta: float = 0.001, community: str = "community"
) -> Scores:
    """Shared neighbours in the community of both nodes, divided by those outside of it."""
    if delta <= 0:
        raise nx.NetworkXAlgorithmError("Delta must be greater than zero")
    label = _communities(G, community)

    def score(shared: Shared) -> Array:
        return np.asarray(shared.similar / (shared.common - shared.similar + delta))

    return _predict(
        G, ebunch, Rule(score, label=label, nothing=lambda shared: label[shared.source] != label[shared.target])
    )
