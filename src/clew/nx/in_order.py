"""Searches in the order of the rows, which need not be sorted: memory for the kernels, and their answers as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clew.dtypes import Array, as_bits


class Searched(NamedTuple):
    """Vertices in the order they were found; the parent of every vertex and its depth, -1 where not found."""

    order: Array
    parent: Array
    depth: Array


def search(indptr: Array, indices: Array, sources: Array, limit: int | None = None) -> Searched:
    """Breadth first from ``sources``, at most ``limit`` edges deep; a source is its own parent."""
    from clew.nx import kernels_in_order as kernels

    n = indptr.size - 1
    queue, parent = np.empty(n, dtype=indices.dtype), np.full(n, -1, dtype=indices.dtype)
    depth = np.full(n, -1, dtype=np.int64)
    queue[: sources.size] = sources
    parent[sources], depth[sources] = sources, 0
    deepest = n if limit is None else min(limit, n)
    count = kernels.search(as_bits(indptr), as_bits(indices), sources.size, deepest, as_bits(queue), parent, depth)
    return Searched(queue[: int(count)], parent, depth)


def generations(indptr: Array, indices: Array, in_degrees: Array) -> list[Array]:
    """Topological generations; together fewer vertices than there are where there is a cycle."""
    from clew.nx import kernels_in_order as kernels

    n = indptr.size - 1
    queue, starts = np.empty(n, dtype=indices.dtype), np.empty(n + 1, dtype=np.int64)
    done = kernels.generations(as_bits(indptr), as_bits(indices), in_degrees.astype(np.int64), as_bits(queue), starts)
    return [queue[starts[i] : starts[i + 1]] for i in range(done)]


def strong_components(indptr: Array, indices: Array) -> tuple[Array, int]:
    """A number for every vertex's strongly connected component, in the order Tarjan's search completes them."""
    from clew.nx import kernels_in_order as kernels

    label = np.empty(indptr.size - 1, dtype=np.int64)
    return label, int(kernels.strong_components(as_bits(indptr), as_bits(indices), label))


def postorder(indptr: Array, indices: Array) -> Array:
    """When a depth-first search over all vertices is done with each of them."""
    from clew.nx import kernels_in_order as kernels

    found = np.empty(indptr.size - 1, dtype=np.int64)
    kernels.postorder(as_bits(indptr), as_bits(indices), found)
    return found


def maximum_matching(indptr: Array, indices: Array, left: Array) -> Array:
    """The partner of every vertex, -1 where it has none; left vertices are matched in their order."""
    from clew.nx import kernels_augmenting as kernels

    mate = np.full(indptr.size - 1, -1, dtype=np.int64)
    kernels.maximum_matching(as_bits(indptr), as_bits(indices), left, mate)
    return mate
