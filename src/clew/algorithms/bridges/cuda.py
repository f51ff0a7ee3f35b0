"""Bridges on a GPU: blocks of one edge."""

from __future__ import annotations

import numpy as np

from clew.algorithms.biconnectivity.cuda import components, label_space, space
from clew.algorithms.registry import Answer
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace, result


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    return space(graph, bridge=result(graph.num_edges, np.bool_, later=True), **label_space(graph))


def bridges(device: Device, graph: Graph) -> Answer:
    """The edges whose removal disconnects their ends; see ``clew.bridges``."""
    number, sizes = components(device, graph)
    single = device.xp.append(sizes == 1, device.xp.zeros(1, np.bool_))  # and of loops, whose number is -1
    bridge = single[number]
    return Answer({"bridge": bridge}, {"count": int(bridge.sum())})
