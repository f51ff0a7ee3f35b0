"""Shortest paths over weights: Dijkstra's functions for weights of 0 or more, Bellman's and Ford's for either sign."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Any

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.errors import NegativeCycleError
from clew.nx import nearby, searches
from clew.nx.graph import ClewGraph, Node, Weight, vertex_of
from clew.nx.interface import no_weight_function, served
from clew.nx.searches import Cutoff, Lengths, Paths, Tree, any_weights, each, lengths, nearest, paths, routes

# ruff: noqa: ARG001, N803, signatures are those of NetworkX

ByNode = Iterator[tuple[Node, Any]]  # trees, paths or lengths


# ------------------------------------------------------------------ weights of 0 or more


def _starts(G: ClewGraph, sources: Collection[Node]) -> Array:
    if not sources:
        raise ValueError("sources must not be empty")
    for source in sources:
        vertex_of(G, source, missing="not found in graph")
    return G.vertices(dict.fromkeys(sources))


def _dijkstra(G: ClewGraph, sources: Collection[Node], cutoff: Cutoff, weight: Weight, *, paths: bool = True) -> Tree:
    starts = _starts(G, sources)
    return nearest(routes(G, weight), starts, cutoff, paths=paths)


def _dijkstra_to(
    G: ClewGraph, sources: Collection[Node], target: Node, cutoff: Cutoff, weight: Weight, no_path: str = ""
) -> tuple[Any, list[Node]]:
    starts = _starts(G, sources)
    if target in sources:
        return 0, [target]  # with any cycles
    tree = nearest(routes(G, weight), starts, cutoff)
    return searches.length_and_path(G, tree, weight, target, no_path or f"No path to {target}.", cutoff)


def _lengths_and_paths(
    G: ClewGraph, sources: Collection[Node], target: Node | None, cutoff: Cutoff, weight: Weight
) -> Any:
    if target is not None:
        return _dijkstra_to(G, sources, target, cutoff, weight)
    tree = _dijkstra(G, sources, cutoff, weight)
    return lengths(G, tree, weight), paths(G, tree)


def dijkstra_length(G: ClewGraph, source: Node, target: Node, weight: Weight) -> Any:
    """The length of a shortest path."""
    return _dijkstra_to(G, [source], target, None, weight, f"Node {target} not reachable from {source}")[0]


def dijkstra_between(G: ClewGraph, source: Node, target: Node, weight: Weight) -> tuple[Any, list[Node]]:
    """The length of a shortest path, and the path; searched from both ends."""
    start, end = vertex_of(G, source, "Source"), vertex_of(G, target, "Target")
    if start == end:
        return 0, [source]
    if (graph := G.weighted(weight)).weighted:
        searches.check_lengths(graph)
        searches.check_sums(graph)
    distance, way = searches.least_weight(G.out_rows(weight), G.in_rows(weight), start, end)
    if not way:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return searches.length_of(G, weight, distance, way), [G.nodes[step] for step in way]


@served(no_weight_function, sooner=nearby.few_by_weight)
def dijkstra_path(G: ClewGraph, source: Node, target: Node, weight: Weight = "weight") -> list[Node]:
    """A shortest path."""
    return _dijkstra_to(G, [source], target, None, weight)[1]


@served(no_weight_function, sooner=nearby.few_by_weight)
def dijkstra_path_length(G: ClewGraph, source: Node, target: Node, weight: Weight = "weight") -> Any:
    """The length of a shortest path."""
    return dijkstra_length(G, source, target, weight)


@served(no_weight_function, sooner=nearby.few_between)
def bidirectional_dijkstra(G: ClewGraph, source: Node, target: Node, weight: Weight = "weight") -> Any:
    """The length of a shortest path, and the path."""
    return dijkstra_between(G, source, target, weight)


@served(no_weight_function, sooner=nearby.few_by_weight)
def single_source_dijkstra(
    G: ClewGraph, source: Node, target: Node = None, cutoff: Cutoff = None, weight: Weight = "weight"
) -> Any:
    """Lengths and paths to all nodes, or to one."""
    return _lengths_and_paths(G, [source], target, cutoff, weight)


@served(no_weight_function, sooner=nearby.few_by_weight)
def single_source_dijkstra_path(G: ClewGraph, source: Node, cutoff: Cutoff = None, weight: Weight = "weight") -> Paths:
    """Paths to all nodes."""
    return paths(G, _dijkstra(G, [source], cutoff, weight))


@served(no_weight_function, sooner=nearby.few_by_weight)
def single_source_dijkstra_path_length(
    G: ClewGraph, source: Node, cutoff: Cutoff = None, weight: Weight = "weight"
) -> Lengths:
    """Lengths to all nodes, nearest first."""
    return lengths(G, _dijkstra(G, [source], cutoff, weight, paths=False), weight)


@served(no_weight_function, sooner=nearby.few_by_weight_from)
def multi_source_dijkstra(
    G: ClewGraph, sources: Collection[Node], target: Node = None, cutoff: Cutoff = None, weight: Weight = "weight"
) -> Any:
    """Lengths and paths from the nearest of several sources to all nodes, or to one."""
    return _lengths_and_paths(G, sources, target, cutoff, weight)


@served(no_weight_function, sooner=nearby.few_by_weight_from)
def multi_source_dijkstra_path(
    G: ClewGraph, sources: Collection[Node], cutoff: Cutoff = None, weight: Weight = "weight"
) -> Paths:
    """Paths from the nearest of several sources to all nodes."""
    return paths(G, _dijkstra(G, sources, cutoff, weight))


@served(no_weight_function, sooner=nearby.few_by_weight_from)
def multi_source_dijkstra_path_length(
    G: ClewGraph, sources: Collection[Node], cutoff: Cutoff = None, weight: Weight = "weight"
) -> Lengths:
    """Lengths from the nearest of several sources to all nodes, nearest first."""
    return lengths(G, _dijkstra(G, sources, cutoff, weight, paths=False), weight)


@served(no_weight_function, sooner=nearby.few_by_weight)
def dijkstra_predecessor_and_distance(
    G: ClewGraph, source: Node, cutoff: Cutoff = None, weight: Weight = "weight"
) -> tuple[Paths, Lengths]:
    """All nodes before every node on its shortest paths, and lengths."""
    vertex_of(G, source, missing="is not found in the graph")
    tree = _dijkstra(G, [source], cutoff, weight, paths=False)
    return searches.predecessors(G, G.weighted(weight), tree), lengths(G, tree, weight)


def _each_dijkstra(G: ClewGraph, cutoff: Cutoff, weight: Weight, *, paths: bool = True) -> ByNode:
    return each(G, routes(G, weight), partial(nearest, cutoff=cutoff, paths=paths))


@served(no_weight_function)
def all_pairs_dijkstra(G: ClewGraph, cutoff: Cutoff = None, weight: Weight = "weight") -> ByNode:
    """Lengths and paths from every node, one node at a time."""
    trees = _each_dijkstra(G, cutoff, weight)
    return ((node, (lengths(G, tree, weight), paths(G, tree))) for node, tree in trees)


@served(no_weight_function)
def all_pairs_dijkstra_path(G: ClewGraph, cutoff: Cutoff = None, weight: Weight = "weight") -> ByNode:
    """Paths from every node, one node at a time."""
    return ((node, paths(G, tree)) for node, tree in _each_dijkstra(G, cutoff, weight))


@served(no_weight_function)
def all_pairs_dijkstra_path_length(G: ClewGraph, cutoff: Cutoff = None, weight: Weight = "weight") -> ByNode:
    """Lengths from every node, one node at a time."""
    return ((node, lengths(G, tree, weight)) for node, tree in _each_dijkstra(G, cutoff, weight, paths=False))


# ------------------------------------------------------------------ weights of either sign


def _bellman_ford(G: ClewGraph, source: Node, weight: Weight, *, paths: bool = True) -> Tree:
    start = vertex_of(G, source, "Source", "not in G")
    return any_weights(routes(G, weight), start, paths=paths)


def bellman_ford_between(
    G: ClewGraph, source: Node, target: Node, weight: Weight, no_path: str = ""
) -> tuple[Any, list[Node]]:
    """The length of a shortest path, and the path."""
    if source == target:
        vertex_of(G, source, missing="is not found in the graph")
        return 0, [source]
    no_path = no_path or f"Target {target} cannot be reached from given sources"
    return searches.length_and_path(G, _bellman_ford(G, source, weight), weight, target, no_path)


def bellman_ford_length(G: ClewGraph, source: Node, target: Node, weight: Weight) -> Any:
    """The length of a shortest path."""
    if source == target:
        vertex_of(G, source, missing="not found in graph")
    return bellman_ford_between(G, source, target, weight, f"node {target} not reachable from {source}")[0]


@served(no_weight_function, sooner=nearby.few_by_weight)
def bellman_ford_path(G: ClewGraph, source: Node, target: Node, weight: Weight = "weight") -> list[Node]:
    """A shortest path."""
    return bellman_ford_between(G, source, target, weight)[1]


@served(no_weight_function, sooner=nearby.few_by_weight)
def bellman_ford_path_length(G: ClewGraph, source: Node, target: Node, weight: Weight = "weight") -> Any:
    """The length of a shortest path."""
    return bellman_ford_length(G, source, target, weight)


@served(no_weight_function, sooner=nearby.few_by_weight)
def single_source_bellman_ford(G: ClewGraph, source: Node, target: Node = None, weight: Weight = "weight") -> Any:
    """Lengths and paths to all nodes, or to one."""
    if target is not None:
        return bellman_ford_between(G, source, target, weight)
    tree = _bellman_ford(G, source, weight)
    return lengths(G, tree, weight), paths(G, tree)


@served(no_weight_function, sooner=nearby.few_by_weight)
def single_source_bellman_ford_path(G: ClewGraph, source: Node, weight: Weight = "weight") -> Paths:
    """Paths to all nodes."""
    return paths(G, _bellman_ford(G, source, weight))


@served(no_weight_function, sooner=nearby.few_by_weight)
def single_source_bellman_ford_path_length(G: ClewGraph, source: Node, weight: Weight = "weight") -> Lengths:
    """Lengths to all nodes."""
    return lengths(G, _bellman_ford(G, source, weight, paths=False), weight)


@served(no_weight_function)
def all_pairs_bellman_ford_path(G: ClewGraph, weight: Weight = "weight") -> ByNode:
    """Paths from every node, one node at a time."""
    return ((node, paths(G, tree)) for node, tree in each(G, routes(G, weight), any_weights))


@served(no_weight_function)
def all_pairs_bellman_ford_path_length(G: ClewGraph, weight: Weight = "weight") -> ByNode:
    """Lengths from every node, one node at a time."""
    trees = each(G, routes(G, weight), partial(any_weights, paths=False))
    return ((node, lengths(G, tree, weight)) for node, tree in trees)


def _start_and_edges(G: ClewGraph, source: Node, weight: Weight) -> tuple[int, searches.Routes]:
    """NetworkX takes a negative self-loop for a negative cycle wherever it is, reached or not."""
    start = vertex_of(G, source, missing="is not found in the graph")
    edges = routes(G, weight)
    if edges.graph.weights is not None and edges.graph.num_loops:
        is_loop = np.repeat(np.arange(len(G)), edges.graph.degrees()) == edges.graph.indices
        if (edges.graph.weights[is_loop] < 0).any():
            raise nx.NetworkXUnbounded("Negative cycle detected.")
    return start, edges


@served(no_weight_function, sooner=nearby.few_by_weight)
def bellman_ford_predecessor_and_distance(
    G: ClewGraph, source: Node, target: Node = None, weight: Weight = "weight", heuristic: bool = False
) -> tuple[Paths, Lengths]:
    """All nodes before every node on its shortest paths, and lengths; clew searches to all nodes."""
    start, edges = _start_and_edges(G, source, weight)
    if len(G) == 1:
        return {source: []}, {source: 0}
    tree = any_weights(edges, start, paths=False)
    return searches.predecessors(G, edges.graph, tree), lengths(G, tree, weight)


@served(no_weight_function, sooner=nearby.few_by_weight)
def goldberg_radzik(G: ClewGraph, source: Node, weight: Weight = "weight") -> tuple[dict[Node, Any], Lengths]:
    """The node before every node on a shortest path, and lengths."""
    start, edges = _start_and_edges(G, source, weight)
    tree = any_weights(edges, start)
    before = dict(zip(G.named(tree.order), G.named(tree.parent[tree.order]), strict=True))
    return before | {source: None}, lengths(G, tree, weight)


@served(no_weight_function)
def johnson(G: ClewGraph, weight: Weight = "weight") -> dict[Node, Paths]:
    """Paths between all nodes."""
    edges = routes(G, weight)
    weights = edges.graph.weights
    search: Any = any_weights if weights is not None and (weights < 0).any() else nearest
    return {node: paths(G, search(edges, vertex)) for vertex, node in enumerate(G.nodes)}


@served(no_weight_function)
def negative_edge_cycle(G: ClewGraph, weight: Weight = "weight", heuristic: bool = True) -> bool:
    """Whether there is a negative cycle anywhere."""
    graph = G.weighted(weight)
    if graph.weights is None or not (graph.weights < 0).any():
        return False
    everywhere = searches.with_a_root(graph, np.arange(len(G)))
    try:
        any_weights(searches.Routes(everywhere, None), len(G))
    except nx.NetworkXUnbounded:
        return True
    return False


@served(no_weight_function, sooner=nearby.few_by_weight)
def find_negative_cycle(G: ClewGraph, source: Node, weight: Weight = "weight") -> list[Node]:
    """The nodes of a negative cycle that ``source`` reaches, the first again at the end."""
    start = vertex_of(G, source, "Source", "not in G")
    graph = G.weighted(weight)
    if graph.weighted:
        searches.check_finite(graph)
        searches.check_sums(graph)
        try:
            algorithms.bellman_ford(graph, start)
        except NegativeCycleError as error:
            # Of the same cycles, the one that NetworkX comes across first; there may be none if sums are rounded.
            cycle = searches.first_negative_cycle(G.out_rows(weight), start) or [*error.cycle, error.cycle[0]]
            return [G.nodes[vertex] for vertex in cycle]
    raise nx.NetworkXError("No negative cycles detected.")


@served(no_weight_function)
def floyd_warshall(G: ClewGraph, weight: Weight = "weight") -> dict[Node, Lengths]:
    """Lengths between all nodes, infinite where there is no path; an edge without a weight counts 1.0 here."""
    rows = searches.all_distances(G.weighted(weight)).tolist()
    values = G.known(weight)
    whole = values is not None and values.is_float is False and values.complete
    for vertex, row in enumerate(rows):
        if whole:
            rows[vertex] = [value if value == np.inf else int(value) for value in row]
        elif row[vertex] == 0:
            row[vertex] = 0
    return {node: dict(zip(G.nodes, row, strict=True)) for node, row in zip(G.nodes, rows, strict=True)}


@served(no_weight_function)
def floyd_warshall_numpy(G: ClewGraph, nodelist: Sequence[Node] | None = None, weight: Weight = "weight") -> Array:
    """Lengths between all nodes as a matrix, in the order of ``nodelist``."""
    if nodelist is not None and not len(nodelist) == len(G) == len(set(nodelist)):
        raise nx.NetworkXError(
            "nodelist must contain every node in G with no repeats."
            "If you wanted a subgraph of G use G.subgraph(nodelist)"
        )
    if nodelist is not None and (missing := set(nodelist) - set(G)):
        raise nx.NetworkXError(f"Nodes {missing} in nodelist is not in G")
    found = searches.all_distances(G.weighted(weight)).astype(np.float64, copy=False)
    if nodelist is None:
        return found
    order = G.vertices(nodelist)
    return found[np.ix_(order, order)]
