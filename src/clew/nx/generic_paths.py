"""The functions that choose among the families of shortest paths by their arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from clew.nx import negative_paths, numbers, path_search, two_ends, unweighted_paths, weighted_paths
from clew.nx.graph import ClewGraph, Node
from clew.nx.nodes import vertex_of
from clew.nx.path_search import Routes, Tree, routes
from clew.nx.serving import served, weight_is_a_function

# ruff: noqa: N803, NetworkX calls its graphs G


@served(quick=True)
def has_path(G: ClewGraph, source: Node, target: Node) -> bool:
    """Whether ``target`` can be reached."""
    start, end = vertex_of(G, source, "Source"), vertex_of(G, target, "Target")
    return bool(two_ends.fewest_edges(G.out_rows(), G.in_rows(), start, end))


def _method(weight: str | None, method: str) -> str:
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    return "unweighted" if weight is None else method


def _tree(method: str, *, paths: bool) -> Callable[[Routes, int], Tree]:
    return partial(path_search.any_weights if method == "bellman-ford" else path_search.nearest, paths=paths)


@served(weight_is_a_function)
def shortest_path(
    G: ClewGraph,
    source: Node | None = None,
    target: Node | None = None,
    weight: str | None = None,
    method: str = "dijkstra",
) -> Any:
    """A path, paths from or to a node, or paths between all nodes."""
    method = _method(weight, method)
    if source is not None and target is not None:
        if method == "unweighted":
            return unweighted_paths.path_between(G, source, target)
        return (weighted_paths if method == "dijkstra" else negative_paths).between(G, source, target, weight)[1]
    ways, search = routes(G, weight, backward=target is not None), _tree(method, paths=True)
    if source is None and target is None:
        trees = path_search.each(G, ways, search)
        return ((node, path_search.paths(G, tree.order, tree.parent)) for node, tree in trees)
    missing = ("Node", "not found in graph") if method == "dijkstra" else ("Source", "not in G")
    tree = search(ways, vertex_of(G, source if target is None else target, *missing))
    found = path_search.paths(G, tree.order, tree.parent)
    return found if target is None else {node: way[::-1] for node, way in found.items()}


@served(weight_is_a_function)
def shortest_path_length(
    G: ClewGraph,
    source: Node | None = None,
    target: Node | None = None,
    weight: str | None = None,
    method: str = "dijkstra",
) -> Any:
    """A length, lengths from or to a node, or lengths between all nodes."""
    method = _method(weight, method)
    if source is not None and target is not None:
        if method == "unweighted":
            return len(unweighted_paths.path_between(G, source, target)) - 1
        return (weighted_paths if method == "dijkstra" else negative_paths).length(G, source, target, weight)
    if source is None and target is None and method == "unweighted":
        return unweighted_paths.all_lengths(G)
    ways, search = routes(G, weight, backward=target is not None), _tree(method, paths=False)
    if source is None and target is None:
        trees = path_search.each(G, ways, search)
        return ((node, numbers.lengths(G, tree, weight)) for node, tree in trees)
    missing = {
        "unweighted": ("Source", "is not in G"),
        "dijkstra": ("Node", "not found in graph"),
        "bellman-ford": ("Source", "not in G"),
    }
    tree = search(ways, vertex_of(G, source if target is None else target, *missing[method]))
    return numbers.lengths(G, tree, weight, backward=target is not None)
