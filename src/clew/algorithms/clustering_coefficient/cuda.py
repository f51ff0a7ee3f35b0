"""Links among the neighbours of every vertex, on a GPU."""

from __future__ import annotations

import numpy as np

from clew.algorithms.clustering_coefficient import cpu
from clew.algorithms.registry import Answer
from clew.algorithms.triangles import cuda as triangles
from clew.algorithms.triangles.cuda import list_space, neighbourhoods
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph, means: bool = False, weighted: bool = False) -> Workspace:
    """The arrays of a run: those of a count of triangles, and what links are divided by."""
    if means:
        return cpu.workspace(graph, means, weighted)
    n = graph.num_vertices
    return Workspace(
        coefficient=result(n, np.float64, later=True),
        counts=scratch(n, np.uint64, 0),
        links=scratch(n, np.float64, later=True),
        degrees=scratch(n, np.float64, later=True),
        possible=scratch(n, np.float64, later=True),
        **list_space(graph, with_sides=graph.directed).deferred(),
    )


def clustering_coefficient(device: Device, graph: Graph, means: bool = False, weighted: bool = False) -> Answer:
    """Links among neighbours, an undirected one counted in both directions, over the possible ones."""
    if means:
        return cpu.clustering_coefficient(graph, means, weighted)
    near = neighbourhoods(device, graph, with_sides=graph.directed)
    counts = workspace(graph).allocate(device).counts
    counted = triangles.LINKS if graph.directed else triangles.COUNTS
    triangles.by_tables(device, near, counted, counts, None)
    links = counts.astype(np.float64) * (1 if graph.directed else 2)
    degrees = near.up.astype(np.float64) + near.down
    possible = degrees * (degrees - 1)
    coefficient = links / device.xp.maximum(possible, 1)
    sums = device.download(device.xp.stack([coefficient.sum(), links.sum(), possible.sum()]))
    transitivity = float(sums[1] / sums[2]) if sums[2] > 0 else 0.0
    facts = {"average": float(sums[0]) / max(graph.num_vertices, 1), "transitivity": transitivity}
    return Answer({"coefficient": coefficient}, facts)
