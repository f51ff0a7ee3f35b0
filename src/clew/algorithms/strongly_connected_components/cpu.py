"""Strongly connected components on the CPU: of a large graph the largest first, by all threads, then the others."""

from __future__ import annotations

import numpy as np

from clew.algorithms.bfs.cpu import bfs
from clew.algorithms.connected_components.cpu import connected_components, measured
from clew.algorithms.registry import Answer
from clew.dtypes import Array, as_bits
from clew.graph import Graph

SEARCHED_FIRST = 1 << 21  # arcs; from here on two searches and the in-edges they need are paid back


def strongly_connected_components(graph: Graph) -> Answer:
    """Components along the edges' directions; of an undirected graph, the connected components."""
    if not graph.directed:
        return connected_components(graph)
    from clew.algorithms.strongly_connected_components import kernels

    n = graph.num_vertices
    indptr, indices = graph.outgoing.unsigned()
    label = np.empty(n, dtype=graph.indices.dtype)
    reach, stack = np.zeros(n, dtype=indices.dtype), np.empty(n, dtype=indices.dtype)
    if graph.num_arcs > SEARCHED_FIRST:
        inside = _around_the_busiest(graph)
        label[inside] = np.argmax(inside)
        reach[inside] = n + 1
    kernels.strong_components(indptr, indices, reach, stack, np.empty(n, dtype=indptr.dtype), as_bits(label))
    return measured(label)


def _around_the_busiest(graph: Graph) -> Array:
    """Which vertices are in the component of the vertex with most edges both in and out: what it reaches and is reached
    from. Where there is one large component, as most large graphs have, this is it.
    """
    busiest = int(np.argmax(np.minimum(graph.outgoing.degrees(), graph.incoming.degrees())))
    inside: Array = bfs(graph, busiest).depth >= 0
    inside &= bfs(graph.reversed(), busiest).depth >= 0
    return inside
