"""Searches that follow the order in which NetworkX lists neighbours, and their trees as NetworkX's dicts and lists.

NetworkX adds distances up from the integer 0, so they are integers until a float is added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from clew import algorithms
from clew.algorithms.topological_order.kernels import generations as find_generations
from clew.dtypes import Array, as_bits
from clew.errors import NegativeCycleError
from clew.graph import Graph
from clew.nx import kernels, kernels_searches
from clew.nx.dicts import EdgeValues
from clew.nx.graph import ClewGraph, Node, Rows, Weight

# ruff: noqa: N803, NetworkX calls its graphs G


class Tree(NamedTuple):
    """A shortest-path tree: the vertices reached, nearest first, and for every vertex its distance and its parent.

    A source is its own parent. Vertices that were not reached have parent -1 and a distance without meaning.
    """

    order: Array
    distance: Array
    parent: Array


def breadth_first(rows: Rows, sources: Array, limit: int | None = None) -> Tree:
    """A breadth-first tree from ``sources``, at most ``limit`` edges deep; distances are -1 where unreached."""
    n = rows.indptr.size - 1
    queue, parent = np.empty(n, dtype=rows.indices.dtype), np.full(n, -1, dtype=rows.indices.dtype)
    depth = np.full(n, -1, dtype=np.int64)
    queue[: sources.size] = sources
    parent[sources], depth[sources] = sources, 0
    deepest = n if limit is None else min(limit, n)
    count = kernels_searches.breadth_first(*rows.bits, sources.size, deepest, as_bits(queue), parent, depth)
    return Tree(queue[: int(count)], depth, parent)


def generations(rows: Rows) -> list[Array]:
    """Topological generations. Vertices on a cycle, or behind one, are in none."""
    n = rows.indptr.size - 1
    queue, starts = np.empty(n, dtype=rows.indices.dtype), np.empty(n + 1, dtype=np.int64)
    count = find_generations(*rows.bits, np.bincount(rows.indices, minlength=n), as_bits(queue), starts)
    return [queue[starts[i] : starts[i + 1]] for i in range(count)]


def strong_components(rows: Rows) -> tuple[Array, int]:
    """A number for every vertex's strongly connected component, in the order Tarjan's search completes them."""
    label = np.empty(rows.indptr.size - 1, dtype=np.int64)
    return label, int(kernels_searches.strong_components(*rows.bits, label))


def postorder(rows: Rows) -> Array:
    """The place of every vertex in the order in which a depth-first search over all vertices finishes them."""
    place = np.empty(rows.indptr.size - 1, dtype=np.int64)
    kernels_searches.postorder(*rows.bits, place)
    return place


def maximum_matching(rows: Rows, left: Array) -> Array:
    """The partner of every vertex, -1 where it has none; left vertices are matched in their order."""
    mate = np.full(rows.indptr.size - 1, -1, dtype=np.int64)
    kernels.maximum_matching(*rows.bits, left, mate)
    return mate


def fewest_edges(out: Rows, into: Rows, source: int, target: int) -> list[int]:
    """The vertices of a path with as few edges as possible, searched from both ends; empty if there is none."""
    if source == target:
        return [source]
    before = np.full((2, out.indptr.size - 1), -2, dtype=np.int64)
    return _path(before, int(kernels_searches.fewest_edges((out.bits, into.bits), source, target, before)))


def least_weight(out: Rows, into: Rows, source: int, target: int) -> tuple[Any, list[int]]:
    """The least sum of weights of 0 or more, searched from both ends, and the path; an empty one if there is none."""
    before = np.full((2, out.indptr.size - 1), -2, dtype=np.int64)
    weights: Any = None
    dtype: Any = np.int64
    if out.weights is not None:
        dtype = np.float64 if out.weights.dtype.kind == "f" else np.int64
        weights = (np.asarray(out.weights, dtype=dtype), np.asarray(into.weights, dtype=dtype))
    seen = np.zeros(before.shape, dtype=dtype)
    meet, length = kernels_searches.least_weight((out.bits, into.bits), weights, source, target, before, seen)
    return length, _path(before, int(meet))


def _path(before: Array, meet: int) -> list[int]:
    """The path through the vertex where the searches from both ends met; empty if that is -1."""
    halves: tuple[list[int], list[int]] = ([], [])
    for half, previous in zip(halves, before, strict=True):
        vertex = meet
        while vertex >= 0:
            half.append(vertex)
            vertex = int(previous[vertex])
    return halves[0][::-1] + halves[1][1:]


def first_negative_cycle(rows: Rows, source: int) -> list[int]:
    """The negative cycle that NetworkX finds first, its first vertex again at the end; empty if there is none."""
    assert rows.weights is not None
    weights = rows.weights.astype(np.float64 if rows.weights.dtype.kind == "f" else np.int64, copy=False)
    last = np.empty(rows.indptr.size - 1, dtype=np.int64)
    start, vertex, before = kernels_searches.on_a_cycle(*rows.bits, weights, source, last)
    if start < 0:
        return []

    def predecessors(v: int) -> list[int]:
        linked, k = [], int(last[v])
        while k >= 0:
            linked.append(int(vertex[k]))
            k = int(before[k])
        return linked[::-1]

    # Backwards over predecessors, depth first, until one leads to where the walk began.
    seen, stack = {int(start)}, [(int(start), predecessors(int(start)))]
    way: list[int] = []
    while stack:
        node, left = stack[-1]
        if start in left:
            return [int(start), node, *reversed(way)]
        if left:
            if (step := left.pop()) not in seen:
                seen.add(step)
                stack.append((step, predecessors(step)))
                way.append(node)
        else:
            stack.pop()
            if way:
                way.pop()
    return []


Cutoff = float | None
Lengths = dict[Node, Any]
Paths = dict[Node, list[Node]]

#: Bytes that a block of distances may take.
BLOCK = 1 << 26


class Routes(NamedTuple):
    """The edges of a search: clew's graph if they have weights, else rows in NetworkX's order too."""

    graph: Graph
    rows: Rows | None


def routes(G: ClewGraph, weight: Weight, *, backward: bool = False) -> Routes:
    """The edges with an attribute for weights, or reversed; prepared once for all searches of a call."""
    graph = G.weighted(weight)
    if graph.weighted:
        return Routes(graph.reversed() if backward else graph, None)
    return Routes(graph, G.in_rows() if backward else G.out_rows())


def nearest(edges: Routes, starts: int | Array, cutoff: Cutoff = None, *, paths: bool = True) -> Tree:
    """From the nearest of some sources, over weights of 0 or more; without weights, every edge counts 1.

    Without ``paths``, parents may differ from run to run, which saves time if only distances are needed.
    """
    sources = np.atleast_1d(starts)
    if edges.rows is not None:
        limit = None if cutoff is None or cutoff == math.inf else math.floor(cutoff)
        return breadth_first(edges.rows, sources, limit)
    check_lengths(edges.graph)
    n = edges.graph.num_vertices
    if sources.size == 1:
        found = algorithms.sssp(edges.graph, int(sources[0]), deterministic=paths).numpy()
        return _tree(found.distance, found.parent, sources, cutoff)
    found = algorithms.sssp(with_a_root(edges.graph, sources), n, deterministic=paths).numpy()
    parent = np.array(found.parent[:n])
    parent[sources] = sources  # no source is nearer to another: weights are 0 or more
    return _tree(found.distance[:n], parent, sources, cutoff)


def any_weights(edges: Routes, start: int, *, paths: bool = True) -> Tree:
    """Over weights of either sign; ``NetworkXUnbounded`` if a negative cycle is reached."""
    if edges.rows is not None:
        return nearest(edges, start, paths=paths)
    check_finite(edges.graph)
    try:
        found = algorithms.bellman_ford(edges.graph, start, deterministic=paths).numpy()
    except NegativeCycleError as error:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from error
    return _tree(found.distance, found.parent, np.array([start]), None)


def _tree(distance: Array, parent: Array, starts: Array, cutoff: Cutoff) -> Tree:
    """The sources in their order, though a weight of 0 or less may lead to others first; then by distance."""
    reached = parent >= 0
    if cutoff is not None:
        reached &= distance <= cutoff
    reached[starts] = False
    others = np.flatnonzero(reached)
    return Tree(np.append(starts, others[np.argsort(distance[others], kind="stable")]), distance, parent)


def each(G: ClewGraph, edges: Routes, search: Callable[[Routes, int], Tree]) -> Iterator[tuple[Node, Tree]]:
    """Every node with the tree of a search from it, one at a time.

    The first search runs at once, so that errors about the weights are raised before an iterator is returned.
    """
    if len(G) == 0:
        return iter(())
    first = [(G.nodes[0], search(edges, 0))]
    return chain(first, ((G.nodes[vertex], search(edges, vertex)) for vertex in range(1, len(G))))


def with_a_root(graph: Graph, starts: Array) -> Graph:
    """One more vertex, with edges of weight 0 to ``starts``; the graph becomes directed."""
    assert graph.weights is not None
    indptr = np.append(graph.indptr, graph.num_arcs + starts.size)
    indices = np.append(graph.indices, np.sort(starts).astype(graph.indices.dtype))
    weights = np.append(graph.weights, np.zeros(starts.size, dtype=graph.weights.dtype))
    return Graph.from_csr(indptr, indices, weights, directed=True)


# ------------------------------------------------------------------ weights that NetworkX treats differently


def check_finite(graph: Graph) -> None:
    """For NetworkX an infinite weight is an edge of infinite length, for clew it is no edge."""
    assert graph.weights is not None
    if graph.weights.dtype.kind == "f" and not np.isfinite(graph.weights).all():
        raise NotImplementedError("some weights are infinite or NaN; clew ignores such edges.")


def check_lengths(graph: Graph) -> None:
    """Leave infinite weights to NetworkX, and those below 0, which are an error only if a search meets them."""
    check_finite(graph)
    assert graph.weights is not None
    if graph.weights.dtype.kind in "if" and graph.weights.min(initial=0) < 0:
        raise NotImplementedError("some weights are negative; clew supports only weights of 0 or more here.")


def check_sums(graph: Graph) -> None:
    """Leave integers whose sums may not fit in 64 bits to NetworkX, whose integers have no limit."""
    assert graph.weights is not None
    if graph.weights.dtype.kind != "f" and graph.num_arcs:
        largest = max(abs(int(graph.weights.min())), abs(int(graph.weights.max())))
        if largest * graph.num_vertices**2 >= 2**62:
            raise NotImplementedError("sums of these weights may not fit in 64 bits.")


# ------------------------------------------------------------------ trees as NetworkX's answers


def paths(G: ClewGraph, tree: Tree, *, backward: bool = False) -> Paths:
    """The path to every node that was reached, or with ``backward`` from it."""
    name = G.nodes
    before: list[int] = tree.parent.tolist()
    order: list[int] = tree.order.tolist()
    known: dict[int, list[Node]] = {}
    for vertex in order:
        if (first := known.get(before[vertex])) is not None and vertex not in known:
            known[vertex] = [name[vertex], *first] if backward else [*first, name[vertex]]
            continue
        # Over edges of weight 0 a vertex may come before its parent, whose path is needed first.
        way = [vertex]
        while way[-1] not in known and before[way[-1]] != way[-1]:
            way.append(before[way[-1]])
        top = way.pop()
        if top not in known:
            known[top] = [name[top]]
        for step in reversed(way):
            known[step] = [name[step], *known[before[step]]] if backward else [*known[before[step]], name[step]]
    return {name[vertex]: known[vertex] for vertex in order}


def lengths(G: ClewGraph, tree: Tree, weight: Weight, *, backward: bool = False) -> Lengths:
    """The distance of every node that was reached; ``backward`` if the search went against the edges."""
    return dict(zip(G.named(tree.order), _distances(G, tree, weight, tree.order, backward), strict=True))


def length_and_path(
    G: ClewGraph, tree: Tree, weight: Weight, target: Node, no_path: str, cutoff: Cutoff = None
) -> tuple[Any, list[Node]]:
    """The distance of one node, and the path to it; ``NetworkXNoPath`` if it was not reached within the cutoff."""
    end = G.positions.get(target)
    if end is None or tree.parent[end] < 0 or (cutoff is not None and tree.distance[end] > cutoff):
        raise nx.NetworkXNoPath(no_path)
    way = [end]
    while tree.parent[way[-1]] != way[-1]:
        way.append(int(tree.parent[way[-1]]))
    return _distances(G, tree, weight, np.array([end]))[0], [G.nodes[step] for step in reversed(way)]


def length_of(G: ClewGraph, weight: Weight, distance: Any, path: list[int]) -> Any:
    """The length of one path in Python's type."""
    parent = np.full(len(G), -1)
    parent[path] = [path[0], *path[:-1]]
    tree = Tree(np.array(path), np.full(len(G), distance), parent)
    return _distances(G, tree, weight, np.array(path[-1:]))[0]


def predecessors(G: ClewGraph, graph: Graph, tree: Tree) -> Paths:
    """For every node that was reached, all that come before it on some shortest path, nearest first."""
    n = graph.num_vertices
    position = np.full(n, -1, dtype=np.int64)
    position[tree.order] = np.arange(tree.order.size)
    source = np.repeat(np.arange(n), graph.degrees())
    inside = (position[source] >= 0) & (position[graph.indices] >= 0)
    source, target = source[inside], graph.indices[inside]
    weight: Any = 1 if graph.weights is None else graph.weights[inside]
    shortest = tree.distance[source] + weight == tree.distance[target]
    # One of several parallel edges is enough, so pairs are numbered by the places of target and source, and unique.
    pairs = np.unique(position[target[shortest]] * n + position[source[shortest]])
    before: Paths = {node: [] for node in G.named(tree.order)}
    ends, starts = (G.named(tree.order[places]) for places in np.divmod(pairs, max(1, n)))
    for end, start in zip(ends, starts, strict=True):
        before[end].append(start)
    return before


def _distances(G: ClewGraph, tree: Tree, weight: Weight, vertices: Array, backward: bool = False) -> list[Any]:
    """The distances of some vertices that were reached, in Python's types."""
    plain: list[Any] = tree.distance[vertices].tolist()
    values = G.known(weight)
    if values is None or values.is_float is False:
        return plain
    if values.is_float is True:
        is_float = tree.parent[vertices] != vertices  # a source has the integer 0
    else:
        is_float = _has_a_float(G, tree, values, backward)[vertices]
    return [float(value) if adds_floats else int(value) for value, adds_floats in zip(plain, is_float, strict=True)]


def _has_a_float(G: ClewGraph, tree: Tree, values: EdgeValues, backward: bool) -> Array:
    """For every vertex that was reached, whether there is a float on the path to it."""
    sources, targets = (G.indices, G.sources) if backward else (G.sources, G.indices)
    on_tree = np.flatnonzero((tree.parent[targets] == sources) & (sources != targets))
    # Of parallel edges NetworkX takes the first of the smallest.
    order = on_tree[np.lexsort((values.array[on_tree], targets[on_tree]))]
    reached, first = np.unique(targets[order], return_index=True)
    has_float = np.zeros(len(G), dtype=np.bool_)
    has_float[reached] = np.asarray(values.is_float)[order[first]]
    above = np.where(tree.parent < 0, np.arange(len(G)), tree.parent)
    while (above[above] != above).any():  # twice as far up the tree in every round
        has_float, above = has_float | has_float[above], above[above]
    return has_float | has_float[above]


# ------------------------------------------------------------------ distances from many vertices, in bounded memory


def hops(graph: Graph, sources: Array) -> Iterator[tuple[Array, Array]]:
    """Blocks of sources with a row of depths each, -1 where unreached."""
    # 64 sources share a search; a multiple of that gives every thread one.
    size = max(64, BLOCK // (4 * max(1, graph.num_vertices)) // 64 * 64)
    for first in range(0, sources.size, size):
        block = sources[first : first + size]
        yield block, algorithms.multi_source_bfs(graph, block).numpy().depth.T


def distance_blocks(graph: Graph, sources: Array) -> Iterator[Array]:
    """Blocks of distances, a row for every source, infinite where unreached; weights are 0 or more."""
    if not graph.weighted:
        for _, depth in hops(graph, sources):
            yield np.where(depth < 0, np.inf, depth)
        return
    check_lengths(graph)
    n = graph.num_vertices
    if sources.size == n and 8 * n * n <= BLOCK:
        yield all_distances(graph)[sources]  # as many sources as vertices need not be in their order
        return
    for source in sources.tolist():
        found = algorithms.sssp(graph, source).numpy()
        yield np.where(found.parent < 0, np.inf, found.distance)[np.newaxis]


def all_distances(graph: Graph) -> Array:
    """Distances between all vertices as floats, infinite where unreached."""
    distance = algorithms.all_pairs(graph).numpy().distance
    if distance.dtype.kind == "f":
        return np.asarray(distance)
    return np.where(distance == np.iinfo(distance.dtype).max, np.inf, distance)
