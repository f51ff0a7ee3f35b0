"""Measures made of the distances from every node: of a row of distances only what is asked for is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.graph import Graph
from clew.nx.blocks import distances
from clew.nx.graph import ClewGraph, Node
from clew.nx.nodes import bunch, vertex_of
from clew.nx.serving import served, weight_is_a_function

# ruff: noqa: N803, NetworkX calls its graphs G


def _distance_is_a_function(distance: Any) -> str | None:
    return "distance is a function; clew takes the name of an edge attribute." if callable(distance) else None


def _lengths_are_given(sp: Any) -> str | None:
    return "sp is given, so there are no paths left to find." if sp is not None else None


def _eccentricities_are_given(e: Any) -> str | None:
    return "e is given, so there are no paths left to find." if e is not None else None


def _attribute_is_written(attr: Any) -> str | None:
    return "attr is given; clew does not change graphs." if attr is not None else None


def _reduced(graph: Graph, sources: Array, reduce: Callable[[Array], Array]) -> Array:
    """A number for every source: ``reduce`` of its row of distances."""
    parts = [reduce(rows) for _, rows in distances(graph, sources)]
    return np.concatenate(parts) if parts else np.empty(0)


def _plain(graph: Graph, values: Array) -> Array:
    """Whole numbers where the weights are, as NetworkX adds them up."""
    whole = graph.weights is None or graph.weights.dtype.kind != "f"
    return values.astype(np.int64) if whole and np.isfinite(values).all() else values


def _totals(graph: Graph) -> Array:
    return _reduced(graph, np.arange(graph.num_vertices), lambda rows: rows.sum(axis=1))


def _is_connected(graph: Graph) -> bool:
    find = algorithms.strongly_connected_components if graph.directed else algorithms.connected_components
    return bool(find(graph).count == 1)


def _eccentricities(G: ClewGraph, vertices: Array, weight: str | None) -> Array:
    graph = G.weighted(weight)
    found = _reduced(graph, vertices, lambda rows: rows.max(axis=1))
    if np.isinf(found).any():
        kind = "digraph is not strongly connected" if G.is_directed() else "graph is not connected"
        raise nx.NetworkXError(f"Found infinite path length because the {kind}")
    return _plain(graph, found)


def _all_eccentricities(G: ClewGraph, weight: str | None) -> Array:
    if len(G) == 0:
        raise ValueError("the graph has no nodes, so there is no eccentricity.")
    return _eccentricities(G, np.arange(len(G)), weight)


@served(weight_is_a_function, _lengths_are_given)
def eccentricity(
    G: ClewGraph,
    v: Any = None,
    sp: Any = None,  # noqa: ARG001
    weight: str | None = None,
) -> Any:
    """The largest distance from every node."""
    vertices = bunch(G, v)
    found = _eccentricities(G, vertices, weight)
    return found[0].item() if v in G else G.some_by_node(vertices, found)


@served(weight_is_a_function, _eccentricities_are_given)
def diameter(
    G: ClewGraph,
    e: Any = None,  # noqa: ARG001
    usebounds: bool = False,  # noqa: ARG001, clew searches from all nodes
    weight: str | None = None,
) -> Any:
    """The largest eccentricity."""
    return _all_eccentricities(G, weight).max().item()


@served(weight_is_a_function, _eccentricities_are_given)
def radius(
    G: ClewGraph,
    e: Any = None,  # noqa: ARG001
    usebounds: bool = False,  # noqa: ARG001
    weight: str | None = None,
) -> Any:
    """The smallest eccentricity."""
    return _all_eccentricities(G, weight).min().item()


@served(weight_is_a_function, _eccentricities_are_given)
def center(
    G: ClewGraph,
    e: Any = None,  # noqa: ARG001
    usebounds: bool = False,  # noqa: ARG001
    weight: str | None = None,
) -> list[Node]:
    """Nodes of the smallest eccentricity."""
    found = _all_eccentricities(G, weight)
    return G.named(np.flatnonzero(found == found.min()))


@served(weight_is_a_function, _eccentricities_are_given)
def periphery(
    G: ClewGraph,
    e: Any = None,  # noqa: ARG001
    usebounds: bool = False,  # noqa: ARG001
    weight: str | None = None,
) -> list[Node]:
    """Nodes of the largest eccentricity."""
    found = _all_eccentricities(G, weight)
    return G.named(np.flatnonzero(found == found.max()))


@served(weight_is_a_function, _lengths_are_given, _attribute_is_written)
def barycenter(
    G: ClewGraph,
    weight: str | None = None,
    attr: str | None = None,  # noqa: ARG001
    sp: Any = None,  # noqa: ARG001
) -> list[Node]:
    """Nodes with the smallest sum of distances."""
    if len(G) == 0:
        return []
    totals = _totals(G.weighted(weight))
    if np.isinf(totals).any():
        raise nx.NetworkXNoPath(
            f"Input graph {G} is disconnected, so every induced subgraph has infinite barycentricity."
        )
    return G.named(np.flatnonzero(totals == totals.min()))


@served(weight_is_a_function)
def wiener_index(G: ClewGraph, weight: str | None = None) -> Any:
    """The sum of the distances between all pairs of nodes."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    graph = G.weighted(weight)
    total = _plain(graph, _totals(graph)).sum().item()
    return total if G.is_directed() or total == np.inf else total / 2


@served(weight_is_a_function)
def average_shortest_path_length(G: ClewGraph, weight: str | None = None, method: str | None = None) -> float:
    """The mean distance between two nodes."""
    if method not in (None, "unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy"):
        raise ValueError(f"method not supported: {method}")
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("the null graph has no paths, thus there is no average shortest path length")
    if len(G) == 1:
        return 0
    graph = G.unweighted if method == "unweighted" else G.weighted(weight)
    if not _is_connected(graph):
        raise nx.NetworkXError("Graph is not strongly connected." if G.is_directed() else "Graph is not connected.")
    return float(_plain(graph, _totals(graph)).sum() / (len(G) * (len(G) - 1)))


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


@served(_distance_is_a_function)
def closeness_centrality(
    G: ClewGraph, u: Node | None = None, distance: str | None = None, wf_improved: bool = True
) -> dict[Node, float] | float:
    """How near the nodes are that reach a node; of a directed graph, distances along edges to it."""
    graph = G.weighted(distance).reversed()
    vertices = np.arange(len(G)) if u is None else np.array([vertex_of(G, u, "Source")])
    found = _reduced(graph, vertices, lambda rows: _closeness(rows, wf_improved))
    return G.by_node(found) if u is None else float(found[0])


@served(_distance_is_a_function)
def harmonic_centrality(
    G: ClewGraph, nbunch: Any = None, distance: str | None = None, sources: Any = None
) -> Mapping[Node, float]:
    """The sum of 1 / distance from the sources to a node."""
    graph, wanted = G.weighted(distance), bunch(G, nbunch)
    chosen = None if sources is None else bunch(G, sources)

    def reduce(rows: Array) -> Array:
        return _inverse_sums(rows if chosen is None else rows[:, chosen])

    return G.some_by_node(wanted, _reduced(graph.reversed(), wanted, reduce))
