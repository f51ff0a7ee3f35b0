"""Betweenness centrality."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.algorithms.distances import check_lengths, samples_of
from clew.algorithms.registry import Answer, algorithm, run
from clew.errors import GraphError
from clew.graph import Graph
from clew.names import Name, called
from clew.result import Result


@algorithm(needs=("in_edges",), distributed=True)
def betweenness(
    graph: Graph,
    *,
    weighted: bool = False,
    samples: int | Iterable[Name] | None = None,
    normalized: bool = True,
    seed: int = 0,
    device: str = "auto",
) -> Result:
    """Betweenness centrality: the share of shortest paths that pass through each vertex.

    For vertex v, it is the sum over all pairs s, t of other vertices of the fraction of shortest s-t paths through v.
    Pairs are ordered in a directed graph, and unordered in an undirected one.

    Parameters
    ----------
    graph
        Directed or undirected. Self-loops are ignored. Duplicate edges count once: the shortest of them.
    weighted
        Use the weights as the lengths of edges: above 0. By default every edge counts 1.
    samples
        Use only paths from this many random vertices. A list of names selects the vertices instead. The result is
        then scaled to estimate the exact one. By default all vertices are used, and the result is exact.
    normalized
        Divide by the number of pairs, so that the maximum is 1.
    seed
        Selects the random vertices if ``samples`` is a number.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``centrality`` (float64) and ``sources`` (the names of the vertices that paths start at). With a single
        sample, there is no estimate for that vertex itself: it gets NaN, as in NetworkX.

    Notes
    -----
    Time O(n + m) per source. Every edge is read twice, or three times in a directed graph, which needs its in-edges.
    Memory: up to 32 bytes per vertex and thread. The result is bit-identical for any number of threads.

    On a GPU with many sources, every source gets its own block. That takes 30 bytes per vertex each, 8 GiB at most.
    With few sources, all blocks share one search at a time. Every run on the same GPU gives bit-identical results.

    Weighted searches take O(m log n) per source, one thread each, and 36 bytes per vertex and search. On a GPU, all
    blocks share one of them at a time. Edges too short to change a rounded distance are on no shortest path.

    Shortest paths are counted in floating point. The counts are scaled by powers of two if they exceed 1.8e308, as in a
    grid of 1,000 rows and columns.

    References
    ----------
    U. Brandes: "A faster algorithm for betweenness centrality", Journal of Mathematical Sociology 25 (2001).
    U. Brandes, C. Pich: "Centrality estimation in large networks", Int. Journal of Bifurcation and Chaos 17 (2007).

    Examples
    --------
    >>> import clew
    >>> clew.betweenness(clew.generate.path(4), normalized=False).centrality.tolist()
    [0.0, 2.0, 2.0, 0.0]
    """
    check_positive(graph, "betweenness", weighted=weighted)
    sources = samples_of(graph, samples, seed)
    scale = _scale(graph, sources, normalized)
    return run("betweenness", graph, device, sources=sources, scale=scale, weighted=weighted)


def check_positive(graph: Graph, algorithm: str, *, weighted: bool) -> None:
    """With ``weighted``, reject weights by which shortest paths cannot be counted."""
    check_lengths(graph, algorithm, weighted=weighted)
    if not weighted or graph.weights is None or not graph.weights.size:
        return
    if graph.weights.min() <= 0:
        raise GraphError(
            f"the smallest weight is {graph.weights.min():g}; {algorithm}(weighted=True) needs weights above 0, as "
            "shortest paths over edges of length 0 cannot be counted.",
            remedy="Drop or replace those edges first.",
            option="Use other weights, such as --weights random:1:255.",
        )
    from clew.algorithms.all_pairs.cpu import EXACT, longest

    if graph.weights.dtype.kind != "f" and (limit := longest(graph)) > EXACT:
        raise GraphError(
            f"paths may be up to {limit:,} long, and {algorithm}(weighted=True) is exact up to {EXACT:,}.",
            remedy="Scale the weights down, or make them float64.",
            option="Scale the weights of the file down, or use others, such as --weights random:1:255.",
        )


def with_lengths(graph: Graph, *, weighted: bool) -> Graph:
    """The graph with float64 weights, or without."""
    if not weighted or graph.weights is None:
        return graph.with_weights(None) if graph.weighted else graph
    return graph if graph.weights.dtype == np.float64 else graph.with_weights(graph.weights.astype(np.float64))


def _scale(graph: Graph, sources: npt.NDArray[np.int64], normalized: bool) -> Any:
    """The factor for each vertex's sum.

    A path does not count for its own ends. With k sources, k - 1 count for a vertex that is one of them, and all k for
    any other.
    """
    others = graph.num_vertices - 1
    if others < 2:
        return 1.0
    counted = np.full(graph.num_vertices, sources.size, dtype=np.float64)
    counted[sources] -= 1
    pairs = others - 1 if normalized else 1 / others if graph.directed else 2 / others
    return 1 / np.where(counted > 0, counted * pairs, np.nan)


def summary(graph: Graph, sources: npt.NDArray[np.int64], centrality: Any) -> Answer:
    """The answer, from the scaled sums."""
    return Answer({"centrality": centrality}, {"sources": called(graph.names, sources)})
