"""Links among the neighbours of every vertex, on a GPU."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.triangles import cuda as triangles
from clew.algorithms.triangles.neighbourhoods import neighbourhoods
from clew.engines.cuda.device import Device
from clew.graph import Graph


def clustering_coefficient(device: Device, graph: Graph) -> Answer:
    """Links among neighbours, an undirected one counted in both directions, over the possible ones."""
    near = neighbourhoods(device, graph, with_times=graph.directed)
    n = graph.num_vertices
    counts = device.zeros(n, np.uint64)
    counted = triangles.LINKS if graph.directed else triangles.COUNTS
    triangles.by_tables(device, near, counted, counts, None)
    links = counts.astype(np.float64) * (1 if graph.directed else 2)
    degrees = near.up.astype(np.float64) + near.down
    possible = degrees * (degrees - 1)
    coefficient = links / device.xp.maximum(possible, 1)
    sums = device.download(device.xp.stack([coefficient.sum(), links.sum(), possible.sum()]))
    transitivity = float(sums[1] / sums[2]) if sums[2] > 0 else 0.0
    return Answer({"coefficient": coefficient}, {"average": float(sums[0]) / max(n, 1), "transitivity": transitivity})
