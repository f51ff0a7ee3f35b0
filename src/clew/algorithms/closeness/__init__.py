"""Closeness centrality."""

from __future__ import annotations

from collections.abc import Iterable

from clew.algorithms.distances import check_lengths, samples_of
from clew.algorithms.registry import algorithm, run
from clew.graph import Graph
from clew.names import Name
from clew.result import Result


@algorithm(distributed=True)
def closeness(
    graph: Graph,
    *,
    weighted: bool = False,
    samples: int | Iterable[Name] | None = None,
    seed: int = 0,
    device: str = "auto",
) -> Result:
    """Closeness centrality: how near each vertex is to the vertices that can reach it.

    It is the inverse of their mean distance, times the share of all other vertices that they are.

    Parameters
    ----------
    graph
        Directed or undirected. In a directed graph, distances are those to the vertex. Use ``graph.reversed()`` for
        distances from it.
    weighted
        Use the weights as the lengths of edges: 0 or more. By default every edge counts 1.
    samples
        Use only paths from this many random vertices, which gives an estimate. A list of names selects the vertices
        instead. By default all vertices are used, and the result is exact.
    seed
        Selects the random vertices if ``samples`` is a number.
    device
        "auto", "cpu" or "cuda". "cuda" searches on the GPU, and adds up on the CPU.

    Returns
    -------
    Result
        ``centrality`` (float64, from 0 to 1 without weights) and ``sources`` (the names of the vertices that paths
        start at). With a single sample, there is no estimate for that vertex itself: it gets NaN.

    Notes
    -----
    64 searches share a pass over the edges, O(n + m) per level. With weights, every source takes a search. Memory: up
    to 256 bytes per vertex, or 256 MiB. The result does not depend on the number of threads.

    References
    ----------
    S. Wasserman, K. Faust: "Social network analysis", 1994.
    D. Eppstein, J. Wang: "Fast approximation of centrality", SODA 2001.

    Examples
    --------
    >>> import clew
    >>> clew.closeness(clew.generate.path(3)).centrality.round(3).tolist()
    [0.667, 1.0, 0.667]
    """
    check_lengths(graph, "closeness", weighted=weighted)
    return run("closeness", graph, device, sources=samples_of(graph, samples, seed), weighted=weighted)
