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


def answer(graph: Graph, flow: cpu.Flow) -> Answer:
    """The answer, from a maximum flow."""
    first, second, _ = graph.edges()
    cut = flow.side[first] & ~flow.side[second]
    if not graph.directed:
        cut |= flow.side[second] & ~flow.side[first]
    facts = {"value": flow.value, "cut": cut, "flow": flow.flow}
    return Answer({"side": flow.side}, facts, iterations=max(1, flow.phases))
