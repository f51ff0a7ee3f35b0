"""Depth-first search in the order in which NetworkX lists neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from clew.algorithms.dfs_order import kernels
from clew.dtypes import Array
from clew.nx import nearby
from clew.nx.graph import ClewGraph, Node, neighbor_of
from clew.nx.interface import OWN_ORDER, served

# ruff: noqa: ARG001, N803, signatures are those of NetworkX

#: NetworkX's words for the events, by their numbers.
EVENTS = ("forward", "nontree", "reverse", "reverse-depth_limit")


class Search(NamedTuple):
    """The events of a search, each with both ends of its edge."""

    parent: Array
    child: Array
    event: Array

    def tree(self) -> tuple[Array, Array]:
        """The edges of the tree; a source has none to itself."""
        edges = (self.event == kernels.FORWARD) & (self.parent != self.child)
        return self.parent[edges], self.child[edges]


def _search(G: ClewGraph, source: Node | None, limit: float | None, *, others: bool = False) -> Search:
    sources = np.arange(len(G)) if source is None else np.array([neighbor_of(G, source)])
    indptr, indices = G.simple_rows.bits
    size = 2 * len(G) + (indices.size if others else 0) + (len(G) if limit is not None else 0)
    parent, child = np.empty(size, dtype=G.indices.dtype), np.empty(size, dtype=G.indices.dtype)
    event = np.empty(size, dtype=np.int8)
    deepest = float(len(G) if limit is None else limit)
    count = kernels.depth_first(indptr, indices, sources, deepest, others, parent, child, event)
    return Search(parent[:count], child[:count], event[:count])


def _edges(G: ClewGraph, source: Node | None, limit: float | None) -> Iterator[tuple[Node, Node]]:
    parent, child = _search(G, source, limit).tree()
    return zip(G.named(parent), G.named(child), strict=True)


@served(sooner=nearby.few_descendants, sort_neighbors=OWN_ORDER)
def dfs_edges(
    G: ClewGraph, source: Node | None = None, depth_limit: int | None = None, *, sort_neighbors: Any = None
) -> Iterator[tuple[Node, Node]]:
    """The tree edges, in the order in which nodes are discovered."""
    return _edges(G, source, depth_limit)


@served(sooner=nearby.few_descendants, sort_neighbors=OWN_ORDER)
def dfs_tree(
    G: ClewGraph, source: Node | None = None, depth_limit: int | None = None, *, sort_neighbors: Any = None
) -> nx.DiGraph[Any]:
    """The same edges as a graph."""
    tree: nx.DiGraph[Any] = nx.DiGraph()
    tree.add_nodes_from(G if source is None else [source])
    tree.add_edges_from(_edges(G, source, depth_limit))
    return tree


@served(sooner=nearby.few_descendants, sort_neighbors=OWN_ORDER)
def dfs_predecessors(
    G: ClewGraph, source: Node | None = None, depth_limit: int | None = None, *, sort_neighbors: Any = None
) -> dict[Node, Node]:
    """The predecessor of every node in the tree."""
    parent, child = _search(G, source, depth_limit).tree()
    return dict(zip(G.named(child), G.named(parent), strict=True))


@served(sooner=nearby.few_descendants, sort_neighbors=OWN_ORDER)
def dfs_successors(
    G: ClewGraph, source: Node | None = None, depth_limit: int | None = None, *, sort_neighbors: Any = None
) -> dict[Node, list[Node]]:
    """The successors of every node in the tree."""
    found: dict[Node, list[Node]] = {}
    for parent, child in _edges(G, source, depth_limit):
        found.setdefault(parent, []).append(child)
    return found


def _nodes(G: ClewGraph, source: Node | None, limit: int | None, event: int) -> Iterator[Node]:
    search = _search(G, source, limit)
    return iter(G.named(search.child[search.event == event]))


@served(sooner=nearby.few_descendants, sort_neighbors=OWN_ORDER)
def dfs_preorder_nodes(
    G: ClewGraph, source: Node | None = None, depth_limit: int | None = None, *, sort_neighbors: Any = None
) -> Iterator[Node]:
    """Nodes in the order in which they are discovered."""
    return _nodes(G, source, depth_limit, kernels.FORWARD)


@served(sooner=nearby.few_descendants, sort_neighbors=OWN_ORDER)
def dfs_postorder_nodes(
    G: ClewGraph, source: Node | None = None, depth_limit: int | None = None, *, sort_neighbors: Any = None
) -> Iterator[Node]:
    """Nodes in the order in which the search leaves them."""
    return _nodes(G, source, depth_limit, kernels.REVERSE)


@served(sooner=nearby.few_descendants, sort_neighbors=OWN_ORDER)
def dfs_labeled_edges(
    G: ClewGraph, source: Node | None = None, depth_limit: int | None = None, *, sort_neighbors: Any = None
) -> Iterator[tuple[Node, Node, str]]:
    """Every step of the search, with NetworkX's word for it."""
    search = _search(G, source, depth_limit, others=True)
    words = map(EVENTS.__getitem__, search.event.tolist())
    return zip(G.named(search.parent), G.named(search.child), words, strict=True)
