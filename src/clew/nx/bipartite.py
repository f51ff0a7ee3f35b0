"""Bipartite graphs and their matchings."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx
import numpy as np

from clew import algorithms
from clew.algorithms.bipartite_matching.cpu import two_sides
from clew.nx.graph import ClewGraph, Node
from clew.nx.in_order import maximum_matching
from clew.nx.serving import graph_is_directed, served

# ruff: noqa: N803, NetworkX calls its graphs G


@served()
def is_bipartite(G: ClewGraph) -> bool:
    """Whether there is no cycle of odd length."""
    graph = G.unweighted
    return two_sides(graph.symmetrized() if graph.directed else graph)[1] is None


def _left_of(G: ClewGraph) -> set[Node]:
    """The nodes on the side of the first node; raise an error if the sides are not unique."""
    graph = G.unweighted
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    if algorithms.connected_components(graph).count > 1:
        raise nx.AmbiguousSolution("Disconnected graph: Ambiguous solution for bipartite sets.")
    side, odd_cycle = two_sides(graph)
    if odd_cycle is not None:
        raise nx.NetworkXError("Graph is not bipartite.")
    return set(G.named(np.flatnonzero(side == side[0]))) if G.indices.size else set()


def _matching(G: ClewGraph, top_nodes: Iterable[Node] | None) -> dict[Node, Node]:
    """NetworkX iterates over both sides in set order, and over neighbours in graph order."""
    left = _left_of(G) if top_nodes is None else set(top_nodes)
    right = set(G) - left
    vertices = G.vertices(left)
    on_left = np.zeros(len(G), dtype=np.bool_)
    on_left[vertices] = True
    if (on_left[G.sources] & on_left[G.indices]).any():
        raise NotImplementedError("some top_nodes are neighbours; clew needs the nodes of one side.")
    mate = maximum_matching(G.indptr, G.indices, vertices)
    pairs = zip(G.nodes, mate.tolist(), strict=True)
    partner = {node: G.nodes[other] for node, other in pairs if other >= 0}
    return {node: partner[node] for node in (*left, *right) if node in partner}


@served(graph_is_directed)
def hopcroft_karp_matching(G: ClewGraph, top_nodes: Iterable[Node] | None = None) -> dict[Node, Node]:
    """A maximum matching, with every pair in both directions."""
    return _matching(G, top_nodes)


@served(graph_is_directed)
def eppstein_matching(G: ClewGraph, top_nodes: Iterable[Node] | None = None) -> dict[Node, Node]:
    """A maximum matching, with every pair in both directions."""
    return _matching(G, top_nodes)
