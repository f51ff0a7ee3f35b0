"""Searches that follow the order in which NetworkX lists neighbours: memory for the kernels, and answers as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clew.dtypes import Array, as_bits
from clew.nx.graph import Rows


class Tree(NamedTuple):
    """A shortest-path tree: the vertices reached, nearest first, and for every vertex its distance and its parent.

    A source is its own parent. Vertices that were not reached have parent -1 and a distance without meaning.
    """

    order: Array
    distance: Array
    parent: Array


def breadth_first(rows: Rows, sources: Array, limit: int | None = None) -> Tree:
    """A breadth-first tree from ``sources``, at most ``limit`` edges deep; distances are -1 where unreached."""
    from clew.nx import kernels_searches as kernels

    n = rows.indptr.size - 1
    queue, parent = np.empty(n, dtype=rows.indices.dtype), np.full(n, -1, dtype=rows.indices.dtype)
    depth = np.full(n, -1, dtype=np.int64)
    queue[: sources.size] = sources
    parent[sources], depth[sources] = sources, 0
    deepest = n if limit is None else min(limit, n)
    count = kernels.breadth_first(*rows.bits, sources.size, deepest, as_bits(queue), parent, depth)
    return Tree(queue[: int(count)], depth, parent)


def generations(rows: Rows) -> list[Array]:
    """Topological generations. Vertices on a cycle, or behind one, are in none."""
    from clew.nx import kernels_searches as kernels

    n = rows.indptr.size - 1
    queue, starts = np.empty(n, dtype=rows.indices.dtype), np.empty(n + 1, dtype=np.int64)
    count = kernels.generations(*rows.bits, np.bincount(rows.indices, minlength=n), as_bits(queue), starts)
    return [queue[starts[i] : starts[i + 1]] for i in range(count)]


def strong_components(rows: Rows) -> tuple[Array, int]:
    """A number for every vertex's strongly connected component, in the order Tarjan's search completes them."""
    from clew.nx import kernels_searches as kernels

    label = np.empty(rows.indptr.size - 1, dtype=np.int64)
    return label, int(kernels.strong_components(*rows.bits, label))


def postorder(rows: Rows) -> Array:
    """The place of every vertex in the order in which a depth-first search over all vertices finishes them."""
    from clew.nx import kernels_searches as kernels

    place = np.empty(rows.indptr.size - 1, dtype=np.int64)
    kernels.postorder(*rows.bits, place)
    return place


def maximum_matching(rows: Rows, left: Array) -> Array:
    """The partner of every vertex, -1 where it has none; left vertices are matched in their order."""
    from clew.nx import kernels

    mate = np.full(rows.indptr.size - 1, -1, dtype=np.int64)
    kernels.maximum_matching(*rows.bits, left, mate)
    return mate


def fewest_edges(out: Rows, into: Rows, source: int, target: int) -> list[int]:
    """The vertices of a path with as few edges as possible, searched from both ends; empty if there is none."""
    from clew.nx import kernels_searches as kernels

    if source == target:
        return [source]
    before = np.full((2, out.indptr.size - 1), -2, dtype=np.int64)
    return _path(before, int(kernels.fewest_edges((out.bits, into.bits), source, target, before)))


def least_weight(out: Rows, into: Rows, source: int, target: int) -> tuple[Any, list[int]]:
    """The least sum of weights of 0 or more, searched from both ends, and the path; an empty one if there is none."""
    from clew.nx import kernels_searches as kernels

    before = np.full((2, out.indptr.size - 1), -2, dtype=np.int64)
    weights: Any = None
    dtype: Any = np.int64
    if out.weights is not None:
        dtype = np.float64 if out.weights.dtype.kind == "f" else np.int64
        weights = (np.asarray(out.weights, dtype=dtype), np.asarray(into.weights, dtype=dtype))
    seen = np.zeros(before.shape, dtype=dtype)
    meet, length = kernels.least_weight((out.bits, into.bits), weights, source, target, before, seen)
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
    from clew.nx import kernels_searches as kernels

    assert rows.weights is not None
    weights = rows.weights.astype(np.float64 if rows.weights.dtype.kind == "f" else np.int64, copy=False)
    last = np.empty(rows.indptr.size - 1, dtype=np.int64)
    start, vertex, before = kernels.on_a_cycle(*rows.bits, weights, source, last)
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
