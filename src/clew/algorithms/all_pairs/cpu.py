"""All distances on the CPU: one matrix, by Floyd and Warshall or by a search per vertex."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew import threads
from clew.algorithms.all_pairs import kernels, summary
from clew.algorithms.multi_source_bfs import cpu as multi_source
from clew.algorithms.registry import Answer
from clew.build.rows import blocks_of
from clew.dtypes import Array
from clew.engines.base import check_available
from clew.engines.cpu import team
from clew.engines.cpu.team import kernels as kernels_team
from clew.errors import GraphError
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

EXACT = 2**53  # float64 holds all integers up to here
FAR = np.iinfo(np.int64).max  # the distance, as an integer, to what cannot be reached
# In the time of one search, Floyd-Warshall does this many pairs per vertex and per arc.
PAIRS_PER_VERTEX, PAIRS_PER_ARC = 800, 25


def workspace(graph: Graph, method: str) -> Workspace:
    """The arrays of a run by a method. Floyd-Warshall computes integers as float64, in the memory of the result."""
    n, weights = graph.num_vertices, graph.weights
    number = number_of(graph, method)
    costs = None
    if weights is None and method == "sparse":
        return Workspace(distance=result((n, n), number), **multi_source.search_spaces(graph.outgoing, n))
    if weights is None or weights.dtype != number:
        costs = scratch(graph.num_arcs, number, 1 if weights is None else None)
    matrix = Workspace(distance=result((n, n), number), costs=costs)
    if method == "sparse":
        teams = min(threads.count(), n)
        matrix.spaces["heap"] = scratch((teams, n), graph.indices.dtype, later=True)
        matrix.spaces["place"] = scratch((teams, n), np.int64, later=True)
    return matrix


def number_of(graph: Graph, method: str) -> np.dtype[Any]:
    """The dtype that distances are computed in."""
    if graph.weights is not None and graph.weights.dtype.kind == "f":
        return graph.weights.dtype
    return np.dtype(np.int64 if method == "sparse" else np.float64)


def all_pairs(graph: Graph, method: str) -> Answer:
    """Distances by a method, or by the faster one."""
    chosen = methods(graph)[0] if method == "auto" else method
    return summary(graph, sparse(graph) if chosen == "sparse" else floyd_warshall(graph), chosen)


def methods(graph: Graph) -> list[str]:
    """The methods that can do this graph, the faster one first."""
    weights = graph.weights
    if weights is None:
        return ["sparse", "floyd_warshall"]
    if weights.size and weights.dtype.kind in "if" and weights.min() < 0:
        return ["floyd_warshall"]
    if weights.dtype.kind != "f" and longest(graph) > EXACT:
        return ["sparse"]
    dense = graph.num_vertices**2 < PAIRS_PER_VERTEX * graph.num_vertices + PAIRS_PER_ARC * graph.num_arcs
    return ["floyd_warshall", "sparse"] if dense else ["sparse", "floyd_warshall"]


def floyd_warshall(graph: Graph) -> Array:
    """Distances by Floyd and Warshall; a diagonal below 0 is the mark of a negative cycle.

    Integers are computed as float64, which has infinities and vectors, as long as no path can be too long for it.
    """
    whole = graph.weights is None or graph.weights.dtype.kind != "f"
    check_exact(graph)
    work = _allocated(graph, "floyd_warshall")
    distance: Array = work.distance
    weights = _costs(graph, work.costs)
    tiles = -(-graph.num_vertices // kernels.SIDE)

    def rounds(state: Array) -> tuple[float, float | None]:
        return int(state[int(kernels_team.ROUND)]) // kernels.MEETINGS, tiles

    bounds = blocks_of(graph.outgoing)
    threads.each(kernels.fill, bounds.size - 1, bounds, graph.outgoing.unsigned(), weights, distance)
    team.run(kernels.floyd_warshall, distance.size, distance, shown="Floyd-Warshall", unit="rounds", watch=rounds)
    if not whole or (np.diagonal(distance) < 0).any():
        return distance
    return _as_integers(distance)


def sparse(graph: Graph) -> Array:
    """Distances by a search from every vertex."""
    whole = graph.weights is None or graph.weights.dtype.kind != "f"
    work = _allocated(graph, "sparse")
    distance: Array = work.distance
    if graph.weights is None:
        distance.fill(FAR)
        # Searches against the direction of edges: column i then says how far it is to, not from, vertex i.
        multi_source.search(graph.incoming, graph.outgoing, np.arange(graph.num_vertices), distance, work)
        return distance
    if whole and (limit := longest(graph)) >= FAR:
        raise GraphError(f"paths may be up to {limit:,} long, more than int64 holds; make the weights float64.")
    unreached = distance.dtype.type(FAR if whole else np.inf)
    n = graph.num_vertices
    search = (graph.outgoing.unsigned(), _costs(graph, work.costs), unreached, distance)
    team.take(kernels.dijkstra, min(threads.count(), n), n, n * (graph.num_arcs + n), *search, shown="searching")
    return distance


def check_exact(graph: Graph) -> None:
    """Refuse integers whose sums Floyd-Warshall would round."""
    whole = graph.weights is None or graph.weights.dtype.kind != "f"
    if whole and (limit := longest(graph)) > EXACT:
        raise GraphError(
            f"paths may be up to {limit:,} long, and Floyd-Warshall is exact up to {EXACT:,}.",
            remedy="Use method='sparse' where no weight is negative, or make the weights float64.",
        )


def longest(graph: Graph) -> int:
    """No shortest path is longer than this (weights are integers)."""
    if graph.weights is None or graph.num_arcs == 0:
        return graph.num_vertices
    return max(abs(int(graph.weights.min())), abs(int(graph.weights.max()))) * graph.num_vertices


def _allocated(graph: Graph, method: str) -> Any:
    space, what = workspace(graph, method), f"the table of distances between {graph.num_vertices:,} vertices"
    check_available(sum(each.nbytes for _, each in space if each.role == "result"), what, "take a part of the graph")
    return space.allocate()


def _costs(graph: Graph, converted: Array | None) -> Any:
    """The weights in the dtype of the distances: the graph's own, or ``converted``, which is all 1 without weights."""
    if converted is None:
        return graph.weights
    if graph.weights is not None:
        converted[:] = graph.weights
    return converted


def _as_integers(distance: Array) -> Array:
    """The same distances as int64, in the same memory."""
    integers = distance.view(np.int64)
    for row, values in zip(integers, distance, strict=True):
        far = np.isinf(values)
        values[far] = 0
        row[:] = values
        row[far] = FAR
    return integers
