"""Biconnected components on a GPU."""

from __future__ import annotations

import numpy as np

from clew.algorithms.biconnectivity.cuda import components, label_space, space
from clew.algorithms.registry import Answer
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace, result


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    return space(graph, component=result(graph.num_edges, np.int64, later=True), **label_space(graph))


def biconnected_components(device: Device, graph: Graph) -> Answer:
    """Sets of edges that no vertex disconnects; see ``clew.biconnected_components``."""
    number, sizes = components(device, graph)
    host = device.download(sizes)
    facts = {"count": host.size, "sizes": host, "largest": int(host.max(initial=0))}
    return Answer({"component": number}, facts, unreached=-1)
