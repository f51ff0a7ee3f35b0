"""Edge and node connectivity: how many edges or nodes separate two nodes, or any two, by flows of one per edge.

As in NetworkX, parallel edges count once. For nodes, every node becomes an arc from its even to its odd vertex.
"""

from __future__ import annotations

from itertools import chain, combinations, permutations
from math import ceil
from typing import Any

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.nx.flows import Network, ends_of, own_function
from clew.nx.graph import ClewGraph, Node
from clew.nx.interface import served

# ruff: noqa: ARG001, N803, signatures are those of NetworkX


def _own_networks(auxiliary: Any, residual: Any) -> str | None:
    given = auxiliary is not None or residual is not None
    return "auxiliary or residual is given; clew builds its own networks." if given else None


def _edges(G: ClewGraph) -> tuple[Array, Array]:
    """Both ends of every edge, in both directions if the graph is undirected."""
    rows = G.simple_rows
    return np.repeat(np.arange(len(G)), np.diff(rows.indptr)), rows.indices.astype(np.int64)


def _by_edges(G: ClewGraph) -> Network:
    tails, heads = _edges(G)
    ones = (tails != heads).astype(np.int64)
    return Network(len(G), tails, heads, ones, np.zeros_like(ones))


def _by_nodes(G: ClewGraph) -> Network:
    """Node i is the arc from 2i to 2i + 1, and edges lead from odd to even vertices."""
    (tails, heads), nodes = _edges(G), np.arange(len(G))
    tails, heads = np.concatenate([2 * nodes, 2 * tails + 1]), np.concatenate([2 * nodes + 1, 2 * heads])
    ones = np.ones(tails.size, dtype=np.int64)
    return Network(2 * len(G), tails, heads, ones, np.zeros_like(ones))


def _no_half_a_pair(s: Node | None, t: Node | None) -> bool:
    """Whether two nodes are given; NetworkX's error if it is one."""
    if (s is None) != (t is None):
        raise nx.NetworkXError("Both source and target must be specified.")
    return s is not None


def _check_pair(G: ClewGraph, s: Node, t: Node) -> None:
    for node in (s, t):
        if node not in G:
            raise nx.NetworkXError(f"node {node} not in graph")


def _is_connected(G: ClewGraph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return bool(algorithms.connected_components(G.unweighted).count == 1)


def _cut_off(value: int, cutoff: Any) -> int:
    """Paths are added one by one until there are ``cutoff``."""
    return value if cutoff is None or value < cutoff else max(0, ceil(cutoff))


@served(own_function, _own_networks)
def local_edge_connectivity(
    G: ClewGraph,
    s: Node,
    t: Node,
    flow_func: Any = None,
    auxiliary: Any = None,
    residual: Any = None,
    cutoff: float | None = None,
) -> int:
    """How many edges have to be removed so that no path leads from one node to another."""
    return _cut_off(_by_edges(G).flow(*ends_of(G, s, t))[0], cutoff)


@served(own_function)
def edge_connectivity(
    G: ClewGraph, s: Node | None = None, t: Node | None = None, flow_func: Any = None, cutoff: float | None = None
) -> Any:
    """How many edges have to be removed so that no path leads from s to t, or between any two nodes."""
    if _no_half_a_pair(s, t):
        _check_pair(G, s, t)
        return _cut_off(_by_edges(G).flow(*ends_of(G, s, t))[0], cutoff)
    if not _is_connected(G):
        return 0
    least = int(G.degrees.min())
    least = least if cutoff is None else min(cutoff, least)  # type: ignore[assignment]
    network = _by_edges(G)
    for source, sink in _around(G) if G.is_directed() else _from_one(G):
        least = min(least, _cut_off(network.flow(source, sink)[0], least))
    return least


def _around(G: ClewGraph) -> list[tuple[int, int]]:
    """Every vertex and the next one."""
    if len(G) == 1:
        raise nx.NetworkXError("source and sink are the same node")
    return [(vertex, (vertex + 1) % len(G)) for vertex in range(len(G))]


def _from_one(G: ClewGraph) -> list[tuple[int, int]]:
    """From one vertex of a dominating set to all others: a cut of fewer edges than any degree separates two of them."""
    if G.is_multigraph() or (G.sources == G.indices).any():
        raise NotImplementedError("the graph has parallel edges or self-loops; clew needs the degrees without them.")
    free, chosen = np.ones(len(G), dtype=np.bool_), []
    for vertex in np.argsort(-G.degrees, kind="stable").tolist():
        if free[vertex]:
            chosen.append(vertex)
            free[vertex] = False
            free[G.neighbors(vertex)] = False
    return [(chosen[0], other) for other in chosen[1:]]


def _cut_edges(G: ClewGraph, s: Node, t: Node) -> set[tuple[Node, Node]]:
    side = _by_edges(G).flow(*ends_of(G, s, t))[2]
    tails, heads = _edges(G)
    cut = side[tails] & ~side[heads]
    return set(zip(G.named(tails[cut]), G.named(heads[cut]), strict=True))


@served(own_function, _own_networks)
def minimum_st_edge_cut(
    G: ClewGraph, s: Node, t: Node, flow_func: Any = None, auxiliary: Any = None, residual: Any = None
) -> set[tuple[Node, Node]]:
    """As few edges as possible whose removal leaves no path from one node to another."""
    return _cut_edges(G, s, t)


def _no_whole_graphs(s: Any, t: Any) -> str | None:
    return "s and t are not given; clew finds the cut between two nodes." if s is None and t is None else None


@served(own_function, _no_whole_graphs)
def minimum_edge_cut(
    G: ClewGraph, s: Node | None = None, t: Node | None = None, flow_func: Any = None
) -> set[tuple[Node, Node]]:
    """As few edges as possible whose removal leaves no path from one node to another."""
    _no_half_a_pair(s, t)
    return _cut_edges(G, s, t)


def _paths(G: ClewGraph, s: Node, t: Node) -> tuple[int, int]:
    """The vertices where paths between two nodes begin and end."""
    return 2 * G.positions[s] + 1, 2 * G.positions[t]


@served(own_function, _own_networks)
def local_node_connectivity(
    G: ClewGraph,
    s: Node,
    t: Node,
    flow_func: Any = None,
    auxiliary: Any = None,
    residual: Any = None,
    cutoff: float | None = None,
) -> int:
    """How many nodes have to be removed so that no path leads from one node to another."""
    return _cut_off(_by_nodes(G).flow(*_paths(G, s, t))[0], cutoff)


@served(own_function)
def node_connectivity(G: ClewGraph, s: Node | None = None, t: Node | None = None, flow_func: Any = None) -> int:
    """How many nodes have to be removed so that no path leads from s to t, or between any two nodes."""
    if _no_half_a_pair(s, t):
        _check_pair(G, s, t)
        return int(_by_nodes(G).flow(*_paths(G, s, t))[0])
    if not _is_connected(G):
        return 0
    network, vertex = _by_nodes(G), int(G.degrees.argmin())
    least = int(G.degrees[vertex])
    near = G.simple_rows.indices[slice(*G.simple_rows.indptr[vertex : vertex + 2])].tolist()
    if G.is_directed():
        near = list(chain(np.unique(G.sources[G.indices == vertex]).tolist(), near))
    others = set(range(len(G))).difference(near, [vertex])
    pairs = permutations(near, 2) if G.is_directed() else combinations(near, 2)
    apart = ((first, second) for first, second in pairs if second not in G.neighbors(first))
    for source, sink in chain(((vertex, other) for other in others), apart):
        least = min(least, network.flow(2 * source + 1, 2 * sink)[0])
    return least


def _cut_nodes(G: ClewGraph, s: Node, t: Node) -> set[Node]:
    for one, other in ((s, t), (t, s)):
        if one in G and other in G and G.positions[other] in G.neighbors(G.positions[one]):
            return set()
    side = _by_nodes(G).flow(*_paths(G, s, t))[2]
    tails, heads = _edges(G)
    inner = np.flatnonzero(side[::2] & ~side[1::2])
    cut = side[2 * tails + 1] & ~side[2 * heads]
    return {*G.named(inner), *G.named(tails[cut]), *G.named(heads[cut])} - {s, t}


@served(own_function, _own_networks)
def minimum_st_node_cut(
    G: ClewGraph, s: Node, t: Node, flow_func: Any = None, auxiliary: Any = None, residual: Any = None
) -> set[Node]:
    """As few nodes as possible whose removal leaves no path from one node to another; none if they are neighbours."""
    return _cut_nodes(G, s, t)


@served(own_function, _no_whole_graphs)
def minimum_node_cut(G: ClewGraph, s: Node | None = None, t: Node | None = None, flow_func: Any = None) -> set[Node]:
    """As few nodes as possible whose removal leaves no path from one node to another; none if they are neighbours."""
    _no_half_a_pair(s, t)
    _check_pair(G, s, t)
    return _cut_nodes(G, s, t)
