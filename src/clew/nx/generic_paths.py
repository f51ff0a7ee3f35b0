"""The functions that choose among the families of shortest paths by their arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import networkx as nx

from clew import algorithms
from clew.graph import Graph
from clew.nx import negative_paths, numbers, path_search, unweighted_paths, weighted_paths
from clew.nx.graph import ClewGraph, Node
from clew.nx.nodes import vertex_of
from clew.nx.serving import served, weight_is_a_function

# ruff: noqa: N803, NetworkX calls its graphs G


@served(quick=True)
def has_path(G: ClewGraph, source: Node, target: Node) -> bool:
    """Whether ``target`` can be reached."""
    start, end = vertex_of(G, source, "Source"), vertex_of(G, target, "Target")
    return bool(algorithms.bfs(G.unweighted, start).depth[end] >= 0)


def _search(method: str, *, paths: bool) -> Callable[[Graph, int], path_search.Tree]:
    return partial(path_search.nearest if method == "dijkstra" else path_search.any_weights, paths=paths)


def _check(method: str) -> None:
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")


@served(weight_is_a_function)
def shortest_path(
    G: ClewGraph,
    source: Node | None = None,
    target: Node | None = None,
    weight: str | None = None,
    method: str = "dijkstra",
) -> Any:
    """A path, paths from or to a node, or paths between all nodes."""
    _check(method)
    graph = G.weighted(weight)
    if source is not None and target is not None:
        if not graph.weighted:
            return unweighted_paths.path_between(G, source, target)
        return (weighted_paths if method == "dijkstra" else negative_paths).between(G, source, target, weight)[1]
    if source is not None:
        start = vertex_of(G, source, "Source")
        if not graph.weighted:
            return unweighted_paths.paths_from(G, start, None)
        tree = _search(method, paths=True)(graph, start)
        return path_search.paths(G, tree.order, tree.parent)
    if target is not None:
        end = vertex_of(G, target, "Target")
        if not graph.weighted:
            found = unweighted_paths.paths_from(G, end, None, backward=True)
        else:
            tree = _search(method, paths=True)(graph.reversed(), end)
            found = path_search.paths(G, tree.order, tree.parent)
        return {node: way[::-1] for node, way in found.items()}
    if not graph.weighted:
        return ((node, unweighted_paths.paths_from(G, vertex, None)) for vertex, node in enumerate(G.nodes))
    trees = path_search.each(G, graph, _search(method, paths=True))
    return ((node, path_search.paths(G, tree.order, tree.parent)) for node, tree in trees)


@served(weight_is_a_function)
def shortest_path_length(
    G: ClewGraph,
    source: Node | None = None,
    target: Node | None = None,
    weight: str | None = None,
    method: str = "dijkstra",
) -> Any:
    """A length, lengths from or to a node, or lengths between all nodes."""
    _check(method)
    graph = G.weighted(weight)
    if source is not None and target is not None:
        start, end = vertex_of(G, source, "Source"), vertex_of(G, target, "Target")
        if start == end:
            return 0  # whatever cycles there are
        tree = _search(method, paths=False)(graph, start)
        if tree.parent[end] < 0:
            raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
        return numbers.length(G, tree, weight, end)
    if source is None and target is None:
        if not graph.weighted:
            return unweighted_paths.all_lengths(G)
        trees = path_search.each(G, graph, _search(method, paths=False))
        return ((node, numbers.lengths(G, tree, weight)) for node, tree in trees)
    backward = source is None
    start = vertex_of(G, target if backward else source, "Target" if backward else "Source")
    if not graph.weighted:
        return unweighted_paths.lengths_from(G, start, None, backward=backward)
    tree = _search(method, paths=False)(graph.reversed() if backward else graph, start)
    return numbers.lengths(G, tree, weight, backward=backward)
