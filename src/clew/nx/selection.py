"""Matchings, colourings, independent sets and communities: problems with many valid results."""

from __future__ import annotations

from collections.abc import Iterable, ValuesView
from itertools import islice
from random import Random
from typing import Any

import networkx as nx
import numpy as np
from networkx.utils import create_py_random_state

from clew import algorithms
from clew.algorithms.bipartite_matching.sides import two_sides
from clew.algorithms.coloring import Order
from clew.dtypes import Array, as_bits
from clew.graph import Graph
from clew.nx import kernels, nearby
from clew.nx.graph import ClewGraph, Node
from clew.nx.interface import no_directed_graphs, served
from clew.nx.searches import maximum_matching
from clew.nx.structure import sets_of

# ruff: noqa: ARG001, N803, signatures are those of NetworkX


@served(sooner=nearby.has_odd_cycle)
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
    mate = maximum_matching(G.out_rows(), vertices)
    pairs = zip(G.nodes, mate.tolist(), strict=True)
    partner = {node: G.nodes[other] for node, other in pairs if other >= 0}
    return {node: partner[node] for node in (*left, *right) if node in partner}


@served(no_directed_graphs)
def hopcroft_karp_matching(G: ClewGraph, top_nodes: Iterable[Node] | None = None) -> dict[Node, Node]:
    """A maximum matching, with every pair in both directions."""
    return _matching(G, top_nodes)


@served(no_directed_graphs)
def eppstein_matching(G: ClewGraph, top_nodes: Iterable[Node] | None = None) -> dict[Node, Node]:
    """A maximum matching, with every pair in both directions."""
    return _matching(G, top_nodes)


#: What NetworkX passes where no seed is given.
NOT_SEEDED = create_py_random_state(None)

#: NetworkX's strategies and clew's orders.
ORDERS: dict[str, Order] = {
    "largest_first": "largest_first",
    "random_sequential": "random",
    "smallest_last": "smallest_last",
}


def _only_clews_strategies(strategy: Any) -> str | None:
    if isinstance(strategy, str) and strategy in ORDERS:
        return None
    return f"strategy is {strategy!r}; clew supports {', '.join(map(repr, ORDERS))}."


@served(no_directed_graphs, _only_clews_strategies, interchange="clew does not change a colour once it is assigned.")
def greedy_color(G: ClewGraph, strategy: str = "largest_first", interchange: bool = False) -> dict[Node, int]:
    """The greedy colouring in the order of one strategy, which may break ties differently from NetworkX."""
    seed = Random().getrandbits(31) if strategy == "random_sequential" else 0
    return G.by_node(algorithms.coloring(G.unweighted, order=ORDERS[strategy], seed=seed).numpy().color)


@served()
def maximal_independent_set(
    G: ClewGraph, nodes: Iterable[Node] | None = None, seed: Random | None = None
) -> list[Node]:
    """A set that contains ``nodes``; the rest is chosen from the other nodes that are not their neighbours."""
    seed = seed or NOT_SEEDED
    given = set(nodes or ())
    if not given and (len(G) == 0 or seed is not NOT_SEEDED):
        given = {seed.choice(G.nodes)}
    if not given.issubset(G):
        raise nx.NetworkXUnfeasible(f"{given} is not a subset of the nodes of G")
    chosen = G.vertices(given)
    taken = np.zeros(len(G), dtype=np.bool_)
    for vertex in chosen:
        taken[G.neighbors(vertex)] = True
    if taken[chosen].any():
        raise nx.NetworkXUnfeasible(f"{given} is not an independent set of G")
    taken[chosen] = True
    if seed is not NOT_SEEDED:
        return _seeded_set(G, given, taken, seed)
    free = np.flatnonzero(~taken)
    graph = G.unweighted.subgraph(free) if given else G.unweighted
    member = algorithms.maximal_independent_set(graph, seed=seed.getrandbits(31)).numpy().member
    return [*given, *G.named(free[member])]


def _seeded_set(G: ClewGraph, given: set[Node], taken: Array, seed: Random) -> list[Node]:
    """The set that NetworkX returns for a seed: the drawn node depends on the order of a set."""
    neighbors = set(G.named(np.flatnonzero(taken))) - given
    left = set(G.nodes).difference(neighbors.union(given))
    found = list(given)
    while left:
        node = next(islice(left, seed.choice(range(len(left))), None))
        found.append(node)
        left.difference_update([*G.named(G.neighbors(G.positions[node])), node])
    return found


@served()
def label_propagation_communities(G: ClewGraph) -> ValuesView[set[Node]]:
    """Nodes are updated by the colours of a colouring, until every node has the most frequent label around it."""
    graph = G.unweighted
    if G.is_multigraph():
        graph = type(graph).from_csr(graph.indptr, graph.indices, directed=False, duplicates="drop")
    label = by_turns(graph, algorithms.coloring(graph).numpy().color)
    _, place, sizes = np.unique(label, return_inverse=True, return_counts=True)
    return dict(enumerate(sets_of(G, place, sizes))).values()


def by_turns(graph: Graph, color: Array) -> Array:
    """Label propagation until every vertex has a most frequent label of its neighbours; colour classes take turns.

    The graph is undirected and has no parallel edges.
    """
    n = graph.num_vertices
    labels, votes = np.arange(n, dtype=np.uint32), np.zeros(n, dtype=np.uint32)
    seen = np.empty(int(graph.degrees().max(initial=0)), dtype=np.uint32)
    order = as_bits(np.argsort(color, kind="stable"))
    # A call for every sweep, so that Ctrl-C is honoured between them.
    while kernels.sweep(*graph.outgoing.unsigned(), order, labels, votes, seen):
        pass
    return labels
