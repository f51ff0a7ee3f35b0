"""Maximum flow on a GPU."""

from __future__ import annotations

import numpy as np

from clew.algorithms.flows import cuda
from clew.algorithms.registry import Answer
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace, result


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    return cuda.space(graph, flow=result(graph.num_edges, np.int64, later=True))


def maximum_flow(device: Device, graph: Graph, source: int, sink: int) -> Answer:
    """As much as the edges can carry; see ``clew.maximum_flow``."""
    found = cuda.maximum_flow(device, graph, source, sink)
    return Answer({"flow": device.upload(found.flow)}, {"value": found.value}, iterations=found.phases)
