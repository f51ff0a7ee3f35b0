"""Shortest paths over weights of either sign, negative cycles, and distances between all nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.errors import NegativeCycleError
from clew.graph import Graph
from clew.nx import numbers, path_search
from clew.nx.blocks import finite_or_infinite
from clew.nx.graph import ClewGraph, Node
from clew.nx.nodes import vertex_of
from clew.nx.path_search import Tree, any_weights
from clew.nx.serving import served, weight_is_a_function

# ruff: noqa: N803, NetworkX calls its graphs G

Lengths = dict[Node, Any]
Paths = dict[Node, list[Node]]


def _from(G: ClewGraph, source: Node, weight: str | None, *, paths: bool = True) -> Tree:
    return any_weights(G.weighted(weight), vertex_of(G, source), paths=paths)


def _paths(G: ClewGraph, tree: Tree) -> Paths:
    return path_search.paths(G, tree.order, tree.parent)


def between(G: ClewGraph, source: Node, target: Node, weight: str | None) -> tuple[Any, list[Node]]:
    """The length of a shortest path, and the path."""
    start = vertex_of(G, source)
    if source == target:
        return 0, [source]
    tree = any_weights(G.weighted(weight), start)
    end = G.positions.get(target)
    if end is None or tree.parent[end] < 0:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return numbers.length(G, tree, weight, end), path_search.path(G, tree.parent, end)


@served(weight_is_a_function)
def bellman_ford_path(G: ClewGraph, source: Node, target: Node, weight: str | None = "weight") -> list[Node]:
    """A shortest path."""
    return between(G, source, target, weight)[1]


@served(weight_is_a_function)
def bellman_ford_path_length(G: ClewGraph, source: Node, target: Node, weight: str | None = "weight") -> Any:
    """The length of a shortest path."""
    return between(G, source, target, weight)[0]


@served(weight_is_a_function)
def single_source_bellman_ford(
    G: ClewGraph, source: Node, target: Node | None = None, weight: str | None = "weight"
) -> Any:
    """Lengths and paths to all nodes, or to one."""
    if target is not None:
        return between(G, source, target, weight)
    tree = _from(G, source, weight)
    return numbers.lengths(G, tree, weight), _paths(G, tree)


@served(weight_is_a_function)
def single_source_bellman_ford_path(G: ClewGraph, source: Node, weight: str | None = "weight") -> Paths:
    """Paths to all nodes."""
    return _paths(G, _from(G, source, weight))


@served(weight_is_a_function)
def single_source_bellman_ford_path_length(G: ClewGraph, source: Node, weight: str | None = "weight") -> Lengths:
    """Lengths to all nodes."""
    return numbers.lengths(G, _from(G, source, weight, paths=False), weight)


@served(weight_is_a_function)
def all_pairs_bellman_ford_path(G: ClewGraph, weight: str | None = "weight") -> Iterator[tuple[Node, Paths]]:
    """Paths from every node, one node at a time."""
    return ((node, _paths(G, tree)) for node, tree in path_search.each(G, G.weighted(weight), any_weights))


@served(weight_is_a_function)
def all_pairs_bellman_ford_path_length(G: ClewGraph, weight: str | None = "weight") -> Iterator[tuple[Node, Lengths]]:
    """Lengths from every node, one node at a time."""
    trees = path_search.each(G, G.weighted(weight), partial(any_weights, paths=False))
    return ((node, numbers.lengths(G, tree, weight)) for node, tree in trees)


def _refuse_negative_loops(graph: Graph) -> None:
    """NetworkX takes a negative self-loop for a negative cycle wherever it is, reached or not."""
    if graph.weights is not None and graph.num_loops:
        source = np.repeat(np.arange(graph.num_vertices), graph.degrees())
        if (graph.weights[source == graph.indices] < 0).any():
            raise nx.NetworkXUnbounded("Negative cycle detected.")


@served(weight_is_a_function)
def bellman_ford_predecessor_and_distance(
    G: ClewGraph,
    source: Node,
    target: Node | None = None,  # noqa: ARG001, clew searches to all nodes
    weight: str | None = "weight",
    heuristic: bool = False,  # noqa: ARG001, clew has its own
) -> tuple[Paths, Lengths]:
    """All nodes before every node on its shortest paths, and lengths."""
    start = vertex_of(G, source)
    graph = G.weighted(weight)
    _refuse_negative_loops(graph)
    if len(G) == 1:
        return {source: []}, {source: 0}
    tree = any_weights(graph, start, paths=False)
    return path_search.predecessors(G, graph, tree), numbers.lengths(G, tree, weight)


@served(weight_is_a_function)
def goldberg_radzik(
    G: ClewGraph, source: Node, weight: str | None = "weight"
) -> tuple[dict[Node, Node | None], Lengths]:
    """The node before every node on a shortest path, and lengths."""
    start = vertex_of(G, source)
    graph = G.weighted(weight)
    _refuse_negative_loops(graph)
    tree = any_weights(graph, start)
    before = dict(zip(G.named(tree.order), G.named(tree.parent[tree.order]), strict=True))
    before[source] = None
    return before, numbers.lengths(G, tree, weight)


@served(weight_is_a_function)
def johnson(G: ClewGraph, weight: str | None = "weight") -> dict[Node, Paths]:
    """Paths between all nodes."""
    graph = G.weighted(weight)
    negative = graph.weights is not None and bool((graph.weights < 0).any())
    search = any_weights if negative else path_search.nearest
    return {node: _paths(G, search(graph, vertex)) for vertex, node in enumerate(G.nodes)}


@served(weight_is_a_function)
def negative_edge_cycle(
    G: ClewGraph,
    weight: str | None = "weight",
    heuristic: bool = True,  # noqa: ARG001, clew has its own
) -> bool:
    """Whether there is a negative cycle anywhere."""
    graph = G.weighted(weight)
    if graph.weights is None or not (graph.weights < 0).any():
        return False
    everywhere = path_search.with_a_root(graph, np.arange(len(G)))
    try:
        any_weights(everywhere, len(G))
    except nx.NetworkXUnbounded:
        return True
    return False


@served(weight_is_a_function)
def find_negative_cycle(G: ClewGraph, source: Node, weight: str | None = "weight") -> list[Node]:
    """The nodes of a negative cycle that ``source`` reaches, the first again at the end."""
    start = vertex_of(G, source, "Source")
    try:
        if G.weighted(weight).weighted:
            algorithms.bellman_ford(G.weighted(weight), start)
    except NegativeCycleError as error:
        cycle: Sequence[int] = error.cycle
        return [G.nodes[vertex] for vertex in (*cycle, cycle[0])]
    raise nx.NetworkXError("No negative cycles detected.")


def _all_distances(G: ClewGraph, weight: str | None) -> Array:
    return finite_or_infinite(algorithms.all_pairs(G.weighted(weight)).numpy().distance)


@served(weight_is_a_function)
def floyd_warshall(G: ClewGraph, weight: str | None = "weight") -> dict[Node, Lengths]:
    """Lengths between all nodes, infinite where there is no path."""
    return dict(zip(G.nodes, map(G.by_node, _all_distances(G, weight)), strict=True))


@served(weight_is_a_function)
def floyd_warshall_numpy(G: ClewGraph, nodelist: Sequence[Node] | None = None, weight: str | None = "weight") -> Array:
    """Lengths between all nodes as a matrix, in the order of ``nodelist``."""
    if nodelist is not None and not len(nodelist) == len(G) == len(set(nodelist)):
        raise nx.NetworkXError("nodelist must contain every node in G with no repeats.")
    found = _all_distances(G, weight).astype(np.float64, copy=False)
    if nodelist is None:
        return found
    order = G.vertices(nodelist)
    return found[np.ix_(order, order)]
