"""Shortest paths from some vertices as arrays, and those arrays as NetworkX's dicts and lists of nodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.errors import NegativeCycleError
from clew.graph import Graph
from clew.nx import in_order
from clew.nx.graph import ClewGraph, Node
from clew.nx.two_ends import Rows

# ruff: noqa: N803, NetworkX calls its graphs G


class Tree(NamedTuple):
    """The vertices that were reached, nearest first, and for every vertex its distance and the one before it.

    A source is its own parent; vertices that were not reached have parent -1 and a distance without meaning.
    """

    order: Array
    distance: Array
    parent: Array


def within(limit: float | None) -> int | None:
    """How many levels NetworkX searches for a cutoff."""
    return None if limit is None or limit == math.inf else math.ceil(limit)


class Routes(NamedTuple):
    """What a search goes along: clew's graph, and where no edge has a weight NetworkX's order of the neighbours."""

    graph: Graph
    rows: Rows | None


def routes(G: ClewGraph, weight: str | None, *, backward: bool = False) -> Routes:
    """The graph with an attribute for weights, or against its edges; prepared once for all searches of a call."""
    graph = G.weighted(weight)
    if graph.weighted:
        return Routes(graph.reversed() if backward else graph, None)
    return Routes(graph, G.in_rows() if backward else G.out_rows())


def nearest(ways: Routes, start: int, cutoff: float | None = None, *, paths: bool = True) -> Tree:
    """Over weights of 0 or more; without weights, every edge counts 1.

    Without ``paths``, parents may be other ones in every run, which saves time if only distances are needed.
    """
    if ways.rows is not None:
        return _in_order(ways.rows, np.array([start]), cutoff)
    check_lengths(ways.graph)
    found = algorithms.sssp(ways.graph, start, deterministic=paths).numpy()
    return _tree(found.distance, found.parent, np.array([start]), cutoff)


def any_weights(ways: Routes, start: int, *, paths: bool = True) -> Tree:
    """Over weights of either sign; ``NetworkXUnbounded`` where a negative cycle is reached."""
    if ways.rows is not None:
        return nearest(ways, start, paths=paths)
    check_finite(ways.graph)
    try:
        found = algorithms.bellman_ford(ways.graph, start, deterministic=paths).numpy()
    except NegativeCycleError as error:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from error
    return _tree(found.distance, found.parent, np.array([start]), None)


def from_several(ways: Routes, starts: Array, cutoff: float | None = None, *, paths: bool = True) -> Tree:
    """From the nearest of several sources."""
    if starts.size == 1:
        return nearest(ways, int(starts[0]), cutoff, paths=paths)
    if ways.rows is not None:
        return _in_order(ways.rows, starts, cutoff)
    check_lengths(ways.graph)
    n = ways.graph.num_vertices
    searched = algorithms.sssp(with_a_root(ways.graph, starts), n, deterministic=paths).numpy()
    distance, parent = searched.distance[:n], np.array(searched.parent[:n])
    # A source that another one is nearer to than 0 does not exist: weights are 0 or more.
    parent[starts] = starts
    return _tree(distance, parent, starts, cutoff)


def with_a_root(graph: Graph, starts: Array) -> Graph:
    """One more vertex, with edges of weight 0 to ``starts``; the graph becomes directed."""
    assert graph.weights is not None
    indptr = np.append(graph.indptr, graph.num_arcs + starts.size)
    indices = np.append(graph.indices, np.sort(starts).astype(graph.indices.dtype))
    weights = np.append(graph.weights, np.zeros(starts.size, dtype=graph.weights.dtype))
    return Graph.from_csr(indptr, indices, weights, directed=True)


def check_lengths(graph: Graph) -> None:
    """Leave weights below 0, which NetworkX complains about where it meets them, and infinite ones to NetworkX."""
    check_finite(graph)
    assert graph.weights is not None
    if graph.weights.dtype.kind in "if" and graph.weights.min(initial=0) < 0:
        raise NotImplementedError("some weights are negative; clew supports only weights of 0 or more here.")


def check_sums(graph: Graph) -> None:
    """Leave integers whose sums may not fit 64 bits to NetworkX, for which no integer is too large."""
    assert graph.weights is not None
    if graph.weights.dtype.kind != "f" and graph.num_arcs:
        largest = max(abs(int(graph.weights.min())), abs(int(graph.weights.max())))
        if largest * graph.num_vertices**2 >= 2**62:
            raise NotImplementedError("sums of these weights may not fit in 64 bits.")


def check_finite(graph: Graph) -> None:
    """For NetworkX an infinite weight is a way of infinite length, for clew no way."""
    assert graph.weights is not None
    if graph.weights.dtype.kind == "f" and not np.isfinite(graph.weights).all():
        raise NotImplementedError("some weights are infinite or NaN; clew ignores such edges.")


def each(G: ClewGraph, ways: Routes, search: Callable[[Routes, int], Tree]) -> Iterator[tuple[Node, Tree]]:
    """Every node with what a search from it finds, one at a time.

    The first search runs at once, so that errors about the weights are raised before an iterator is returned.
    """
    if len(G) == 0:
        return iter(())
    first = [(G.nodes[0], search(ways, 0))]
    return chain(first, ((G.nodes[vertex], search(ways, vertex)) for vertex in range(1, len(G))))


def _tree(distance: Array, parent: Array, starts: Array, cutoff: float | None) -> Tree:
    """The sources as they were given, though a weight of 0 or less may lead to others first; then by distance."""
    reached = parent >= 0
    if cutoff is not None:
        reached &= distance <= cutoff
    reached[starts] = False
    others = np.flatnonzero(reached)
    return Tree(np.append(starts, others[np.argsort(distance[others], kind="stable")]), distance, parent)


def _in_order(rows: Rows, starts: Array, cutoff: float | None) -> Tree:
    """Along edges that count 1 each: NetworkX finds vertices in this order, and by these paths."""
    limit = None if cutoff is None or cutoff == math.inf else math.floor(cutoff)
    found = in_order.search(rows.indptr, rows.indices, starts, limit)
    return Tree(found.order, found.depth, found.parent)


def paths(G: ClewGraph, order: Array, parent: Array) -> dict[Node, list[Node]]:
    """The path to every node of ``order``."""
    name = G.nodes
    before: list[int] = parent.tolist()
    known: dict[int, list[Node]] = {}
    for vertex in order.tolist():
        # Over edges of weight 0 a vertex may come before its parent: then the way up is walked first.
        way = [vertex]
        while way[-1] not in known and before[way[-1]] != way[-1]:
            way.append(before[way[-1]])
        top = way.pop()
        if top not in known:
            known[top] = [name[top]]
        for step in reversed(way):
            known[step] = [*known[before[step]], name[step]]
    return {name[vertex]: known[vertex] for vertex in order.tolist()}


def path(G: ClewGraph, parent: Array, vertex: int) -> list[Node]:
    """The path to one vertex."""
    way = [vertex]
    while parent[way[-1]] != way[-1]:
        way.append(int(parent[way[-1]]))
    return [G.nodes[step] for step in reversed(way)]


def predecessors(G: ClewGraph, graph: Graph, tree: Tree) -> dict[Node, list[Node]]:
    """For every node that was reached, all that come before it on some shortest path, nearest first."""
    position = np.full(graph.num_vertices, -1, dtype=np.int64)
    position[tree.order] = np.arange(tree.order.size)
    source = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    inside = (position[source] >= 0) & (position[graph.indices] >= 0)
    source, target = source[inside], graph.indices[inside]
    weight: Any = 1 if graph.weights is None else graph.weights[inside]
    tight = tree.distance[source] + weight == tree.distance[target]
    # Of parallel edges one is enough, so pairs are numbered and made unique: by the target's place, then the source's.
    pairs = np.unique(position[target[tight]] * graph.num_vertices + position[source[tight]])
    found: dict[Node, list[Node]] = {node: [] for node in G.named(tree.order)}
    ends = G.named(tree.order[pairs // max(1, graph.num_vertices)])
    for end, before in zip(ends, G.named(tree.order[pairs % max(1, graph.num_vertices)]), strict=True):
        found[end].append(before)
    return found
