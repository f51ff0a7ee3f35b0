"""Shortest paths from one vertex, with negative weights allowed."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.paths.weights import check_sums, weights_of
from clew.algorithms.registry import algorithm, run
from clew.checks import counted
from clew.dtypes import Array
from clew.errors import GraphError, NegativeCycleError
from clew.graph import Graph
from clew.names import shown
from clew.result import Result

SHOWN = 12  # vertices of a cycle in a message


@algorithm(needs=("weights",), distributed=True, packed=("cuda",), packed_slowdown=(1.07, 1.3), paired=True)
def bellman_ford(graph: Graph, source: Any = 0, *, deterministic: bool = False, device: str = "auto") -> Result:
    """Single-source shortest paths with negative weights allowed (Bellman-Ford).

    If no weight is negative, ``clew.sssp`` computes the same distances faster.

    Parameters
    ----------
    graph
        Directed or undirected, with weights of any dtype. Edges of infinite weight are ignored.
    source
        The name of the vertex to start at.
    deterministic
        Choose the same parents in every run and on every engine: the breadth-first tree over the shortest paths, with
        the smallest of several parents. Without it, parents may differ from run to run with more than one thread.
        Distances never do. It costs one more pass, which is single-threaded on a CPU.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``distance``, ``parent``, ``reached`` and ``num_reached`` as in ``clew.sssp``. The trace has ``frontier``,
        ``edges``, ``bytes`` and ``seconds``.

    Raises
    ------
    NegativeCycleError
        If a negative cycle is reachable from the source. ``cycle`` lists the names of its vertices. An undirected edge
        of negative weight is a negative cycle by itself. With floats, a cycle that sums to 0 except for rounding may be
        reported as negative.
    GraphError
        If weights are missing, NaN or -inf, or are integers so large that a sum might not fit in int64.

    Notes
    -----
    Time O(n m) in the worst case, usually a few times O(n + m). Memory: 21 or 25 bytes per vertex besides the graph.

    References
    ----------
    R. Bellman: "On a routing problem", Quarterly of Applied Mathematics 16, 1958.
    B. V. Cherkassky, A. V. Goldberg: "Negative-cycle detection algorithms", Mathematical Programming 85, 1999.

    Examples
    --------
    >>> import clew
    >>> g = clew.Graph.from_edges([0, 0, 1], [1, 2, 2], [4, 3, -2])
    >>> clew.bellman_ford(g, 0).distance.tolist()
    [0, 4, 2]
    """
    start = graph.vertex(source)
    weights = weights_of(graph, algorithm="bellman_ford", negative=True)
    if weights.dtype.kind == "f" and np.isneginf(weights).any():
        raise GraphError("a weight is -inf; bellman_ford needs larger weights. Drop or replace those edges first.")
    # Until a cycle is noticed, every vertex may be relaxed three times more than a shortest path needs.
    check_sums(weights, graph.num_vertices, margin=4)
    return run("bellman_ford", graph, device, source=start, deterministic=deterministic)


def cycle_through(vertex: int, parent: Array) -> list[int]:
    """The cycle of parents through ``vertex``, in the order of its edges, starting at its smallest vertex."""
    backwards = [vertex]
    while (above := int(parent[backwards[-1]])) != vertex:
        backwards.append(above)
    cycle = backwards[::-1]
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]


def negative_cycle(graph: Graph, vertices: list[int]) -> NegativeCycleError:
    """The error that names a negative cycle."""
    path = shown(graph.names, *vertices[:SHOWN], *vertices[: len(vertices) <= SHOWN])
    problem = (
        f"a negative cycle of {counted(len(vertices), 'edge')} is reachable, so shortest paths do not exist: {path}"
        f"{' -> …' if len(vertices) > SHOWN else ''}."
    )
    cycle = [graph.name(vertex) for vertex in vertices]
    if graph.directed:
        return NegativeCycleError(f"{problem} Remove or reweight one of its edges.", cycle)
    return NegativeCycleError(
        f"{problem} In an undirected graph, every negative edge is a negative cycle.",
        cycle,
        remedy="Make the graph directed, or make the weights 0 or more.",
        option="Read the file with --directed, or make the weights 0 or more.",
    )
