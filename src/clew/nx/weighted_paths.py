"""Shortest paths over weights of 0 or more."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import Any

import networkx as nx

from clew.dtypes import Array
from clew.nx import numbers, path_search, two_ends
from clew.nx.graph import ClewGraph, Node
from clew.nx.nodes import vertex_of
from clew.nx.path_search import Tree
from clew.nx.serving import served, weight_is_a_function

# ruff: noqa: N803, NetworkX calls its graphs G

Lengths = dict[Node, Any]
Paths = dict[Node, list[Node]]


def _starts(G: ClewGraph, sources: Collection[Node]) -> Array:
    if not sources:
        raise ValueError("sources must not be empty")
    for source in sources:
        vertex_of(G, source, missing="not found in graph")
    return G.vertices(dict.fromkeys(sources))


def _from(
    G: ClewGraph, sources: Collection[Node], cutoff: float | None, weight: str | None, *, paths: bool = True
) -> Tree:
    starts = _starts(G, sources)
    return path_search.from_several(path_search.routes(G, weight), starts, cutoff, paths=paths)


def _paths(G: ClewGraph, tree: Tree) -> Paths:
    return path_search.paths(G, tree.order, tree.parent)


def _to(
    G: ClewGraph,
    sources: Collection[Node],
    target: Node,
    cutoff: float | None,
    weight: str | None,
    no_path: str | None = None,
) -> tuple[Any, list[Node]]:
    if _starts(G, sources).size and target in sources:
        return 0, [target]  # whatever cycles there are
    tree = _from(G, sources, cutoff, weight)
    end = G.positions.get(target)
    if end is None or tree.parent[end] < 0 or (cutoff is not None and tree.distance[end] > cutoff):
        raise nx.NetworkXNoPath(no_path or f"No path to {target}.")
    return numbers.length(G, tree, weight, end), path_search.path(G, tree.parent, end)


def length(G: ClewGraph, source: Node, target: Node, weight: str | None) -> Any:
    """The length of a shortest path."""
    return _to(G, [source], target, None, weight, f"Node {target} not reachable from {source}")[0]


@served(weight_is_a_function)
def dijkstra_path(G: ClewGraph, source: Node, target: Node, weight: str | None = "weight") -> list[Node]:
    """A shortest path."""
    return _to(G, [source], target, None, weight)[1]


@served(weight_is_a_function)
def dijkstra_path_length(G: ClewGraph, source: Node, target: Node, weight: str | None = "weight") -> Any:
    """The length of a shortest path."""
    return length(G, source, target, weight)


def between(G: ClewGraph, source: Node, target: Node, weight: str | None) -> tuple[Any, list[Node]]:
    """The length of a shortest path, and the path."""
    start, end = vertex_of(G, source, "Source"), vertex_of(G, target, "Target")
    if start == end:
        return 0, [source]
    if (graph := G.weighted(weight)).weighted:
        path_search.check_lengths(graph)
        path_search.check_sums(graph)
    distance, way = two_ends.least_weight(G.out_rows(weight), G.in_rows(weight), start, end)
    if not way:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return numbers.of_path(G, weight, distance, way), [G.nodes[step] for step in way]


@served(weight_is_a_function)
def bidirectional_dijkstra(
    G: ClewGraph, source: Node, target: Node, weight: str | None = "weight"
) -> tuple[Any, list[Node]]:
    """The length of a shortest path, and the path."""
    return between(G, source, target, weight)


@served(weight_is_a_function)
def single_source_dijkstra(
    G: ClewGraph,
    source: Node,
    target: Node | None = None,
    cutoff: float | None = None,
    weight: str | None = "weight",
) -> Any:
    """Lengths and paths to all nodes, or to one."""
    if target is not None:
        return _to(G, [source], target, cutoff, weight)
    tree = _from(G, [source], cutoff, weight)
    return numbers.lengths(G, tree, weight), _paths(G, tree)


@served(weight_is_a_function)
def single_source_dijkstra_path(
    G: ClewGraph, source: Node, cutoff: float | None = None, weight: str | None = "weight"
) -> Paths:
    """Paths to all nodes."""
    return _paths(G, _from(G, [source], cutoff, weight))


@served(weight_is_a_function)
def single_source_dijkstra_path_length(
    G: ClewGraph, source: Node, cutoff: float | None = None, weight: str | None = "weight"
) -> Lengths:
    """Lengths to all nodes, nearest first."""
    return numbers.lengths(G, _from(G, [source], cutoff, weight, paths=False), weight)


@served(weight_is_a_function)
def multi_source_dijkstra(
    G: ClewGraph,
    sources: Collection[Node],
    target: Node | None = None,
    cutoff: float | None = None,
    weight: str | None = "weight",
) -> Any:
    """Lengths and paths from the nearest of several sources to all nodes, or to one."""
    if target is not None:
        return _to(G, sources, target, cutoff, weight)
    tree = _from(G, sources, cutoff, weight)
    return numbers.lengths(G, tree, weight), _paths(G, tree)


@served(weight_is_a_function)
def multi_source_dijkstra_path(
    G: ClewGraph, sources: Collection[Node], cutoff: float | None = None, weight: str | None = "weight"
) -> Paths:
    """Paths from the nearest of several sources to all nodes."""
    return _paths(G, _from(G, sources, cutoff, weight))


@served(weight_is_a_function)
def multi_source_dijkstra_path_length(
    G: ClewGraph, sources: Collection[Node], cutoff: float | None = None, weight: str | None = "weight"
) -> Lengths:
    """Lengths from the nearest of several sources to all nodes, nearest first."""
    return numbers.lengths(G, _from(G, sources, cutoff, weight, paths=False), weight)


@served(weight_is_a_function)
def dijkstra_predecessor_and_distance(
    G: ClewGraph, source: Node, cutoff: float | None = None, weight: str | None = "weight"
) -> tuple[Paths, Lengths]:
    """All nodes before every node on its shortest paths, and lengths."""
    vertex_of(G, source, missing="is not found in the graph")
    tree = _from(G, [source], cutoff, weight, paths=False)
    return path_search.predecessors(G, G.weighted(weight), tree), numbers.lengths(G, tree, weight)


def _each(G: ClewGraph, cutoff: float | None, weight: str | None, *, paths: bool = True) -> Iterator[tuple[Node, Tree]]:
    return path_search.each(G, path_search.routes(G, weight), partial(path_search.nearest, cutoff=cutoff, paths=paths))


@served(weight_is_a_function)
def all_pairs_dijkstra(
    G: ClewGraph, cutoff: float | None = None, weight: str | None = "weight"
) -> Iterator[tuple[Node, tuple[Lengths, Paths]]]:
    """Lengths and paths from every node, one node at a time."""
    return ((node, (numbers.lengths(G, tree, weight), _paths(G, tree))) for node, tree in _each(G, cutoff, weight))


@served(weight_is_a_function)
def all_pairs_dijkstra_path(
    G: ClewGraph, cutoff: float | None = None, weight: str | None = "weight"
) -> Iterator[tuple[Node, Paths]]:
    """Paths from every node, one node at a time."""
    return ((node, _paths(G, tree)) for node, tree in _each(G, cutoff, weight))


@served(weight_is_a_function)
def all_pairs_dijkstra_path_length(
    G: ClewGraph, cutoff: float | None = None, weight: str | None = "weight"
) -> Iterator[tuple[Node, Lengths]]:
    """Lengths from every node, one node at a time."""
    return ((node, numbers.lengths(G, tree, weight)) for node, tree in _each(G, cutoff, weight, paths=False))
