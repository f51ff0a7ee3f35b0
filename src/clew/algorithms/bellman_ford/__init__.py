"""Shortest paths from one vertex where weights may be negative."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.paths.weights import check_sums, weights_of
from clew.algorithms.registry import algorithm, run
from clew.counts import counted
from clew.errors import GraphError, NegativeCycleError
from clew.graph import Graph
from clew.names import shown
from clew.result import Result

SHOWN = 12  # vertices of a cycle in a message


@algorithm(generic="generic", cpu="cpu", cuda="cuda", check="check", needs=("weights",))
def bellman_ford(graph: Graph, source: Any = 0, *, deterministic: bool = False, device: str = "auto") -> Result:
    """The length of the shortest path from ``source`` to every vertex, over weights that may be negative.

    Where no weight is negative, ``clew.sssp`` gives the same distances faster.

    Parameters
    ----------
    graph
        Directed or not, with weights of any dtype. An infinite weight is an edge that cannot be taken.
    source
        Where to start, by name.
    deterministic
        Choose parents that are the same in every run and on every engine: the breadth-first tree over the shortest
        paths, and the smallest of several parents. Without it, parents may differ from run to run with more than one
        thread; distances never do. Costs one more pass, on a CPU by one thread.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``distance``, ``parent``, ``reached`` and ``num_reached`` as of ``clew.sssp``; the trace has ``frontier``,
        ``edges``, ``bytes`` and ``seconds``.

    Raises
    ------
    NegativeCycleError
        If a cycle with a negative sum can be reached: there is no shortest path then. Its ``cycle`` lists the names of
        the vertices. An undirected edge of negative weight is such a cycle by itself, there and back. Floats that add
        up to 0 along a cycle but for rounding may be taken for a negative cycle.
    GraphError
        For weights that are missing, NaN or -inf, and for integers so large that a sum might not fit int64.

    Notes
    -----
    Time O(n m) at worst, usually a few times O(n + m); 21 or 25 bytes a vertex beside the graph.

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
        raise GraphError("a weight is -inf; bellman_ford needs numbers above that. Drop or replace those edges first.")
    # Until a cycle is noticed, every vertex may be relaxed three times more than a shortest path needs.
    check_sums(weights, graph.num_vertices, margin=4)
    return run("bellman_ford", graph, device, source=start, deterministic=deterministic)


def negative_cycle(graph: Graph, vertices: list[int]) -> NegativeCycleError:
    """The error that names a negative cycle."""
    told = shown(graph.names, *vertices[:SHOWN], *vertices[: len(vertices) <= SHOWN])
    problem = (
        f"there is no shortest path: a cycle of {counted(len(vertices), 'edge')} has a negative sum, {told}"
        f"{' -> …' if len(vertices) > SHOWN else ''}."
    )
    cycle = [graph.name(vertex) for vertex in vertices]
    if graph.directed:
        return NegativeCycleError(f"{problem} Remove or reweight one of its edges.", cycle)
    return NegativeCycleError(
        f"{problem} In an undirected graph every negative edge is one, there and back.",
        cycle,
        remedy="Make the graph directed or the weights 0 or more.",
        option="Read the file with --directed, or make the weights 0 or more.",
    )
