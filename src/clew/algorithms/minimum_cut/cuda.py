"""Minimum cut on a GPU, from a maximum flow."""

from __future__ import annotations

import numpy as np

from clew.algorithms.flows import cuda
from clew.algorithms.minimum_cut.cpu import answer
from clew.algorithms.registry import Answer
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace, result


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    return cuda.space(graph, side=result(graph.num_vertices, np.bool_, later=True))


def minimum_cut(device: Device, graph: Graph, source: int, sink: int) -> Answer:
    """The edges of least weight that separate two vertices; see ``clew.minimum_cut``."""
    found = answer(graph, cuda.maximum_flow(device, graph, source, sink))
    return Answer({"side": device.upload(found.side)}, found.facts, iterations=found.iterations)
