"""Measures of the distances from every node, reduced row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.graph import Graph
from clew.nx.graph import ClewGraph, Node, Weight, bunch, vertex_of
from clew.nx.interface import no_weight_function, served
from clew.nx.searches import distance_blocks

# ruff: noqa: ARG001, N803, signatures are those of NetworkX


def _no_distance_function(distance: Any) -> str | None:
    return "distance is a function; clew needs the name of an edge attribute." if callable(distance) else None


#: Why clew does not serve calls that have distances already.
NO_PATHS = "there are no paths to compute."


def _reduced(graph: Graph, sources: Array, reduce: Callable[[Array], Array]) -> Array:
    """A number for every source: ``reduce`` of its row of distances."""
    parts = [reduce(rows) for rows in distance_blocks(graph, sources)]
    return np.concatenate(parts) if parts else np.empty(0)


def _plain(G: ClewGraph, weight: Weight, values: Array) -> Array:
    """Whole numbers where the weights are, as NetworkX adds them up."""
    known = G.known(weight)
    whole = known is None or known.is_float is False
    return values.astype(np.int64) if whole and np.isfinite(values).all() else values


def _number(value: Any) -> Any:
    """A number of Python; the distance 0 is the one of a node to itself, an integer."""
    return value.item() or 0


def _totals(graph: Graph) -> Array:
    return _reduced(graph, np.arange(graph.num_vertices), lambda rows: rows.sum(axis=1))


def _eccentricities(G: ClewGraph, vertices: Array, weight: Weight, usebounds: bool = False) -> Array:
    found = _reduced(G.weighted(weight), vertices, lambda rows: rows.max(axis=1))
    if np.isinf(found).any():
        if usebounds and not G.is_directed():
            raise nx.NetworkXError("Cannot compute metric because graph is not connected.")
        kind = "digraph is not strongly connected" if G.is_directed() else "graph is not connected"
        raise nx.NetworkXError(f"Found infinite path length because the {kind}")
    return _plain(G, weight, found)


def _extreme(G: ClewGraph, weight: Weight, usebounds: bool, choose: Callable[[Any], Any]) -> tuple[Any, Array]:
    """The smallest or largest eccentricity, and all of them."""
    if len(G) == 0:
        (max if usebounds and not G.is_directed() else choose)([])  # an error in Python's words
    found = _eccentricities(G, np.arange(len(G)), weight, usebounds)
    return choose(found), found


@served(no_weight_function, sp=NO_PATHS)
def eccentricity(G: ClewGraph, v: Any = None, sp: Any = None, weight: Weight = None) -> Any:
    """The largest distance from every node."""
    vertices = bunch(G, v)
    found = _eccentricities(G, vertices, weight)
    return _number(found[0]) if v in G else dict(zip(G.named(vertices), map(_number, found), strict=True))


@served(no_weight_function, e=NO_PATHS)
def diameter(G: ClewGraph, e: Any = None, usebounds: bool = False, weight: Weight = None) -> Any:
    """The largest eccentricity."""
    return _number(_extreme(G, weight, usebounds, max)[0])


@served(no_weight_function, e=NO_PATHS)
def radius(G: ClewGraph, e: Any = None, usebounds: bool = False, weight: Weight = None) -> Any:
    """The smallest eccentricity."""
    return _number(_extreme(G, weight, usebounds, min)[0])


def _refuse_null_trees(G: ClewGraph) -> None:
    """NetworkX asks first whether an undirected graph is a tree, which is undefined without nodes."""
    if len(G) == 0 and not G.is_directed():
        raise nx.NetworkXPointlessConcept("G has no nodes.")


@served(no_weight_function, e=NO_PATHS)
def center(G: ClewGraph, e: Any = None, usebounds: bool = False, weight: Weight = None) -> list[Node]:
    """Nodes of the smallest eccentricity."""
    if weight is None and not usebounds:
        _refuse_null_trees(G)
    least, found = _extreme(G, weight, usebounds, min)
    return G.named(np.flatnonzero(found == least))


@served(no_weight_function, e=NO_PATHS)
def periphery(G: ClewGraph, e: Any = None, usebounds: bool = False, weight: Weight = None) -> list[Node]:
    """Nodes of the largest eccentricity."""
    most, found = _extreme(G, weight, usebounds, max)
    return G.named(np.flatnonzero(found == most))


@served(no_weight_function, sp=NO_PATHS, attr="clew does not change graphs.")
def barycenter(G: ClewGraph, weight: Weight = None, attr: str | None = None, sp: Any = None) -> list[Node]:
    """Nodes with the smallest sum of distances."""
    if weight is None:
        _refuse_null_trees(G)
    if len(G) == 0:
        return []
    totals = _totals(G.weighted(weight))
    if np.isinf(totals).any():
        raise nx.NetworkXNoPath(
            f"Input graph {G} is disconnected, so every induced subgraph has infinite barycentricity."
        )
    return G.named(np.flatnonzero(totals == totals.min()))


@served(no_weight_function)
def wiener_index(G: ClewGraph, weight: Weight = None) -> Any:
    """The sum of the distances between all pairs of nodes."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    total = _number(_plain(G, weight, _totals(G.weighted(weight))).sum())
    return total if G.is_directed() or total == np.inf else total / 2


@served(no_weight_function)
def average_shortest_path_length(G: ClewGraph, weight: Weight = None, method: str | None = None) -> float:
    """The mean distance between two nodes."""
    if method not in (None, "unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy"):
        raise ValueError(f"method not supported: {method}")
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("the null graph has no paths, thus there is no average shortest path length")
    if len(G) == 1:
        return 0
    graph = G.unweighted if method == "unweighted" else G.weighted(weight)
    find = algorithms.strongly_connected_components if graph.directed else algorithms.connected_components
    if find(graph).count != 1:
        raise nx.NetworkXError("Graph is not strongly connected." if G.is_directed() else "Graph is not connected.")
    return float(_totals(graph).sum() / (len(G) * (len(G) - 1)))


@served()
def global_efficiency(G: ClewGraph) -> float:
    """The mean of 1 / distance over all pairs of nodes."""
    if len(G) < 2:
        return 0
    found = _reduced(G.unweighted, np.arange(len(G)), _inverse_sums)
    return float(found.sum() / (len(G) * (len(G) - 1)))


def _inverse_sums(rows: Array) -> Array:
    inverse = np.divide(1.0, rows, out=np.zeros(rows.shape), where=rows > 0)
    return np.asarray(inverse.sum(axis=1))


def _closeness(rows: Array, improved: bool) -> Array:
    """Nodes reached, over the sum of their distances; with ``improved``, times the share of all nodes they are."""
    near = np.isfinite(rows)
    reached, total = near.sum(axis=1) - 1.0, np.where(near, rows, 0).sum(axis=1)
    found = np.divide(reached, total, out=np.zeros(total.size), where=total > 0)
    return np.asarray(found * (reached / max(1, rows.shape[1] - 1)) if improved else found)


@served(_no_distance_function)
def closeness_centrality(
    G: ClewGraph, u: Node | None = None, distance: Weight = None, wf_improved: bool = True
) -> dict[Node, float] | float:
    """How near the nodes are that reach a node; of a directed graph, distances along edges to it."""
    graph = G.weighted(distance).reversed()
    vertices = np.arange(len(G)) if u is None else np.array([vertex_of(G, u, "Source")])
    found = _reduced(graph, vertices, lambda rows: _closeness(rows, wf_improved))
    return G.by_node(found) if u is None else float(found[0])


@served(_no_distance_function)
def harmonic_centrality(
    G: ClewGraph, nbunch: Any = None, distance: Weight = None, sources: Any = None
) -> Mapping[Node, float]:
    """The sum of 1 / distance from the sources to a node."""
    graph, vertices = G.weighted(distance), bunch(G, nbunch)
    chosen = None if sources is None else bunch(G, sources)

    def reduce(rows: Array) -> Array:
        return _inverse_sums(rows if chosen is None else rows[:, chosen])

    found = G.some_by_node(vertices, _reduced(graph.reversed(), vertices, reduce))
    # In the order of a set that grows, as in NetworkX (a set of a dict starts larger), and 0 as an integer.
    return {node: found[node] or 0 for node in set(iter(found))}
