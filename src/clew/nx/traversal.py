"""Breadth-first search, in the order in which NetworkX lists neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import networkx as nx
import numpy as np

from clew import algorithms
from clew.nx import in_order
from clew.nx.graph import ClewGraph, Node
from clew.nx.in_order import Searched
from clew.nx.nodes import neighbor_of
from clew.nx.serving import served

# ruff: noqa: N803, NetworkX calls its graphs G


def _neighbors_are_sorted(sort_neighbors: Any) -> str | None:
    return "sort_neighbors is a function; clew uses the graph's order." if sort_neighbors else None


def _search(G: ClewGraph, source: Node, *, backward: bool, limit: int | None) -> Searched:
    start = neighbor_of(G, source)
    rows = G.in_rows() if backward else G.out_rows()
    return in_order.search(rows.indptr, rows.indices, np.array([start]), limit)


def _edges(G: ClewGraph, source: Node, reverse: bool, limit: int | None) -> Iterator[tuple[Node, Node]]:
    found = _search(G, source, backward=reverse, limit=limit)
    reached = found.order[1:]
    return zip(G.named(found.parent[reached]), G.named(reached), strict=True)


@served(_neighbors_are_sorted)
def bfs_edges(
    G: ClewGraph,
    source: Node,
    reverse: bool = False,
    depth_limit: int | None = None,
    sort_neighbors: Any = None,  # noqa: ARG001
) -> Iterator[tuple[Node, Node]]:
    """The tree edges, in the order in which nodes are discovered."""
    return _edges(G, source, reverse, depth_limit)


@served(_neighbors_are_sorted)
def bfs_tree(
    G: ClewGraph,
    source: Node,
    reverse: bool = False,
    depth_limit: int | None = None,
    sort_neighbors: Any = None,  # noqa: ARG001
) -> nx.DiGraph[Any]:
    """The same edges as a graph."""
    tree: nx.DiGraph[Any] = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(_edges(G, source, reverse, depth_limit))
    return tree


@served(_neighbors_are_sorted)
def bfs_predecessors(
    G: ClewGraph,
    source: Node,
    depth_limit: int | None = None,
    sort_neighbors: Any = None,  # noqa: ARG001
) -> Iterator[tuple[Node, Node]]:
    """Every node with its predecessor."""
    return ((child, parent) for parent, child in _edges(G, source, False, depth_limit))


@served(_neighbors_are_sorted)
def bfs_successors(
    G: ClewGraph,
    source: Node,
    depth_limit: int | None = None,
    sort_neighbors: Any = None,  # noqa: ARG001
) -> Iterator[tuple[Node, list[Node]]]:
    """Every node with its successors."""
    edges = list(_edges(G, source, False, depth_limit))
    if not edges:
        return iter([(source, [])])
    return ((parent, [child for _, child in group]) for parent, group in groupby(edges, key=itemgetter(0)))


@served()
def bfs_layers(G: ClewGraph, sources: Any) -> Iterator[list[Node]]:
    """Nodes by their distance from the nearest source."""
    chosen = [sources] if sources in G else list(set(sources))
    for source in chosen:
        if source not in G:
            raise nx.NetworkXError(f"The node {source} is not in the graph.")
    found = in_order.search(G.indptr, G.indices, G.vertices(chosen))
    sizes = np.bincount(found.depth[found.order])
    return map(G.named, np.split(found.order, np.cumsum(sizes)[:-1])) if chosen else iter(())


@served()
def descendants_at_distance(G: ClewGraph, source: Node, distance: int) -> set[Node]:
    """The nodes at exactly this distance."""
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    if distance < 0:
        return set()
    depth = algorithms.bfs(G.unweighted, G.positions[source]).numpy().depth
    return set(G.named(np.flatnonzero(depth == distance)))
