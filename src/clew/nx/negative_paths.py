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
from clew.nx.negative_cycle import first_negative_cycle
from clew.nx.nodes import vertex_of
from clew.nx.path_search import Tree, any_weights, routes
from clew.nx.serving import served, weight_is_a_function

# ruff: noqa: N803, NetworkX calls its graphs G

Lengths = dict[Node, Any]
Paths = dict[Node, list[Node]]


def _start(G: ClewGraph, source: Node) -> int:
    return vertex_of(G, source, "Source", "not in G")


def _from(G: ClewGraph, source: Node, weight: str | None, *, paths: bool = True) -> Tree:
    return any_weights(routes(G, weight), _start(G, source), paths=paths)


def _paths(G: ClewGraph, tree: Tree) -> Paths:
    return path_search.paths(G, tree.order, tree.parent)


def between(
    G: ClewGraph, source: Node, target: Node, weight: str | None, no_path: str | None = None
) -> tuple[Any, list[Node]]:
    """The length of a shortest path, and the path."""
    if source == target:
        vertex_of(G, source, missing="is not found in the graph")
        return 0, [source]
    start = _start(G, source)
    tree = any_weights(routes(G, weight), start)
    end = G.positions.get(target)
    if end is None or tree.parent[end] < 0:
        raise nx.NetworkXNoPath(no_path or f"Target {target} cannot be reached from given sources")
    return numbers.length(G, tree, weight, end), path_search.path(G, tree.parent, end)


def length(G: ClewGraph, source: Node, target: Node, weight: str | None) -> Any:
    """The length of a shortest path."""
    if source == target:
        vertex_of(G, source, missing="not found in graph")
    return between(G, source, target, weight, f"node {target} not reachable from {source}")[0]


@served(weight_is_a_function)
def bellman_ford_path(G: ClewGraph, source: Node, target: Node, weight: str | None = "weight") -> list[Node]:
    """A shortest path."""
    return between(G, source, target, weight)[1]


@served(weight_is_a_function)
def bellman_ford_path_length(G: ClewGraph, source: Node, target: Node, weight: str | None = "weight") -> Any:
    """The length of a shortest path."""
    return length(G, source, target, weight)


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
    return ((node, _paths(G, tree)) for node, tree in path_search.each(G, routes(G, weight), any_weights))


@served(weight_is_a_function)
def all_pairs_bellman_ford_path_length(G: ClewGraph, weight: str | None = "weight") -> Iterator[tuple[Node, Lengths]]:
    """Lengths from every node, one node at a time."""
    trees = path_search.each(G, routes(G, weight), partial(any_weights, paths=False))
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
    start = vertex_of(G, source, missing="is not found in the graph")
    ways = routes(G, weight)
    _refuse_negative_loops(ways.graph)
    if len(G) == 1:
        return {source: []}, {source: 0}
    tree = any_weights(ways, start, paths=False)
    return path_search.predecessors(G, ways.graph, tree), numbers.lengths(G, tree, weight)


@served(weight_is_a_function)
def goldberg_radzik(
    G: ClewGraph, source: Node, weight: str | None = "weight"
) -> tuple[dict[Node, Node | None], Lengths]:
    """The node before every node on a shortest path, and lengths."""
    start = vertex_of(G, source, missing="is not found in the graph")
    ways = routes(G, weight)
    _refuse_negative_loops(ways.graph)
    tree = any_weights(ways, start)
    before = dict(zip(G.named(tree.order), G.named(tree.parent[tree.order]), strict=True))
    before[source] = None
    return before, numbers.lengths(G, tree, weight)


@served(weight_is_a_function)
def johnson(G: ClewGraph, weight: str | None = "weight") -> dict[Node, Paths]:
    """Paths between all nodes."""
    ways = routes(G, weight)
    weights = ways.graph.weights
    negative = weights is not None and bool((weights < 0).any())
    search = any_weights if negative else path_search.nearest
    return {node: _paths(G, search(ways, vertex)) for vertex, node in enumerate(G.nodes)}


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
        any_weights(path_search.Routes(everywhere, None), len(G))
    except nx.NetworkXUnbounded:
        return True
    return False


@served(weight_is_a_function)
def find_negative_cycle(G: ClewGraph, source: Node, weight: str | None = "weight") -> list[Node]:
    """The nodes of a negative cycle that ``source`` reaches, the first again at the end."""
    start = _start(G, source)
    graph = G.weighted(weight)
    if graph.weighted:
        path_search.check_finite(graph)
        path_search.check_sums(graph)
        try:
            algorithms.bellman_ford(graph, start)
        except NegativeCycleError as error:
            # Of the same cycles, the one that NetworkX comes across first; there may be none if sums are rounded.
            cycle = first_negative_cycle(G.out_rows(weight), start) or [*error.cycle, error.cycle[0]]
            return [G.nodes[vertex] for vertex in cycle]
    raise nx.NetworkXError("No negative cycles detected.")


def _all_distances(G: ClewGraph, weight: str | None) -> Array:
    return finite_or_infinite(algorithms.all_pairs(G.weighted(weight)).numpy().distance)


@served(weight_is_a_function)
def floyd_warshall(G: ClewGraph, weight: str | None = "weight") -> dict[Node, Lengths]:
    """Lengths between all nodes, infinite where there is no path; an edge without a weight counts 1.0 here."""
    found = _all_distances(G, weight)
    values = G.known(weight)
    whole = values is not None and values.is_float is False and values.complete
    lengths = found.tolist()
    for vertex, row in enumerate(lengths):
        if whole:
            lengths[vertex] = [value if value == np.inf else int(value) for value in row]
        elif row[vertex] == 0:
            row[vertex] = 0
    return {node: dict(zip(G.nodes, row, strict=True)) for node, row in zip(G.nodes, lengths, strict=True)}


@served(weight_is_a_function)
def floyd_warshall_numpy(G: ClewGraph, nodelist: Sequence[Node] | None = None, weight: str | None = "weight") -> Array:
    """Lengths between all nodes as a matrix, in the order of ``nodelist``."""
    if nodelist is not None and not len(nodelist) == len(G) == len(set(nodelist)):
        raise nx.NetworkXError(
            "nodelist must contain every node in G with no repeats."
            "If you wanted a subgraph of G use G.subgraph(nodelist)"
        )
    found = _all_distances(G, weight).astype(np.float64, copy=False)
    if nodelist is None:
        return found
    order = G.vertices(nodelist)
    return found[np.ix_(order, order)]
