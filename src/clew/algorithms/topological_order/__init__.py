"""Topological order."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer, algorithm, run
from clew.checks import counted
from clew.dtypes import Array
from clew.errors import CycleError
from clew.graph import Graph
from clew.names import called, shown
from clew.result import Result

MOST_SHOWN = 10  # vertices of a cycle that the error lists


@algorithm(distributed=True, stays_on_cpu=True)  # a GPU takes 3 µs per generation, and a path has one per vertex
def topological_order(graph: Graph, *, device: str = "auto") -> Result:
    """Topological order: every edge leads from a vertex to a later one.

    Vertices are ordered by generation, and within a generation as in the graph, so the result is unique.

    Parameters
    ----------
    graph
        A directed graph without cycles. Weights are ignored.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``position`` of each vertex in the order, from 0. ``generation``: the number of edges on the longest path to it.
        ``order``: the ids of all vertices in their order. ``generations``: the number of generations.

    Raises
    ------
    CycleError
        If there is a cycle. ``cycle`` has the names of the vertices on one.

    Notes
    -----
    Time O(n + m), on one thread. Memory: 45 bytes per vertex. On a GPU, vertices are freed in waves, and long paths are
    followed by one thread. The CPU is faster for graphs that are little more than one path.

    References
    ----------
    A. B. Kahn: "Topological sorting of large networks", CACM 5, 1962.

    Examples
    --------
    >>> import clew
    >>> g = clew.Graph.from_edges(["shirt", "socks", "trousers"], ["tie", "shoes", "shoes"])
    >>> order = clew.topological_order(g)
    >>> g.names[order.order]
    ['shirt', 'socks', 'trousers', 'tie', 'shoes']
    """
    return run("topological_order", graph, device)


def ordered(graph: Graph, generation: Array) -> Answer:
    """The answer, from the generation of every vertex; -1 for those on a cycle or behind one, which are refused."""
    if (generation < 0).any():
        cycle = _cycle(graph, generation < 0)
        some = shown(graph.names, *cycle[:MOST_SHOWN], *(cycle[:1] if cycle.size <= MOST_SHOWN else ()))
        remedy = "{} makes one vertex of all that are on a cycle."
        if not graph.directed:
            remedy = "Edges of an undirected graph lead in both directions: use a directed graph."
        raise CycleError(
            f"a topological order needs a graph without cycles, and {some}{' -> …' * (cycle.size > MOST_SHOWN)} "
            f"is a cycle of {counted(cycle.size, 'edge')}.",
            called(graph.names, cycle).tolist(),
            remedy=remedy.format("clew.condensation"),
            option=remedy.format("`clew run condensation`"),
        )
    order = np.argsort(generation, kind="stable")
    position = np.empty_like(order)
    position[order] = np.arange(order.size)
    count = int(generation.max(initial=-1)) + 1
    facts = {"order": order, "generations": count}
    return Answer({"position": position, "generation": generation}, facts, iterations=max(1, count))


def _cycle(graph: Graph, left: Array) -> Array:
    """The vertices of a cycle, in the order of edges; all that are left have an edge from another one of them."""
    source = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    inner = left[source] & left[graph.indices]
    before = np.full(graph.num_vertices, -1)
    before[graph.indices[inner]] = source[inner]
    path, vertex = dict[int, None](), int(np.flatnonzero(left)[0])
    while vertex not in path:
        path[vertex] = None
        vertex = int(before[vertex])
    backwards = list(path)
    cycle = np.array(backwards[backwards.index(vertex) :][::-1])
    return np.roll(cycle, -int(cycle.argmin()))
