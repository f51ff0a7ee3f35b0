"""Random walks on a GPU: memory for the kernel. The walks are those of the CPU."""

from __future__ import annotations

import numpy as np

from clew.algorithms.random_walks import Walks, cpu
from clew.algorithms.registry import Answer
from clew.engines.cuda.balance.launches import launch_over
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace


def workspace(graph: Graph, num_walks: int, length: int, weighted: bool = False) -> Workspace:
    """The walks and, with weights, their sums along rows, which the CPU adds up."""
    return cpu.workspace(graph, num_walks, length, weighted)


def random_walks(device: Device, graph: Graph, given: Walks) -> Answer:
    """Walks; see ``clew.random_walks``."""
    number = given.starts.size
    found = workspace(graph, number, given.length, given.weighted).allocate(device).walk
    if not number:
        return Answer({"walk": found})
    rows = rows_on(device, graph.outgoing, weights=False)
    sums = device.upload(cpu.sums_of(graph.outgoing) if given.weighted else np.zeros(1))
    defines = {**rows.defines, "WEIGHTED": int(given.weighted), "SECOND": int((given.p, given.q) != (1.0, 1.0))}
    biases = np.float64(1 / given.p), np.float64(1 / given.q)
    used = (rows.offsets, rows.neighbours, sums, device.upload(given.starts), np.uint64(number), given.key)
    launch_over(device, "walks.cuh", "walk", defines, number, *used, np.uint64(given.length), *biases, found)
    return Answer({"walk": found})
