"""Bipartite graphs and their matchings."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx
import numpy as np

from clew import algorithms
from clew.engines.cpu.matching import two_sides
from clew.nx.graph import ClewGraph, Node
from clew.nx.serving import graph_is_directed, served

# ruff: noqa: N803, NetworkX calls its graphs G


@served()
def is_bipartite(G: ClewGraph) -> bool:
    """Whether there is no cycle of odd length."""
    graph = G.unweighted
    return two_sides(graph.symmetrized() if graph.directed else graph)[1] is None


def _matching(G: ClewGraph, top_nodes: Iterable[Node] | None) -> dict[Node, Node]:
    graph = G.unweighted
    if top_nodes is None:
        if len(G) == 0:
            raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
        if algorithms.connected_components(graph).count > 1:
            raise nx.AmbiguousSolution("Disconnected graph: Ambiguous solution for bipartite sets.")
        if two_sides(graph)[1] is not None:
            raise nx.NetworkXError("Graph is not bipartite.")
        mate = algorithms.bipartite_matching(graph).mate
    else:
        left = np.zeros(len(G), dtype=np.bool_)
        left[G.vertices(top_nodes)] = True
        mate = algorithms.bipartite_matching(graph, left=left).mate
    matched = np.flatnonzero(mate >= 0)
    return dict(zip(G.named(matched), G.named(mate[matched]), strict=True))


@served(graph_is_directed)
def hopcroft_karp_matching(G: ClewGraph, top_nodes: Iterable[Node] | None = None) -> dict[Node, Node]:
    """A maximum matching, every pair both ways."""
    return _matching(G, top_nodes)


@served(graph_is_directed)
def eppstein_matching(G: ClewGraph, top_nodes: Iterable[Node] | None = None) -> dict[Node, Node]:
    """A maximum matching, every pair both ways."""
    return _matching(G, top_nodes)
