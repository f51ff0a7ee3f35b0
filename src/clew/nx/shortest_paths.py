"""Shortest paths over edges that count 1 each, and the functions that choose a family by their arguments.

Of several shortest paths, those from a source are the ones NetworkX gives: neighbours are taken in its order. Lengths
are computed on all cores, or on a GPU.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import networkx as nx
import numpy as np

from clew.nx import nearby, searches, weighted_paths
from clew.nx.graph import ClewGraph, Node, Weight, vertex_of
from clew.nx.interface import no_weight_function, served
from clew.nx.searches import Cutoff, Paths, Tree

# ruff: noqa: N803, NetworkX calls its graphs G

Hops = dict[Node, int]

#: By method, a path between two nodes with its length, and the length with its own error.
BETWEEN = {
    "dijkstra": (weighted_paths.dijkstra_between, weighted_paths.dijkstra_length),
    "bellman-ford": (weighted_paths.bellman_ford_between, weighted_paths.bellman_ford_length),
}


def _levels(cutoff: Cutoff) -> int | None:
    """How many levels NetworkX searches for a cutoff."""
    return None if cutoff is None or cutoff == math.inf else math.ceil(cutoff)


def _search(G: ClewGraph, start: int, cutoff: Cutoff, *, backward: bool = False) -> Tree:
    rows = G.in_rows() if backward else G.out_rows()
    return searches.breadth_first(rows, np.array([start]), _levels(cutoff))


def _hops(G: ClewGraph, tree: Tree) -> Hops:
    return G.some_by_node(tree.order, tree.distance[tree.order])


def _path_between(G: ClewGraph, source: Node, target: Node) -> list[Node]:
    start, end = vertex_of(G, source, "Source"), vertex_of(G, target, "Target")
    way = searches.fewest_edges(G.out_rows(), G.in_rows(), start, end)
    if not way:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return [G.nodes[step] for step in way]


@served(sooner=nearby.few_descendants)
def single_source_shortest_path(G: ClewGraph, source: Node, cutoff: Cutoff = None) -> Paths:
    """The path to every node within the cutoff."""
    return searches.paths(G, _search(G, vertex_of(G, source, "Source", "not in G"), cutoff))


@served(sooner=nearby.few_descendants)
def single_source_shortest_path_length(G: ClewGraph, source: Node, cutoff: Cutoff = None) -> Hops:
    """The number of edges to every node within the cutoff, nearest first."""
    return _hops(G, _search(G, vertex_of(G, source, "Source"), cutoff))


@served()
def single_target_shortest_path(G: ClewGraph, target: Node, cutoff: Cutoff = None) -> Paths:
    """The path from every node within the cutoff."""
    tree = _search(G, vertex_of(G, target, "Target", "not in G"), cutoff, backward=True)
    return searches.paths(G, tree, backward=True)


@served()
def single_target_shortest_path_length(G: ClewGraph, target: Node, cutoff: Cutoff = None) -> Hops:
    """The number of edges from every node within the cutoff, nearest first."""
    return _hops(G, _search(G, vertex_of(G, target, "Target"), cutoff, backward=True))


@served()
def all_pairs_shortest_path(G: ClewGraph, cutoff: Cutoff = None) -> Iterator[tuple[Node, Paths]]:
    """The paths from every node, one node at a time."""
    return ((node, searches.paths(G, _search(G, vertex, cutoff))) for vertex, node in enumerate(G.nodes))


def _all_lengths(G: ClewGraph, cutoff: Cutoff = None) -> Iterator[tuple[Node, Hops]]:
    """The number of edges from every node to those within the cutoff; many sources share a search."""
    limit = _levels(cutoff)
    for sources, depths in searches.hops(G.unweighted, np.arange(len(G))):
        for source, depth in zip(sources.tolist(), depths, strict=True):
            reached = np.flatnonzero(depth >= 0 if limit is None else (depth >= 0) & (depth <= max(limit, 0)))
            reached = reached[np.argsort(depth[reached], kind="stable")]
            yield G.nodes[source], G.some_by_node(reached, depth[reached])


@served()
def all_pairs_shortest_path_length(G: ClewGraph, cutoff: Cutoff = None) -> Iterator[tuple[Node, Hops]]:
    """The number of edges from every node to those within the cutoff."""
    return _all_lengths(G, cutoff)


@served(quick=True)
def bidirectional_shortest_path(G: ClewGraph, source: Node, target: Node) -> list[Node]:
    """One shortest path."""
    return _path_between(G, source, target)


@served()
def predecessor(
    G: ClewGraph, source: Node, target: Node = None, cutoff: Cutoff = None, return_seen: bool | None = None
) -> Any:
    """The nodes before every node on its shortest paths, and with ``return_seen`` the numbers of edges."""
    tree = _search(G, vertex_of(G, source, "Source", "not in G"), cutoff or None)
    before, seen = searches.predecessors(G, G.unweighted, tree), searches.lengths(G, tree, None)
    if target is None:
        return (before, seen) if return_seen else before
    return (before.get(target, []), seen.get(target, -1)) if return_seen else before.get(target, [])


@served(quick=True)
def has_path(G: ClewGraph, source: Node, target: Node) -> bool:
    """Whether ``target`` can be reached."""
    start, end = vertex_of(G, source, "Source"), vertex_of(G, target, "Target")
    return bool(searches.fewest_edges(G.out_rows(), G.in_rows(), start, end))


def _shortest(
    G: ClewGraph, source: Node | None, target: Node | None, weight: Weight, method: str, *, paths: bool
) -> Any:
    """Paths or lengths: between two nodes, from or to a node, or between all nodes."""
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    if weight is None:
        method = "unweighted"
    if source is not None and target is not None:
        if method == "unweighted":
            way = _path_between(G, source, target)
            return way if paths else len(way) - 1
        between, length = BETWEEN[method]
        return between(G, source, target, weight)[1] if paths else length(G, source, target, weight)
    if source is None and target is None and method == "unweighted" and not paths:
        return _all_lengths(G)
    backward = target is not None
    edges = searches.routes(G, weight, backward=backward)
    search = partial(searches.any_weights if method == "bellman-ford" else searches.nearest, paths=paths)
    if source is None and target is None:
        answer: Any = searches.paths if paths else partial(searches.lengths, weight=weight)
        return ((node, answer(G, tree)) for node, tree in searches.each(G, edges, search))
    missing = {
        "unweighted": ("Source", "not in G" if paths else "is not in G"),
        "dijkstra": ("Node", "not found in graph"),
        "bellman-ford": ("Source", "not in G"),
    }
    tree = search(edges, vertex_of(G, target if backward else source, *missing[method]))
    if not paths:
        return searches.lengths(G, tree, weight, backward=backward)
    return searches.paths(G, tree, backward=backward)


@served(no_weight_function)
def shortest_path(
    G: ClewGraph, source: Node = None, target: Node = None, weight: Weight = None, method: str = "dijkstra"
) -> Any:
    """A path, paths from or to a node, or paths between all nodes."""
    return _shortest(G, source, target, weight, method, paths=True)


@served(no_weight_function)
def shortest_path_length(
    G: ClewGraph, source: Node = None, target: Node = None, weight: Weight = None, method: str = "dijkstra"
) -> Any:
    """A length, lengths from or to a node, or lengths between all nodes."""
    return _shortest(G, source, target, weight, method, paths=False)
