"""Harmonic centrality."""

from __future__ import annotations

from collections.abc import Iterable

from clew.algorithms.distances import check_lengths, samples_of
from clew.algorithms.registry import algorithm, run
from clew.graph import Graph
from clew.names import Name
from clew.result import Result


@algorithm(distributed=True)
def harmonic(
    graph: Graph,
    *,
    weighted: bool = False,
    normalized: bool = True,
    samples: int | Iterable[Name] | None = None,
    seed: int = 0,
    device: str = "auto",
) -> Result:
    """Harmonic centrality: the mean inverse distance of each vertex from all others.

    A vertex that cannot be reached from another one has an inverse distance of 0 from it.

    Parameters
    ----------
    graph
        Directed or undirected. In a directed graph, distances are those to the vertex. Use ``graph.reversed()`` for
        distances from it.
    weighted
        Use the weights as the lengths of edges: 0 or more. By default every edge counts 1.
    normalized
        Divide by the number of other vertices. NetworkX does not.
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
    P. Boldi, S. Vigna: "Axioms for centrality", Internet Mathematics 10, 2014.
    D. Eppstein, J. Wang: "Fast approximation of centrality", SODA 2001.

    Examples
    --------
    >>> import clew
    >>> clew.harmonic(clew.generate.path(3)).centrality.round(3).tolist()
    [0.75, 1.0, 0.75]
    """
    check_lengths(graph, "harmonic", weighted=weighted)
    options = {"weighted": weighted, "normalized": normalized}
    return run("harmonic", graph, device, sources=samples_of(graph, samples, seed), **options)
