"""Links among the neighbours of every vertex, on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.clustering_coefficient.means import symmetric_roots
from clew.algorithms.registry import Answer
from clew.algorithms.triangles import cuda as triangles
from clew.algorithms.triangles.cuda import list_space, neighbourhoods
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph, means: bool = False, weighted: bool = False) -> Workspace:  # noqa: ARG001
    """The arrays of a run: those of a count of triangles, and what links are divided by."""
    n = graph.num_vertices
    return Workspace(
        coefficient=result(n, np.float64, later=True),
        counts=scratch(n, np.float64 if means else np.uint64, 0),
        links=scratch(n, np.float64, later=True),
        degrees=None if means else scratch(n, np.float64, later=True),
        possible=scratch(n, np.float64, later=True),
        **list_space(graph, with_sides=graph.directed, with_weights=means).deferred(),
    )


def clustering_coefficient(
    device: Device, graph: Graph, means: bool = False, weighted: bool = False, **constants: int
) -> Answer:
    """Links among neighbours, an undirected one counted in both directions, over the possible ones.

    ``constants`` (SMALL_SLOTS, LARGE_SLOTS, OWNED) replace those of the kernels, to measure them.
    """
    counts = workspace(graph, means).allocate(device).counts
    if means:
        roots, possible = symmetric_roots(graph, weighted=weighted)  # on the host, which sorts the edges
        near = neighbourhoods(device, roots, with_weights=True)
        triangles.by_tables(device, near, triangles.COUNTS, counts, None, **constants)
        return _answer(device, 2 * counts, device.upload(possible))
    near = neighbourhoods(device, graph, with_sides=graph.directed)
    counted = triangles.LINKS if graph.directed else triangles.COUNTS
    triangles.by_tables(device, near, counted, counts, None, **constants)
    degrees = near.up.astype(np.float64) + near.down
    return _answer(device, counts.astype(np.float64) * (1 if graph.directed else 2), degrees * (degrees - 1))


def _answer(device: Device, links: Any, possible: Any) -> Answer:
    """The answer, from what is there at every vertex and what is possible."""
    coefficient = links / device.xp.maximum(possible, 1)
    sums = device.download(device.xp.stack([coefficient.sum(), links.sum(), possible.sum()]))
    transitivity = float(sums[1] / sums[2]) if sums[2] > 0 else 0.0
    return Answer(
        {"coefficient": coefficient}, {"average": float(sums[0]) / max(links.size, 1), "transitivity": transitivity}
    )
