"""Betweenness centrality of edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from clew import threads
from clew.algorithms.betweenness import check_positive
from clew.algorithms.distances import samples_of
from clew.algorithms.registry import Answer, algorithm, run
from clew.build.rows import blocks_of
from clew.dtypes import Array
from clew.edge_result import EdgeResult
from clew.graph import Graph
from clew.names import Name, called

#: Stored edges per vertex from which a GPU is faster without weights. The levels of meshes are too small for it.
EDGES_FOR_A_GPU = 8


def stays_on_cpu(graph: Graph, arguments: Mapping[str, Any]) -> bool:
    """Whether the CPU is faster: it is on meshes without weights."""
    return not arguments.get("weighted") and graph.num_arcs < EDGES_FOR_A_GPU * graph.num_vertices


@algorithm(per_edge=True, stays_on_cpu=stays_on_cpu)
def edge_betweenness(
    graph: Graph,
    *,
    weighted: bool = False,
    samples: int | Iterable[Name] | None = None,
    normalized: bool = True,
    seed: int = 0,
    device: str = "auto",
) -> EdgeResult:
    """Edge betweenness centrality: the share of shortest paths that use each edge.

    It is the sum over all pairs s, t of vertices of the fraction of shortest s-t paths that use the edge. Pairs are
    ordered in a directed graph, and unordered in an undirected one.

    Parameters
    ----------
    graph
        Directed or undirected. Self-loops have 0. Parallel edges share their score equally; with weights, only the
        shortest of them do.
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
        "auto", "cpu" or "cuda". Without weights, "auto" means the CPU below 8 stored edges per vertex.

    Returns
    -------
    EdgeResult
        ``centrality`` (float64) in the order of ``graph.edges()``, and ``sources`` (the names of the vertices that
        paths start at).

    Notes
    -----
    Time O(n + m) per source, or O(m log n) with weights. Every thread searches on its own. Memory: 36 bytes per vertex
    and search, and 8 bytes per edge. The result is bit-identical for any number of threads. On a GPU, all blocks share
    one search at a time, and every run is bit-identical.

    References
    ----------
    U. Brandes: "On variants of shortest-path betweenness centrality and their generic computation", Social Networks 30
    (2), 2008.

    Examples
    --------
    >>> import clew
    >>> found = clew.edge_betweenness(clew.Graph.from_edges(["a", "b", "c"], ["b", "c", "d"], directed=False))
    >>> found.centrality.round(3).tolist()
    [0.5, 0.667, 0.5]
    >>> found.top(1, "centrality")[0][0]
    ('b', 'c')
    """
    check_positive(graph, "edge_betweenness", weighted=weighted)
    sources, n = samples_of(graph, samples, seed), graph.num_vertices
    scale = 1 / (sources.size * (n - 1)) if normalized and n > 1 else n / max(1, sources.size)
    if not graph.directed and not normalized:
        scale /= 2
    found = run("edge_betweenness", graph, device, sources=sources, scale=scale, weighted=weighted)
    assert isinstance(found, EdgeResult)
    return found


def summary(graph: Graph, sources: Array, simple: Graph, score: Array, *, weighted: bool) -> Answer:
    """The answer, from the scores of all arcs of a graph that has the shortest of parallel edges alone."""
    from clew.algorithms.betweenness import kernels_lengths as kernels

    rows, bounds, firsts = graph.outgoing.plain(), blocks_of(graph.outgoing), None
    if not graph.directed:
        counts = np.zeros(graph.num_vertices + 1, np.int64)
        threads.each(kernels.count_edges, bounds.size - 1, bounds, rows.unsigned(), counts[1:])
        firsts = np.cumsum(counts)
    lengths, shortest = (rows.weights, simple.weights) if weighted and rows.weights is not None else (None, None)
    total = np.empty(graph.num_edges)
    given = (rows.unsigned(), lengths, firsts, simple.outgoing.unsigned(), shortest, score, total)
    threads.each(kernels.share_out, bounds.size - 1, bounds, *given)
    return Answer({"centrality": total}, {"sources": called(graph.names, sources)}, iterations=sources.size)
