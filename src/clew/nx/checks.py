"""Trees, Eulerian graphs, dominating sets, and groups of nodes with their boundaries and cuts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.nx import nearby
from clew.nx.degrees import degrees, edge_weights, one_type
from clew.nx.graph import ClewGraph, Node, Weight, neighbor_of
from clew.nx.interface import no_undirected_graphs, no_weight_function, served

# ruff: noqa: N803, signatures are those of NetworkX


@served(quick=True)
def number_of_selfloops(G: ClewGraph) -> int:
    """How many edges lead from a node to itself."""
    return int(np.count_nonzero(G.sources == G.indices))


def _components(G: ClewGraph) -> Any:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    return algorithms.connected_components(G.unweighted).numpy()


def _at_most_one_enters(G: ClewGraph) -> bool:
    return bool(np.bincount(G.indices, minlength=len(G)).max() <= 1)


def _is_tree(G: ClewGraph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    return len(G) - 1 == G.number_of_edges() and bool(_components(G).count == 1)


def _is_forest(G: ClewGraph) -> bool:
    found = _components(G)
    # No component has fewer edges than a tree, so the sum over all of them decides.
    return bool(len(G) - found.count == G.number_of_edges())


@served()
def is_tree(G: ClewGraph) -> bool:
    """Whether the graph is connected and has one edge fewer than nodes."""
    return _is_tree(G)


@served()
def is_forest(G: ClewGraph) -> bool:
    """Whether every component is a tree."""
    return _is_forest(G)


@served(no_undirected_graphs)
def is_arborescence(G: ClewGraph) -> bool:
    """Whether the graph is a tree in which no node has two edges to it."""
    return _is_tree(G) and _at_most_one_enters(G)


@served(no_undirected_graphs)
def is_branching(G: ClewGraph) -> bool:
    """Whether the graph is a forest in which no node has two edges to it."""
    return _is_forest(G) and _at_most_one_enters(G)


def _is_connected(G: ClewGraph, find: Any) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return bool(find(G.unweighted).count == 1)


def _is_eulerian(G: ClewGraph) -> bool:
    if G.is_directed():
        balanced = (np.diff(G.indptr) == np.bincount(G.indices, minlength=len(G))).all()
        return bool(balanced) and _is_connected(G, algorithms.strongly_connected_components)
    return bool((G.degrees % 2 == 0).all()) and _is_connected(G, algorithms.connected_components)


def _has_eulerian_path(G: ClewGraph, source: Node | None = None) -> bool:
    if _is_eulerian(G):
        return True
    start = None if source is None else G.positions[source]
    if not G.is_directed():
        odd = G.degrees % 2 == 1
        if start is not None and not odd[start]:
            return False
        return bool(np.count_nonzero(odd) == 2) and _is_connected(G, algorithms.connected_components)
    excess = np.diff(G.indptr) - np.bincount(G.indices, minlength=len(G))
    if (start is not None and excess[start] != 1) or (np.abs(excess) > 1).any():
        return False
    balanced = np.count_nonzero(excess == 1) <= 1 and np.count_nonzero(excess == -1) <= 1
    return bool(balanced) and _is_connected(G, algorithms.connected_components)


@served(quick=True, sooner=nearby.has_odd_degree)
def is_eulerian(G: ClewGraph) -> bool:
    """Whether there is a closed walk over every edge once."""
    return _is_eulerian(G)


@served(sooner=nearby.has_many_odd_degrees)
def has_eulerian_path(G: ClewGraph, source: Node | None = None) -> bool:
    """Whether there is a walk over every edge once."""
    return _has_eulerian_path(G, source)


@served(sooner=nearby.has_many_odd_degrees)
def is_semieulerian(G: ClewGraph) -> bool:
    """Whether there is a walk over every edge once, but no closed one."""
    return _has_eulerian_path(G) and not _is_eulerian(G)


# ------------------------------------------------------------------ groups of nodes


def _entries(G: ClewGraph, vertices: Array) -> Array:
    """The entries of ``indices`` in the rows of some vertices."""
    sizes = np.diff(G.indptr)[vertices]
    return np.asarray(np.repeat(G.indptr[vertices] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum()))


def _group(G: ClewGraph, nodes: Iterable[Node]) -> Array:
    """The vertices of a set of nodes, of those that are in the graph."""
    return G.vertices(node for node in set(nodes) if node in G)


def _mask(G: ClewGraph, vertices: Array) -> Array:
    inside = np.zeros(len(G), dtype=np.bool_)
    inside[vertices] = True
    return inside


def _neighborhood(G: ClewGraph, nodes: Iterable[Node]) -> Array:
    """Marks the vertices that an edge from a node leads to; NetworkX's error if one is not in the graph."""
    vertices = np.array([neighbor_of(G, node) for node in nodes], dtype=np.int64)
    return _mask(G, G.indices[_entries(G, vertices)])


@served(quick=True)
def is_dominating_set(G: ClewGraph, nbunch: Iterable[Node]) -> bool:
    """Whether every other node is a neighbour of one of these."""
    chosen = _group(G, nbunch)
    return bool((_mask(G, chosen) | _mask(G, G.indices[_entries(G, chosen)])).all())


def _group_degree(G: ClewGraph, S: Collection[Node], near: Array) -> float:
    near[_group(G, S)] = False
    return int(np.count_nonzero(near)) / (len(G) - len(S))


@served(quick=True, few="S")
def group_degree_centrality(G: ClewGraph, S: Collection[Node]) -> float:
    """The share of other nodes that are neighbours of a group."""
    return _group_degree(G, S, _neighborhood(G, S))


@served(no_undirected_graphs, quick=True, few="S")
def group_out_degree_centrality(G: ClewGraph, S: Collection[Node]) -> float:
    """The share of other nodes that edges from a group lead to."""
    return _group_degree(G, S, _neighborhood(G, S))


@served(no_undirected_graphs, quick=True)
def group_in_degree_centrality(G: ClewGraph, S: Collection[Node]) -> float:
    """The share of other nodes from which edges lead to a group."""
    vertices = np.array([neighbor_of(G, node) for node in S], dtype=np.int64)
    return _group_degree(G, S, _mask(G, G.sources[_mask(G, vertices)[G.indices]]))


@served(quick=True, few="nbunch1")
def node_boundary(G: ClewGraph, nbunch1: Iterable[Node], nbunch2: Iterable[Node] | None = None) -> set[Node]:
    """The nodes outside a set that edges from it lead to."""
    chosen = _group(G, nbunch1)
    near = _mask(G, G.indices[_entries(G, chosen)])
    near[chosen] = False
    found = set(G.named(np.flatnonzero(near)))
    return found if nbunch2 is None else found & set(nbunch2)


@served(quick=True, few="S")
def node_expansion(G: ClewGraph, S: Collection[Node]) -> float:
    """How many nodes edges from a set lead to, divided by its size."""
    return int(np.count_nonzero(_neighborhood(G, S))) / len(S)


@served(quick=True, few="S")
def boundary_expansion(G: ClewGraph, S: Collection[Node]) -> float:
    """How many nodes outside a set edges from it lead to, divided by its size."""
    chosen = _group(G, S)
    near = _mask(G, G.indices[_entries(G, chosen)])
    near[chosen] = False
    return int(np.count_nonzero(near)) / len(S)


def _vertices(G: ClewGraph, nodes: Iterable[Node]) -> Array:
    """The vertices of some nodes, of those that are in the graph, as often as they are given."""
    places, chosen = G.positions, list(nodes)
    try:
        return np.array([places[node] for node in chosen if node in places], dtype=np.int64)
    except TypeError:  # one is not hashable
        return G.vertices(node for node in chosen if node in G)


def _sides(G: ClewGraph, S: Collection[Node], T: Collection[Node] | None) -> tuple[Array, Array]:
    """The vertices of both sides of a cut; without T, all others are on the other side."""
    first = _vertices(G, S)
    return first, np.flatnonzero(~_mask(G, first)) if T is None else _vertices(G, T)


def _cut(G: ClewGraph, first: Array, second: Array, weight: Weight) -> Any:
    """The sum of the weights of the edges between two sets, in both directions if the graph is directed."""
    one_type(G, weight)
    here, there = _mask(G, first), _mask(G, second)
    if here[second].any():
        raise NotImplementedError("a node is in both sets; clew needs sets that have no node in common.")
    entries = _entries(G, np.unique(first))
    entries = entries[there[G.indices[entries]]]
    if G.is_directed():
        back = _entries(G, np.flatnonzero(there))
        entries = np.append(entries, back[here[G.indices[back]]])
    if weight is None:
        return int(entries.size)
    return edge_weights(G, weight)[entries].sum().item() if entries.size else 0


def _volume(G: ClewGraph, vertices: Array, weight: Weight) -> Any:
    one_type(G, weight)
    has_edges = (degrees(G, "out")[vertices] > 0).any()
    return degrees(G, "out", weight)[vertices].sum().item() if has_edges else 0


def _both_sides(G: Any, T: Any) -> str | None:
    missing = T is None and G.is_directed()
    return "T is not given; NetworkX needs both sets of a directed graph." if missing else None


def _no_single_node(G: Any, S: Any, T: Any = None) -> str | None:
    """NetworkX fails, or takes the parts of the node for nodes."""
    alone = any(nodes is not None and nodes in G for nodes in (S, T))
    return "S or T is one node; clew needs sets of nodes." if alone else None


def _no_node(G: Any, S: Any) -> str | None:
    return _no_single_node(G, S)


@served(no_weight_function, _no_single_node, _both_sides, quick=True, few="S")
def cut_size(G: ClewGraph, S: Collection[Node], T: Collection[Node] | None = None, weight: Weight = None) -> Any:
    """The sum of the weights of the edges between two sets."""
    return _cut(G, *_sides(G, S, T), weight)


@served(no_weight_function, _no_node, quick=True, few="S")
def volume(G: ClewGraph, S: Collection[Node], weight: Weight = None) -> Any:
    """The sum of the degrees of the nodes of a set."""
    return _volume(G, _vertices(G, S), weight)


@served(no_weight_function, _no_single_node, quick=True)
def normalized_cut_size(
    G: ClewGraph, S: Collection[Node], T: Collection[Node] | None = None, weight: Weight = None
) -> float:
    """The cut, divided by the volumes of both sides."""
    sides = _sides(G, S, T)
    cut, (one, other) = _cut(G, *sides, weight), (_volume(G, side, weight) for side in sides)
    found: float = cut * (1 / one + 1 / other)
    return found


@served(no_weight_function, _no_single_node, quick=True)
def conductance(G: ClewGraph, S: Collection[Node], T: Collection[Node] | None = None, weight: Weight = None) -> float:
    """The cut, divided by the smaller volume of both sides."""
    sides = _sides(G, S, T)
    found: float = _cut(G, *sides, weight) / min(_volume(G, side, weight) for side in sides)
    return found


@served(no_weight_function, _no_single_node, quick=True)
def edge_expansion(
    G: ClewGraph, S: Collection[Node], T: Collection[Node] | None = None, weight: Weight = None
) -> float:
    """The cut, divided by the number of nodes of the smaller side."""
    sides = _sides(G, S, T)
    found: float = _cut(G, *sides, weight) / min(len(S), sides[1].size if T is None else len(T))
    return found


@served(no_weight_function, _no_single_node, _both_sides, quick=True)
def mixing_expansion(
    G: ClewGraph, S: Collection[Node], T: Collection[Node] | None = None, weight: Weight = None
) -> float:
    """The cut, divided by twice the number of edges."""
    found: float = _cut(G, *_sides(G, S, T), weight) / (2 * G.number_of_edges())
    return found
