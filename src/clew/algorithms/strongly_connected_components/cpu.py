"""Strongly connected components on the CPU: of a large graph the largest first, by all threads, then the others."""

from __future__ import annotations

import numpy as np

from clew.algorithms.bfs.cpu import bfs
from clew.algorithms.bfs.cpu import workspace as space_of_search
from clew.algorithms.connected_components import summary
from clew.algorithms.connected_components.cpu import connected_components
from clew.algorithms.connected_components.cpu import workspace as space_of_components
from clew.algorithms.registry import Answer
from clew.algorithms.strongly_connected_components import kernels
from clew.dtypes import Array, as_bits
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

SEARCHED_FIRST = 1 << 21  # arcs; from here on two searches and the in-edges they need are paid back


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run. For a large graph, also those of one search; two searches run one after the other."""
    if not graph.directed:
        return space_of_components(graph)
    n, ids, first = graph.num_vertices, graph.indices.dtype, graph.num_arcs > SEARCHED_FIRST
    return Workspace(
        label=result(n, ids),
        reach=scratch(n, f"u{ids.itemsize}", 0),
        stack=scratch(n, f"u{ids.itemsize}"),
        places=scratch(n, f"u{graph.indptr.itemsize}"),
        search=scratch(space_of_search(graph).nbytes, np.uint8, later=True) if first else None,
        inside=scratch(n, np.bool_, later=True) if first else None,
    )


def strongly_connected_components(graph: Graph) -> Answer:
    """Components along the edges' directions; of an undirected graph, the connected components."""
    if not graph.directed:
        return connected_components(graph)
    work = workspace(graph).allocate()
    label, reach = work.label, work.reach
    if graph.num_arcs > SEARCHED_FIRST:
        inside = _around_the_busiest(graph)
        label[inside] = np.argmax(inside)
        reach[inside] = graph.num_vertices + 1
    kernels.strong_components(*graph.outgoing.unsigned(), reach, work.stack, work.places, as_bits(label))
    return summary(label)


def _around_the_busiest(graph: Graph) -> Array:
    """Which vertices are in the component of the vertex with most edges both in and out: what it reaches and is reached
    from. Where there is one large component, as most large graphs have, this is it.
    """
    busiest = int(np.argmax(np.minimum(graph.outgoing.degrees(), graph.incoming.degrees())))
    inside: Array = bfs(graph, busiest).depth >= 0
    inside &= bfs(graph.reversed(), busiest).depth >= 0
    return inside
