"""Minimum and maximum spanning forests, by Kruskal's and by Prim's rules, as NetworkX breaks ties."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from clew.algorithms.minimum_spanning_forest import sort_keys
from clew.algorithms.minimum_spanning_forest.cpu import chosen_edges
from clew.dtypes import Array
from clew.nx import kernels_orders
from clew.nx.graph import ClewGraph, Weight
from clew.nx.interface import no_directed_graphs, no_parallel_edges, no_weight_function, served

# ruff: noqa: ARG001, N803, signatures are those of NetworkX

Edges = Iterator[tuple[Any, ...]]


def _known_algorithm(algorithm: Any) -> str | None:
    return None if algorithm in RULES else f"algorithm is {algorithm!r}; clew has {', '.join(map(repr, RULES))}."


def _weights(G: ClewGraph, weight: Weight) -> Array:
    values = G.values(weight)
    if values is None:
        return np.ones(G.indices.size, dtype=np.int64)
    if values.array.dtype.kind == "f" and np.isnan(values.array).any():
        raise NotImplementedError("some weights are NaN, which NetworkX ignores or reports.")
    return values.array.astype(np.float64 if values.array.dtype.kind == "f" else np.int64, copy=False)


def _kruskal(G: ClewGraph, minimum: bool, weight: Weight) -> Array:
    """The entries of ``indices`` that are in the forest, in the order of weights; equal ones in that of edges."""
    entries = np.arange(G.indices.size) if G.once is None else np.flatnonzero(G.once)
    keys = sort_keys(_weights(G, weight)[entries], maximum=not minimum)
    return np.asarray(entries[chosen_edges(G.sources[entries], G.indices[entries], keys, len(G))])


def _prim(G: ClewGraph, minimum: bool, weight: Weight) -> Array:
    """Trees grow one after the other, from nodes in the order in which a set gives them away."""
    weights = _weights(G, weight)
    if not minimum:
        if weights.dtype.kind == "i" and weights.min(initial=0) == np.iinfo(np.int64).min:
            raise NotImplementedError("the weight -2**63 has no opposite in 64 bits.")
        weights = -weights
    indptr, indices = G.out_rows().bits
    visited, chosen = np.zeros(len(G), dtype=np.bool_), np.empty(len(G), dtype=np.int64)
    nodes, found = set(G), [np.empty(0, dtype=np.int64)]
    while nodes:
        root = G.positions[nodes.pop()]
        if indptr[root] == indptr[root + 1]:
            visited[root] = True
            continue
        count = kernels_orders.prim(indptr, indices, weights, root, visited, chosen)
        found.append(chosen[:count].copy())
        for node in G.named(G.indices[found[-1]]):
            nodes.discard(node)
    return np.concatenate(found)


RULES = {"kruskal": _kruskal, "prim": _prim}


def _forest(G: ClewGraph, algorithm: str, minimum: bool, weight: Weight, data: bool) -> Edges:
    entries = RULES[algorithm](G, minimum, weight)
    sources, targets = G.named(G.sources[entries]), G.named(G.indices[entries])
    if not data:
        return zip(sources, targets, strict=True)
    if G.original is None:
        raise NotImplementedError("the graph has no edge attributes of NetworkX; pass data=False.")
    rows = G.original.adj
    return ((source, target, rows[source][target]) for source, target in zip(sources, targets, strict=True))


@served(no_parallel_edges, no_weight_function, partition="clew chooses among all edges.")
def kruskal_mst_edges(
    G: ClewGraph,
    minimum: bool,
    weight: Weight = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
    partition: str | None = None,
) -> Edges:
    """The edges of a spanning forest, in the order of their weights."""
    return _forest(G, "kruskal", minimum, weight, data)


@served(no_parallel_edges, no_weight_function)
def prim_mst_edges(
    G: ClewGraph,
    minimum: bool,
    weight: Weight = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Edges:
    """The edges of a spanning forest, in the order in which its trees grow."""
    return _forest(G, "prim", minimum, weight, data)


@served(no_directed_graphs, no_parallel_edges, no_weight_function, _known_algorithm)
def minimum_spanning_edges(
    G: ClewGraph,
    algorithm: str = "kruskal",
    weight: Weight = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Edges:
    """The edges of a forest of least weight."""
    return _forest(G, algorithm, True, weight, data)


@served(no_directed_graphs, no_parallel_edges, no_weight_function, _known_algorithm)
def maximum_spanning_edges(
    G: ClewGraph,
    algorithm: str = "kruskal",
    weight: Weight = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Edges:
    """The edges of a forest of greatest weight."""
    return _forest(G, algorithm, False, weight, data)


def _tree(G: ClewGraph, algorithm: str, minimum: bool, weight: Weight) -> nx.Graph[Any]:
    original = G.original
    if original is None:
        raise NotImplementedError("the graph is not one of NetworkX, whose attributes the result would have.")
    tree = original.__class__()
    tree.graph.update(original.graph)
    tree.add_nodes_from(original.nodes.items())
    tree.add_edges_from(_forest(G, algorithm, minimum, weight, True))
    return tree


@served(no_directed_graphs, no_parallel_edges, no_weight_function, _known_algorithm)
def minimum_spanning_tree(
    G: ClewGraph, weight: Weight = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> nx.Graph[Any]:
    """The nodes of the graph with the edges of a forest of least weight."""
    return _tree(G, algorithm, True, weight)


@served(no_directed_graphs, no_parallel_edges, no_weight_function, _known_algorithm)
def maximum_spanning_tree(
    G: ClewGraph, weight: Weight = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> nx.Graph[Any]:
    """The nodes of the graph with the edges of a forest of greatest weight."""
    return _tree(G, algorithm, False, weight)
