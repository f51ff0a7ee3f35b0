"""Minimum cut on the CPU, from a maximum flow."""

from __future__ import annotations

import numpy as np

from clew.algorithms.flows import cpu
from clew.algorithms.registry import Answer
from clew.graph import Graph
from clew.workspace import Workspace, result


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    return cpu.space(graph, side=result(graph.num_vertices, np.bool_, later=True))


def minimum_cut(graph: Graph, source: int, sink: int) -> Answer:
    """The edges of least weight that separate two vertices; see ``clew.minimum_cut``."""
    return answer(graph, cpu.maximum_flow(graph, source, sink))


def answer(graph: Graph, found: cpu.Flow) -> Answer:
    """The answer, from a maximum flow."""
    first, second, _ = graph.edges()
    cut = found.side[first] & ~found.side[second]
    if not graph.directed:
        cut |= found.side[second] & ~found.side[first]
    facts = {"value": found.value, "cut": cut, "flow": found.flow}
    return Answer({"side": found.side}, facts, iterations=max(1, found.phases))
