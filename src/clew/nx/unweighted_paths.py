"""Shortest paths over edges that count 1 each.

Of several shortest paths, those from a source are the ones NetworkX gives: neighbours are taken in its order. Lengths
are found on all cores, or on a GPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from clew.nx import in_order, numbers, path_search, two_ends
from clew.nx.blocks import hops
from clew.nx.graph import ClewGraph, Node
from clew.nx.nodes import vertex_of
from clew.nx.path_search import Tree, within
from clew.nx.serving import served

# ruff: noqa: N803, NetworkX calls its graphs G


def paths_from(G: ClewGraph, start: int, cutoff: float | None, *, backward: bool = False) -> dict[Node, list[Node]]:
    """The path to every node within the cutoff, from the start or, backward, to it; always listed from ``start`` on."""
    rows = G.in_rows() if backward else G.out_rows()
    found = in_order.search(rows.indptr, rows.indices, np.array([start]), within(cutoff))
    return path_search.paths(G, found.order, found.parent)


def lengths_from(G: ClewGraph, start: int, cutoff: float | None, *, backward: bool = False) -> dict[Node, int]:
    """The number of edges to every node within the cutoff."""
    rows = G.in_rows() if backward else G.out_rows()
    found = in_order.search(rows.indptr, rows.indices, np.array([start]), within(cutoff))
    return G.some_by_node(found.order, found.depth[found.order])


def _near(G: ClewGraph, depth: Any, cutoff: float | None) -> dict[Node, int]:
    limit = within(cutoff)
    reached = np.flatnonzero(depth >= 0 if limit is None else (depth >= 0) & (depth <= max(limit, 0)))
    reached = reached[np.argsort(depth[reached], kind="stable")]
    return G.some_by_node(reached, depth[reached])


def path_between(G: ClewGraph, source: Node, target: Node) -> list[Node]:
    """One shortest path."""
    start, end = vertex_of(G, source, "Source"), vertex_of(G, target, "Target")
    way = two_ends.fewest_edges(G.out_rows(), G.in_rows(), start, end)
    if not way:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return [G.nodes[step] for step in way]


@served()
def single_source_shortest_path(G: ClewGraph, source: Node, cutoff: float | None = None) -> dict[Node, list[Node]]:
    """The path to every node within the cutoff."""
    return paths_from(G, vertex_of(G, source, "Source", "not in G"), cutoff)


@served()
def single_source_shortest_path_length(G: ClewGraph, source: Node, cutoff: float | None = None) -> dict[Node, int]:
    """The number of edges to every node within the cutoff, nearest first."""
    return lengths_from(G, vertex_of(G, source, "Source"), cutoff)


@served()
def single_target_shortest_path(G: ClewGraph, target: Node, cutoff: float | None = None) -> dict[Node, list[Node]]:
    """The path from every node within the cutoff."""
    found = paths_from(G, vertex_of(G, target, "Target", "not in G"), cutoff, backward=True)
    return {node: way[::-1] for node, way in found.items()}


@served()
def single_target_shortest_path_length(G: ClewGraph, target: Node, cutoff: float | None = None) -> dict[Node, int]:
    """The number of edges from every node within the cutoff, nearest first."""
    return lengths_from(G, vertex_of(G, target, "Target"), cutoff, backward=True)


@served()
def all_pairs_shortest_path(G: ClewGraph, cutoff: float | None = None) -> Iterator[tuple[Node, dict[Node, list[Node]]]]:
    """The paths from every node, one node at a time."""
    return ((node, paths_from(G, vertex, cutoff)) for vertex, node in enumerate(G.nodes))


def all_lengths(G: ClewGraph, cutoff: float | None = None) -> Iterator[tuple[Node, dict[Node, int]]]:
    """The number of edges from every node to those within the cutoff; many sources share a search."""
    for sources, depth in hops(G.unweighted, np.arange(len(G))):
        for row, source in enumerate(sources.tolist()):
            yield G.nodes[source], _near(G, depth[row], cutoff)


@served()
def all_pairs_shortest_path_length(G: ClewGraph, cutoff: float | None = None) -> Iterator[tuple[Node, dict[Node, int]]]:
    """The number of edges from every node to those within the cutoff."""
    return all_lengths(G, cutoff)


@served(quick=True)
def bidirectional_shortest_path(G: ClewGraph, source: Node, target: Node) -> list[Node]:
    """One shortest path."""
    return path_between(G, source, target)


@served()
def predecessor(
    G: ClewGraph,
    source: Node,
    target: Node | None = None,
    cutoff: float | None = None,
    return_seen: bool | None = None,
) -> Any:
    """The nodes before every node on its shortest paths, and with ``return_seen`` the numbers of edges."""
    start = vertex_of(G, source, "Source", "not in G")
    found = in_order.search(G.indptr, G.indices, np.array([start]), within(cutoff or None))
    tree = Tree(found.order, found.depth, found.parent)
    before, seen = path_search.predecessors(G, G.unweighted, tree), numbers.lengths(G, tree, None)
    if target is None:
        return (before, seen) if return_seen else before
    return (before.get(target, []), seen.get(target, -1)) if return_seen else before.get(target, [])
