"""Topological order on the CPU."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.topological_order import kernels, ordered
from clew.dtypes import as_bits
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    n = graph.num_vertices
    return Workspace(
        position=result(n, np.int64, later=True),
        generation=result(n, np.int64, -1),
        order=scratch(n, np.int64, later=True),
        waiting=scratch(n, np.int64, later=True),
        queue=scratch(n, graph.indices.dtype),
        starts=scratch(n + 1, np.int64),
    )


def topological_order(graph: Graph) -> Answer:
    """Every edge leads to a later vertex; see ``clew.topological_order``."""
    work = workspace(graph).allocate()
    waiting, starts = graph.degrees("in").copy(), work.starts
    count = int(kernels.generations(*graph.outgoing.unsigned(), waiting, as_bits(work.queue), starts))
    work.generation[work.queue[: starts[count]]] = np.repeat(np.arange(count), np.diff(starts[: count + 1]))
    return ordered(graph, work.generation)
