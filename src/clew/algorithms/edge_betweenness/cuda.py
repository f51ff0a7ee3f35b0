"""Edge betweenness on a GPU: searches by the whole grid, which add to the scores of edges on their way back."""

from __future__ import annotations

import numpy as np

from clew.algorithms.betweenness.cpu import LARGE
from clew.algorithms.betweenness.cuda import BIG_ROW, Searches, distinct_rows, search_space
from clew.algorithms.edge_betweenness import cpu, summary
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    return Workspace(
        centrality=result(graph.num_edges, np.float64, later=True),
        score=scratch(graph.num_arcs, np.float64, 0),
        **search_space(graph.num_vertices, graph.num_arcs, graph.outgoing.id_dtype, graph.directed).deferred(),
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
    """The dependencies on every edge, scaled; weighted searches are done on the CPU.

    ``constants`` (BIG_ROW, SHORT_ROW, NARROW) replace those of the kernel.
    """
    if weighted:
        return cpu.edge_betweenness(graph, sources, scale, weighted)
    rows, into = distinct_rows(device, graph)
    score = workspace(graph).allocate(device).score[: rows.num_arcs]

    def wide(failed: Array) -> None:
        if failed.size:
            score[...] += device.upload(cpu.scores(rows, failed, cpu.workspace(graph, failed.size).allocate()))

    if sources.size:
        search = Searches(device, rows, into, large, {"BIG_ROW": BIG_ROW, "EDGES": 1, **constants})
        search.run(sources, score, wide)
    found = summary(graph, sources, Graph(rows), device.download(score) * scale, weighted=weighted)
    return Answer({"centrality": device.upload(found.centrality)}, found.facts, iterations=sources.size)
