"""The most similar vertices on the CPU: every thread adds up what one vertex shares with all others."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.algorithms.most_similar import summary
from clew.algorithms.registry import Answer
from clew.algorithms.similarity import METHODS, kernels
from clew.algorithms.similarity.cpu import counts_of
from clew.engines.base import check_available
from clew.engines.cpu import team
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph, k: int) -> Workspace:
    """The lists, and what threads add up."""
    n, members = graph.num_vertices, threads.count()
    return Workspace(
        score=result((n, k), np.float64, 0),
        similar=result((n, k), graph.indices.dtype, -1),
        totals=scratch((members, n), np.float64, later=True),
        near=scratch((members, n), graph.indices.dtype, later=True),
    )


def most_similar(graph: Graph, k: int, method: str) -> Answer:
    """The best others of every vertex; see ``clew.most_similar``."""
    space = workspace(graph, k)
    needed = sum(each.nbytes for _, each in space if each.role == "result")
    check_available(needed, f"a table of {k:,} others of every vertex", "pass a smaller k")
    work = space.allocate()
    back = graph.incoming.unsigned() if graph.directed else graph.outgoing.unsigned()
    given = (graph.outgoing.unsigned(), back, METHODS.index(method), *counts_of(graph, method))
    members = min(threads.count(), max(1, graph.num_vertices // kernels.BLOCK))
    size = int(graph.degrees("in").astype(np.float64) @ graph.degrees("in")) + graph.num_arcs
    team.take(kernels.best_of_all, members, graph.num_vertices, size, *given, work.similar, work.score)
    return summary(work.similar, work.score)
