"""Triangles of edges, trusses, onion layers, rich clubs, triads, and edges on shortest paths."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.nx import kernels_neighborhoods
from clew.nx.graph import ClewGraph, Node, bunch
from clew.nx.interface import (
    no_directed_graphs,
    no_parallel_edges,
    no_undirected_graphs,
    served,
    to_networkx,
)

# ruff: noqa: ARG001, N803, signatures are those of NetworkX


def _refuse_loops(G: ClewGraph, verb: str) -> None:
    if (G.sources == G.indices).any():
        raise nx.NetworkXNotImplemented(
            f"Input graph {verb} self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )


def supports(G: ClewGraph) -> Array:
    """In how many triangles the edge of every entry is."""
    found = np.empty(G.indices.size, dtype=np.int64)
    kernels_neighborhoods.edge_supports(*G.out_rows().bits, found)
    return found


@served(no_directed_graphs, no_parallel_edges, few="nodes")
def generalized_degree(G: ClewGraph, nodes: Any = None) -> Any:
    """How many edges of every node are in how many triangles."""
    found = supports(G)
    real = G.sources != G.indices
    ends = np.concatenate([[0], np.cumsum(real)])[G.indptr]
    counts = found[real].tolist()
    chosen = bunch(G, nodes)
    answers = [Counter(counts[ends[vertex] : ends[vertex + 1]]) for vertex in chosen.tolist()]
    return answers[0] if nodes is not None and nodes in G else dict(zip(G.named(chosen), answers, strict=True))


@served(no_directed_graphs, no_parallel_edges)
def k_truss(G: ClewGraph, k: int) -> nx.Graph[Any]:
    """The largest subgraph in which every edge is in k - 2 triangles or more."""
    _refuse_loops(G, "has")
    kept = algorithms.k_truss(G.unweighted).numpy().truss >= k
    truss = to_networkx(G).copy()
    source, target, _ = G.unweighted.edges()
    truss.remove_edges_from(zip(G.named(source[~kept]), G.named(target[~kept]), strict=True))
    left = np.bincount(np.append(source[kept], target[kept]), minlength=len(G))
    truss.remove_nodes_from(G.named(np.flatnonzero(left == 0)))
    return truss


@served(no_directed_graphs, no_parallel_edges)
def onion_layers(G: ClewGraph) -> dict[Node, int]:
    """The layer in which every node is peeled off, in NetworkX's order."""
    _refuse_loops(G, "contains")
    layer, start = np.empty(len(G), dtype=np.int64), np.empty(len(G), dtype=np.int64)
    kernels_neighborhoods.onion(*G.out_rows().bits, np.diff(G.indptr), layer, start)
    order = np.lexsort((start, layer))
    return G.some_by_node(order, layer[order])


def _not_normalized(normalized: bool) -> str | None:
    return "normalized is True; clew does not draw random graphs to compare with." if normalized else None


@served(no_directed_graphs, no_parallel_edges, _not_normalized)
def rich_club_coefficient(
    G: ClewGraph, normalized: bool = True, Q: float = 100, seed: Random | None = None
) -> dict[int, float]:
    """For every degree, the density among the nodes of larger degree."""
    if (G.sources == G.indices).any():
        raise NotImplementedError("rich_club_coefficient is not implemented for graphs with self loops.")
    if G.indices.size == 0:
        return {}
    smaller = np.minimum(G.degrees[G.sources], G.degrees[G.indices])[G.once]
    size = int(G.degrees.max()) + 1
    above = len(G) - np.cumsum(np.bincount(G.degrees, minlength=size))
    edges = smaller.size - np.cumsum(np.bincount(smaller, minlength=size))
    rows = zip(above.tolist(), edges.tolist(), strict=True)
    return {degree: 2 * inside / (n * (n - 1)) for degree, (n, inside) in enumerate(rows) if n > 1}


def _no_nodes(nodelist: Any) -> str | None:
    return "nodelist is given; clew counts the triads of the whole graph." if nodelist is not None else None


@served(no_undirected_graphs, _no_nodes)
def triadic_census(G: ClewGraph, nodelist: Any = None) -> dict[str, int]:
    """How many triads of every kind there are."""
    census: dict[str, int] = algorithms.triadic_census(G.unweighted).census
    return census
