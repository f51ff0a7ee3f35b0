"""Communities by Louvain and Leiden, and the quality of communities."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from random import Random
from typing import Any

import networkx as nx
import numpy as np
from networkx.algorithms.community.quality import NotAPartition

from clew import algorithms
from clew.dtypes import Array
from clew.nx.degrees import degrees, edge_weights, sums
from clew.nx.graph import ClewGraph, Node, Weight
from clew.nx.interface import no_directed_graphs, no_parallel_edges, no_weight_function, served
from clew.nx.louvain import partitions
from clew.nx.selection import NOT_SEEDED
from clew.nx.structure import sets_of

# ruff: noqa: N803, signatures are those of NetworkX

Partition = list[set[Node]]


def _sets(G: ClewGraph, labels: Iterator[Array]) -> Iterator[Partition]:
    """The sets of nodes of every level; a set for every node if the graph has no edges."""
    if G.indices.size == 0:
        return iter([[{node} for node in G]])
    return (list(sets_of(G, label, np.bincount(label))) for label in labels)


def _louvain(G: ClewGraph, weight: Weight, resolution: float, threshold: float, seed: Any) -> Iterator[Partition]:
    return _sets(G, partitions(G, weight, resolution, threshold, NOT_SEEDED if seed is None else seed))


def _leiden(G: ClewGraph, weight: Weight, resolution: float, seed: Any) -> Iterator[Partition]:
    if G.indices.size == 0:
        return _sets(G, iter(()))
    start = (NOT_SEEDED if seed is None else seed).getrandbits(31)
    found = algorithms.leiden(G.weighted(weight), resolution=resolution, seed=start, hierarchy=True)
    return _sets(G, iter(found.hierarchy))


def _last(partitions: Iterator[Partition], max_level: int | None) -> Partition:
    if max_level is not None and max_level <= 0:
        raise ValueError("max_level argument must be a positive integer or None")
    return list(islice(partitions, max_level))[-1]


@served(no_directed_graphs, no_weight_function)
def louvain_partitions(
    G: ClewGraph, weight: Weight = "weight", resolution: float = 1, threshold: float = 1e-7, seed: Random | None = None
) -> Iterator[Partition]:
    """The communities of every level, the smallest ones first."""
    return _louvain(G, weight, resolution, threshold, seed)


@served(no_directed_graphs, no_weight_function)
def louvain_communities(
    G: ClewGraph,
    weight: Weight = "weight",
    resolution: float = 1,
    threshold: float = 1e-7,
    max_level: int | None = None,
    seed: Random | None = None,
) -> Partition:
    """The communities of the last level, or of the level ``max_level``."""
    return _last(_louvain(G, weight, resolution, threshold, seed), max_level)


@served(no_directed_graphs, no_weight_function)
def leiden_partitions(
    G: ClewGraph, weight: Weight = "weight", resolution: float = 1, seed: Random | None = None
) -> Iterator[Partition]:
    """The connected communities of every level, the smallest ones first; NetworkX has no Leiden of its own."""
    return _leiden(G, weight, resolution, seed)


@served(no_directed_graphs, no_weight_function)
def leiden_communities(
    G: ClewGraph,
    weight: Weight = "weight",
    resolution: float = 1,
    max_level: int | None = None,
    seed: Random | None = None,
) -> Partition:
    """The connected communities of the last level; NetworkX has no Leiden of its own."""
    return _last(_leiden(G, weight, resolution, seed), max_level)


def _labels(G: ClewGraph, communities: list[Collection[Node]]) -> Array | None:
    """The number of every node's community; None where the communities are no partition of the nodes."""
    sizes = list(map(len, communities))
    label = np.full(len(G), -1)
    if sum(sizes) == len(G):
        members = G.vertices(node for nodes in communities for node in nodes if node in G)
        if members.size == len(G):
            label[members] = np.repeat(np.arange(len(sizes)), sizes)
    return None if (label < 0).any() or sum(sizes) != len(G) else label


@served(no_weight_function)
def modularity(
    G: ClewGraph, communities: Iterable[Collection[Node]], weight: Weight = "weight", resolution: float = 1
) -> float:
    """The share of edges inside communities, less what chance would give."""
    communities = list(communities)
    label = _labels(G, communities)
    if label is None:
        raise NotAPartition(G, communities)
    weights, k = edge_weights(G, weight), len(communities)
    inside = label[G.sources] == label[G.indices]
    if G.once is not None:
        inside &= G.once
    within = sums(label[G.sources[inside]], weights[inside], k)
    ends = [sums(label, degrees(G, side, weight), k) for side in ("out", "in")]
    total = ends[0].sum().item()
    edges = total if G.is_directed() else total / 2
    chance = 1 / total**2
    return float((within / edges - resolution * ends[0] * ends[1] * chance).sum()) if k else 0


@served()
def partition_quality(G: ClewGraph, partition: Collection[Collection[Node]]) -> tuple[float, float]:
    """The share of edges inside communities, and the share of pairs that are edges inside or none between them."""
    label = _labels(G, list(partition))
    if label is None:
        raise nx.NetworkXError("`partition` is not a valid partition of the nodes of G")
    edges, n = G.number_of_edges(), len(G)
    inside = _inside(G, label)
    if edges == 0:
        raise ZeroDivisionError("division by zero")
    if G.is_multigraph():
        return inside / edges, -1.0
    between = n * n - int((np.bincount(label).astype(np.int64) ** 2).sum())
    pairs = n * (n - 1)
    if not G.is_directed():
        between, pairs = between // 2, pairs // 2
    return inside / edges, (inside + between - (edges - inside)) / pairs


def _inside(G: ClewGraph, label: Array) -> int:
    """How many edges have both ends in one community."""
    inside = label[G.sources] == label[G.indices]
    return int(np.count_nonzero(inside if G.once is None else inside & G.once))


def _blocks(G: ClewGraph, partition: Iterable[Collection[Node]]) -> Array:
    label = _labels(G, list(partition))
    if label is None:
        raise NotImplementedError("partition does not have every node in exactly one community; clew needs that.")
    return label


@served()
def intra_community_edges(G: ClewGraph, partition: Iterable[Collection[Node]]) -> int:
    """How many edges have both ends in one community."""
    return _inside(G, _blocks(G, partition))


@served(no_parallel_edges)
def inter_community_edges(G: ClewGraph, partition: Iterable[Collection[Node]]) -> int:
    """How many edges join two communities."""
    return G.number_of_edges() - _inside(G, _blocks(G, partition))


@served(no_parallel_edges)
def inter_community_non_edges(G: ClewGraph, partition: Iterable[Collection[Node]]) -> int:
    """How many pairs of nodes of two communities have no edge."""
    label = _blocks(G, partition)
    pairs = len(G) ** 2 - int((np.bincount(label).astype(np.int64) ** 2).sum())
    return (pairs if G.is_directed() else pairs // 2) - (G.number_of_edges() - _inside(G, label))
