"""Reachability and topological order."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.nx import in_order
from clew.nx.graph import ClewGraph, Node
from clew.nx.nodes import neighbor_of
from clew.nx.serving import served

# ruff: noqa: N803, NetworkX calls its graphs G


def _reachable(G: ClewGraph, source: Node, *, backward: bool) -> set[Node]:
    start = neighbor_of(G, source)
    graph = G.unweighted.reversed() if backward else G.unweighted
    return set(G.named(np.flatnonzero(algorithms.bfs(graph, start).numpy().depth > 0)))


@served()
def descendants(G: ClewGraph, source: Node) -> set[Node]:
    """Nodes that can be reached from ``source``."""
    return _reachable(G, source, backward=False)


@served()
def ancestors(G: ClewGraph, source: Node) -> set[Node]:
    """Nodes that ``source`` can be reached from."""
    return _reachable(G, source, backward=True)


def _generations(G: ClewGraph) -> tuple[list[Array], bool]:
    """The generations, and whether there is a cycle that keeps some nodes out of them."""
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    found = in_order.generations(G.indptr, G.indices, np.bincount(G.indices, minlength=len(G)))
    return found, sum(generation.size for generation in found) < len(G)


def _named_generations(G: ClewGraph) -> Iterator[list[Node]]:
    generations, has_cycle = _generations(G)
    for number, vertices in enumerate(generations):
        nodes = G.named(vertices)
        if G.has_other_neighbors(nodes, vertices):
            yield from _generations_after_a_change(G, generations[number:], nodes)
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
