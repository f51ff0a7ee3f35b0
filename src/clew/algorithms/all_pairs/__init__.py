"""Distances between all vertices."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from clew.algorithms.paths.weights import weights_of
from clew.algorithms.registry import Answer, algorithm, run
from clew.checks import one_of
from clew.dtypes import Array
from clew.errors import GraphError, NegativeCycleError
from clew.graph import Graph
from clew.names import shown
from clew.operators import monoids
from clew.result import Result

Method = Literal["auto", "floyd_warshall", "sparse"]
FOR_NEGATIVE = ('method="floyd_warshall"', "--method floyd_warshall")


@algorithm(size=lambda graph: graph.num_vertices**2, distributed=True, per_pair=True)
def all_pairs(graph: Graph, *, method: Method = "auto", device: str = "auto") -> Result:
    """All-pairs shortest paths: the distance from every vertex to every other.

    Parameters
    ----------
    graph
        A small graph, directed or undirected: the result has a number for every pair. Without weights every edge counts
        1. Negative weights are allowed, and then require Floyd-Warshall. Negative cycles are not allowed. In an
        undirected graph, a single negative edge is a negative cycle.
    method
        "floyd_warshall", "sparse" (a search from every vertex), or "auto" for the one that is likely to be faster.
        The time of Floyd-Warshall does not depend on the number of edges.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``distance`` has a row per source and a column per target. With float32 or float64 weights it has their dtype,
        and inf where there is no path. Otherwise it is int64, and its maximum, 2**63 - 1, means no path.
        ``reached``: a mask that is False where there is no path. ``method``: the method used.
        ``path_to(name, source)`` follows in-edges.

    Notes
    -----
    The result takes 4 or 8 bytes for every pair. A ``ResourceError`` is raised if that does not fit in memory.
    Floyd-Warshall takes O(n³) time in cache-sized tiles. It is exact for integers while no path is longer than 2**53.
    Searches take O(n m log n) time, or about O(n m / 64) without weights. Results do not depend on the number of
    threads.

    On a GPU, Floyd-Warshall pays off for far larger graphs. It uses 32-bit integers where those hold all sums, which
    takes 4 more bytes for every pair. Searches run on the CPU, and their result is in host memory.

    References
    ----------
    G. Venkataraman, S. Sahni, S. Mukhopadhyaya: "A blocked all-pairs shortest-paths algorithm", JEA 8 (2003).

    Examples
    --------
    >>> import clew
    >>> clew.all_pairs(clew.generate.path(3)).distance.tolist()
    [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    """
    one_of("method", method, get_args(Method))
    if graph.weighted:
        weights = weights_of(graph, algorithm="all_pairs", negative=method != "sparse", instead=FOR_NEGATIVE)
        if np.isneginf(weights).any():
            raise GraphError("a weight is -inf; all_pairs needs larger weights. Drop or replace those edges first.")
    return run("all_pairs", graph, device, method=method)


def summary(graph: Graph, distance: Any, method: str, below: Array | None = None) -> Answer:
    """The answer, from the matrix of distances; raise NegativeCycleError for a negative cycle.

    ``below`` are the vertices whose distance to themselves is negative; by default those of a whole matrix in host
    memory.
    """
    if below is None:
        below = np.flatnonzero(distance.diagonal() < 0)
    if below.size:
        problem = f"vertex {shown(graph.names, below.min())} is on a negative cycle, so shortest paths do not exist."
        raise NegativeCycleError(f"{problem} Remove the cycle, or increase its weights.", [])  # not which cycle it is
    unreached = monoids.min.identity(distance.dtype)
    return Answer({"distance": distance}, {"method": method}, unreached=unreached)
