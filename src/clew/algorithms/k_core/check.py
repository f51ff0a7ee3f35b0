"""Checker of core numbers."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import arcs, named, require
from clew.dtypes import Array
from clew.graph import Graph
from clew.result import Result


@named
def k_core(graph: Graph, result: Result) -> None:
    """Check core numbers by the definition, and that they are not too small by peeling once more.

    1. A vertex of core number k has k neighbours or more with core number k or more.
    2. Taking away, for k = 0, 1, …, what has at most k neighbours left takes every vertex at its core number.
    """
    core = result.core.astype(np.int64)
    require(core.size == graph.num_vertices, "there is a core number for every vertex")
    require(core >= 0, "a core number is 0 or more")
    require(result.degeneracy == core.max(initial=0), "the degeneracy is the largest core number")
    u, v = _neighbours(graph)
    support = np.bincount(u[core[v] >= core[u]], minlength=core.size)
    require(support >= core, "a vertex of core number k has k neighbours or more of core number k or more")
    require(np.array(_peeled(core.size, u, v), dtype=np.int64) == core, "peeling takes every vertex at its core number")


def _neighbours(graph: Graph) -> tuple[Array, Array]:
    """Both ends of every edge, seen from both; of a directed graph, a pair may be there in both directions."""
    u, v = arcs(graph)
    keys = np.unique((u * graph.num_vertices + v)[u != v])
    u, v = np.divmod(keys, max(1, graph.num_vertices))
    return (np.concatenate((u, v)), np.concatenate((v, u))) if graph.directed else (u, v)


def _peeled(num_vertices: int, u: Array, v: Array) -> list[int]:
    """The core numbers by taking away one vertex at a time, one with the fewest neighbours left."""
    order = np.argsort(u, kind="stable")
    offsets = np.searchsorted(u[order], np.arange(num_vertices + 1)).tolist()
    neighbours = v[order].tolist()
    degree = np.bincount(u, minlength=num_vertices).tolist()
    core = [-1] * num_vertices
    waiting: list[list[int]] = [[] for _ in range(max(degree, default=-1) + 1)]
    for vertex, number in enumerate(degree):
        waiting[number].append(vertex)
    for k, ready in enumerate(waiting):
        while ready:
            vertex = ready.pop()
            if core[vertex] >= 0:
                continue
            core[vertex] = k
            for other in neighbours[offsets[vertex] : offsets[vertex + 1]]:
                if degree[other] > k:
                    degree[other] -= 1
                    waiting[degree[other]].append(other)
    return core
