"""Distances between all vertices."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from clew.algorithms.paths.weights import weights_of
from clew.algorithms.registry import Answer, algorithm, run
from clew.checks import one_of
from clew.dtypes import is_on_gpu
from clew.errors import GraphError
from clew.graph import Graph
from clew.names import shown
from clew.operators import monoids
from clew.result import Result

Method = Literal["auto", "floyd_warshall", "sparse"]
FOR_NEGATIVE = ('method="floyd_warshall"', "--method floyd_warshall")


@algorithm(generic="generic", cpu="cpu", cuda="cuda", check="check", size=lambda graph: graph.num_vertices**2)
def all_pairs(graph: Graph, *, method: Method = "auto", device: str = "auto") -> Result:
    """The length of a shortest path from every vertex to every other.

    Parameters
    ----------
    graph
        Directed or not, for small graphs: the answer has a number for every pair. Without weights every edge counts 1.
        Weights may be negative (then Floyd-Warshall is the method) as long as no cycle is; in an undirected graph, a
        negative edge is such a cycle, to and fro.
    method
        "floyd_warshall", whose time does not depend on the number of edges; "sparse": a search from every vertex; or
        "auto": what is likely to be faster.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``distance``: a row per source and a column per target; with float32 or float64 weights of their type and inf
        where there is no path, else int64 and its maximum, 2**63 - 1, where there is none; ``reached``: a mask that
        is False there; ``method``: the one used.

    Notes
    -----
    4 or 8 bytes for every pair; refused with a ``ResourceError`` where there is less memory. Floyd-Warshall takes time
    O(n³), in tiles that stay in the cache, and is exact for integers as long as no path is longer than 2**53. Searches
    take O(n m log n), and without weights O(n m / 64) or little more. The number of threads does not matter.

    On a GPU, Floyd-Warshall is the method for far larger graphs, in 32-bit integers where those hold all sums (then
    with 4 more bytes for every pair); searches are the CPU's, and their result is in host memory.

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
            raise GraphError("a weight is -inf; all_pairs needs weights above that. Drop or replace those edges first.")
    return run("all_pairs", graph, device, method=method)


def summary(graph: Graph, distance: Any, method: str) -> Answer:
    """The answer, from the matrix of distances; a negative cycle, which leaves no path the shortest, is refused."""
    diagonal = distance.diagonal()
    below = np.flatnonzero((diagonal.get() if is_on_gpu(diagonal) else diagonal) < 0)
    if below.size:
        raise GraphError(
            f"a cycle of negative weight leads through vertex {shown(graph.names, below[0])}, so no path is the "
            "shortest; remove the cycle or make its weights larger."
        )
    unreached = monoids.min.identity(distance.dtype)
    return Answer({"distance": distance}, {"method": method}, unreached=unreached)
