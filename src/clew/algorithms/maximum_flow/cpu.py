"""Maximum flow on the CPU."""

from __future__ import annotations

import numpy as np

from clew.algorithms.flows import cpu
from clew.algorithms.registry import Answer
from clew.graph import Graph
from clew.workspace import Workspace, result


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    return cpu.space(graph, flow=result(graph.num_edges, np.int64, later=True))


def maximum_flow(graph: Graph, source: int, sink: int) -> Answer:
    """As much as the edges can carry; see ``clew.maximum_flow``."""
    found = cpu.maximum_flow(graph, source, sink)
    return Answer({"flow": found.flow}, {"value": found.value}, iterations=max(1, found.phases))
