"""Breadth-first search in the order in which NetworkX lists neighbours, reachability and topological order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import networkx as nx
import numpy as np

from clew.dtypes import Array
from clew.nx import nearby
from clew.nx.graph import ClewGraph, Node, neighbor_of
from clew.nx.interface import OWN_ORDER, served
from clew.nx.searches import breadth_first, generations

# ruff: noqa: ARG001, N803, signatures are those of NetworkX


def _edges(G: ClewGraph, source: Node, reverse: bool, limit: int | None) -> Iterator[tuple[Node, Node]]:
    start = neighbor_of(G, source)
    tree = breadth_first(G.in_rows() if reverse else G.out_rows(), np.array([start]), limit)
    reached = tree.order[1:]
    return zip(G.named(tree.parent[reached]), G.named(reached), strict=True)


@served(sooner=nearby.few_either_way, sort_neighbors=OWN_ORDER)
def bfs_edges(
    G: ClewGraph, source: Node, reverse: bool = False, depth_limit: int | None = None, sort_neighbors: Any = None
) -> Iterator[tuple[Node, Node]]:
    """The tree edges, in the order in which nodes are discovered."""
    return _edges(G, source, reverse, depth_limit)


@served(sooner=nearby.few_either_way, sort_neighbors=OWN_ORDER)
def bfs_tree(
    G: ClewGraph, source: Node, reverse: bool = False, depth_limit: int | None = None, sort_neighbors: Any = None
) -> nx.DiGraph[Any]:
    """The same edges as a graph."""
    tree: nx.DiGraph[Any] = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(_edges(G, source, reverse, depth_limit))
    return tree


@served(sooner=nearby.few_descendants, sort_neighbors=OWN_ORDER)
def bfs_predecessors(
    G: ClewGraph, source: Node, depth_limit: int | None = None, sort_neighbors: Any = None
) -> Iterator[tuple[Node, Node]]:
    """Every node with its predecessor."""
    return ((child, parent) for parent, child in _edges(G, source, False, depth_limit))


@served(sooner=nearby.few_descendants, sort_neighbors=OWN_ORDER)
def bfs_successors(
    G: ClewGraph, source: Node, depth_limit: int | None = None, sort_neighbors: Any = None
) -> Iterator[tuple[Node, list[Node]]]:
    """Every node with its successors."""
    edges = list(_edges(G, source, False, depth_limit))
    if not edges:
        return iter([(source, [])])
    return ((parent, [child for _, child in group]) for parent, group in groupby(edges, key=itemgetter(0)))


@served(sooner=nearby.few_descendants)
def bfs_layers(G: ClewGraph, sources: Any) -> Iterator[list[Node]]:
    """Nodes by their distance from the nearest source."""
    chosen = [sources] if sources in G else list(set(sources))
    for source in chosen:
        if source not in G:
            raise nx.NetworkXError(f"The node {source} is not in the graph.")
    tree = breadth_first(G.out_rows(), G.vertices(chosen))
    sizes = np.bincount(tree.distance[tree.order])
    return map(G.named, np.split(tree.order, np.cumsum(sizes)[:-1])) if chosen else iter(())


@served(sooner=nearby.few_within)
def descendants_at_distance(G: ClewGraph, source: Node, distance: int) -> set[Node]:
    """The nodes at exactly this distance."""
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    if distance < 0:
        return set()
    tree = breadth_first(G.out_rows(), np.array([G.positions[source]]), distance)
    return set(G.named(tree.order[tree.distance[tree.order] == distance]))


def _reachable(G: ClewGraph, source: Node, *, backward: bool) -> set[Node]:
    start = neighbor_of(G, source)
    tree = breadth_first(G.in_rows() if backward else G.out_rows(), np.array([start]))
    return set(G.named(tree.order[1:]))


@served(sooner=nearby.few_descendants)
def descendants(G: ClewGraph, source: Node) -> set[Node]:
    """Nodes that can be reached from ``source``."""
    return _reachable(G, source, backward=False)


@served(sooner=nearby.few_ancestors)
def ancestors(G: ClewGraph, source: Node) -> set[Node]:
    """Nodes that ``source`` can be reached from."""
    return _reachable(G, source, backward=True)


def _generations(G: ClewGraph) -> tuple[list[Array], bool]:
    """The generations, and whether there is a cycle that keeps some nodes out of them."""
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    found = generations(G.out_rows())
    return found, sum(map(len, found)) < len(G)


def _named_generations(G: ClewGraph) -> Iterator[list[Node]]:
    vertices_of, has_cycle = _generations(G)
    for number, vertices in enumerate(vertices_of):
        nodes = G.named(vertices)
        if G.has_other_neighbors(nodes, vertices):
            yield from _generations_after_a_change(G, vertices_of[number:], nodes)
            return
        yield nodes
    if has_cycle:
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")


def _generations_after_a_change(G: ClewGraph, rest: list[Array], nodes: list[Node]) -> Iterator[list[Node]]:
    """Go on as NetworkX does in a graph that was changed since the generation before was given.

    It counts down how many edges still lead to a node, and finds out about a change where the counts do not agree.
    """
    earlier = np.ones(len(G), dtype=np.bool_)
    earlier[np.concatenate(rest)] = False
    waiting = np.bincount(G.indices[~earlier[G.sources]], minlength=len(G))
    left = {G.nodes[vertex]: int(waiting[vertex]) for vertex in np.flatnonzero(waiting)}
    while nodes:
        following: list[Node] = []
        for node in nodes:
            children = G.neighbors_now(node)
            if children is None or not left.keys() >= children.keys():
                raise RuntimeError("Graph changed during iteration")
            for child, edges in children.items():
                left[child] -= edges
                if left[child] == 0:
                    following.append(child)
                    del left[child]
        yield nodes
        nodes = following
    if left:
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")


@served()
def topological_generations(G: ClewGraph) -> Iterator[list[Node]]:
    """Nodes in NetworkX's order; a cycle is reported after the nodes before it, as NetworkX does."""
    return _named_generations(G)


@served()
def topological_sort(G: ClewGraph) -> Iterator[Node]:
    """One generation after the other."""
    return (node for generation in _named_generations(G) for node in generation)


@served()
def has_cycle(G: ClewGraph) -> bool:
    """Whether some nodes cannot be ordered."""
    return _generations(G)[1]


@served()
def is_directed_acyclic_graph(G: ClewGraph) -> bool:
    """Whether the graph is directed and has no cycle."""
    return G.is_directed() and not _generations(G)[1]
