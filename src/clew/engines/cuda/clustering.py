"""Links among the neighbours of every vertex, on a GPU."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clew.engines.cuda import triangles
from clew.engines.cuda.device import Device
from clew.engines.cuda.neighbourhoods import neighbourhoods
from clew.graph import Graph


class Found(NamedTuple):
    """The coefficient of every vertex on the device, their average, and links over possible links of all."""

    coefficient: Any
    average: float
    transitivity: float


def clustering_coefficients(device: Device, graph: Graph) -> Found:
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
    return Found(coefficient, float(sums[0]) / max(n, 1), float(sums[1] / sums[2]) if sums[2] > 0 else 0.0)
