"""Articulation points on a GPU: vertices of several blocks."""

from __future__ import annotations

import numpy as np

from clew.algorithms.biconnectivity.cuda import FILE, defines_of, search, space
from clew.algorithms.registry import Answer
from clew.engines.cuda.balance.launches import launch_over
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    member, seen = result(graph.num_vertices, np.bool_, 0), scratch(graph.num_vertices, graph.outgoing.id_dtype, -1)
    return space(graph, member=member, seen=seen)


def articulation_points(device: Device, graph: Graph) -> Answer:
    """The vertices whose removal disconnects others; see ``clew.articulation_points``."""
    work, n = workspace(graph).allocate(device), graph.num_vertices
    found = search(device, graph, work)
    if n:
        given = (found.parent, found.block, work.seen, work.member.view(np.uint8))
        launch_over(device, FILE, "find_cuts", defines_of(found.edges.rows), n, np.uint64(n), *given)
    return Answer({"member": work.member}, {"count": int(work.member.sum())})
