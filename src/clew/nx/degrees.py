"""Isolated nodes and reciprocity: what degrees and pairs of opposite edges tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from clew.dtypes import Array
from clew.nx.graph import ClewGraph, Node
from clew.nx.nodes import bunch
from clew.nx.serving import graph_has_parallel_edges, graph_is_undirected, served

# ruff: noqa: N803, NetworkX calls its graphs G


@served(quick=True)
def isolates(G: ClewGraph) -> Iterator[Node]:
    """Nodes without neighbours."""
    return iter(G.named(np.flatnonzero(G.degrees == 0)))


@served(quick=True)
def number_of_isolates(G: ClewGraph) -> int:
    """How many nodes have no neighbours."""
    return int(np.count_nonzero(G.degrees == 0))


@served(quick=True)
def is_isolate(G: ClewGraph, n: Node) -> bool:
    """Whether a node has no neighbours."""
    if n not in G:
        if isinstance(n, Iterable):  # taken for several nodes, of which the degrees are not 0 but a view
            return False
        raise nx.NetworkXError(f"Node {n} is not in the graph.")
    return bool(G.degrees[G.positions[n]] == 0)


def _mutual(G: ClewGraph) -> Array:
    """How many of every vertex's out-edges have an opposite; a self-loop is its own."""
    edges = G.unweighted.to_scipy()
    return np.asarray(edges.multiply(edges.T.tocsr()).sum(axis=1)).ravel()


@served(graph_is_undirected, graph_has_parallel_edges)
def reciprocity(G: ClewGraph, nodes: Any = None) -> Any:
    """The share of edges that go both ways: of the graph, of a node or of several."""
    if nodes is None:
        return _overall(G)
    chosen = bunch(G, nodes)
    total = G.degrees[chosen]
    shares = np.divide(2.0 * _mutual(G)[chosen], total, out=np.full(chosen.size, np.nan), where=total > 0)
    if nodes in G:
        if total[0] == 0:
            raise nx.NetworkXError("Not defined for isolated nodes.")
        return float(shares[0])
    answers = [share if edges else None for share, edges in zip(shares.tolist(), total.tolist(), strict=True)]
    return dict(zip(G.named(chosen), answers, strict=True))


def _overall(G: ClewGraph) -> float:
    graph = G.unweighted
    if graph.num_edges == 0:
        raise nx.NetworkXError("Not defined for empty graphs")
    return (int(_mutual(G).sum()) - graph.num_loops) / graph.num_edges


@served(graph_is_undirected, graph_has_parallel_edges)
def overall_reciprocity(G: ClewGraph) -> float:
    """The share of edges that have an opposite."""
    return _overall(G)
