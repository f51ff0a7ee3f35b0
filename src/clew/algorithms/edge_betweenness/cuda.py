"""Edge betweenness on a GPU: searches by the whole grid, which add to the scores of edges on their way back."""

from __future__ import annotations

import numpy as np

from clew.algorithms.betweenness import with_lengths
from clew.algorithms.betweenness.cpu import LARGE
from clew.algorithms.betweenness.cuda import BIG_ROW, Searches, distinct_rows, length_space, search_space, with_sums
from clew.algorithms.edge_betweenness import cpu, summary
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph, weighted: bool = False) -> Workspace:
    """The arrays of a run."""
    n, arcs = graph.num_vertices, graph.num_arcs
    search = length_space(graph) if weighted else search_space(n, arcs, graph.outgoing.id_dtype, graph.directed)
    return Workspace(
        centrality=result(graph.num_edges, np.float64, later=True),
        score=scratch(graph.num_arcs, np.float64, 0),
        **search.deferred(),
    )


def edge_betweenness(
    device: Device,
    graph: Graph,
    sources: Array,
    scale: float,
    weighted: bool,
    *,
    large: float = LARGE,
    **constants: int,
) -> Answer:
    """The dependencies on every edge, scaled.

    ``constants`` (BIG_ROW, SHORT_ROW, NARROW) replace those of the kernel.
    """
    rows, into = distinct_rows(device, with_sums(graph) if weighted else graph, weighted=weighted)
    score = workspace(graph, weighted).allocate(device).score[: rows.num_arcs]

    def wide(failed: Array) -> None:
        if failed.size:
            work = cpu.workspace(graph, failed.size).allocate()
            lengths = with_lengths(Graph(rows), weighted=weighted).outgoing
            score[...] += device.upload(cpu.scores(lengths, failed, work))

    if sources.size:
        search = Searches(device, rows, into, large, {"BIG_ROW": BIG_ROW, "EDGES": 1, **constants}, weighted=weighted)
        if weighted:
            wide(search.run_by_length(sources, score))
        else:
            search.run(sources, score, wide)
    found = summary(graph, sources, Graph(rows), device.download(score) * scale, weighted=weighted)
    return Answer({"centrality": device.upload(found.centrality)}, found.facts, iterations=sources.size)
