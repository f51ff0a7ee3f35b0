"""Depth-first search on the CPU."""

from __future__ import annotations

import numpy as np

from clew.algorithms.dfs_order import kernels
from clew.algorithms.registry import Answer
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    n, ids = graph.num_vertices, graph.indices.dtype
    return Workspace(
        preorder=result(n, np.int64, -1),
        postorder=result(n, np.int64, -1),
        parent=result(n, ids, -1),
        before=scratch(2 * n, ids),
        vertex=scratch(2 * n, ids),
        event=scratch(2 * n, np.int8),
        search=scratch(17 * n, np.int8, later=True),
    )


def dfs_order(graph: Graph, source: int, whole: bool) -> Answer:
    """The order of discovery and of leaving; see ``clew.dfs_order``."""
    work, n = workspace(graph).allocate(), graph.num_vertices
    sources = np.append(source, np.arange(n)) if whole else np.array([source])
    events = work.before, work.vertex, work.event
    count = kernels.depth_first(*graph.outgoing.unsigned(), sources, float(n), False, *events)
    before, vertex, event = (array[:count] for array in events)
    discovered = event == kernels.FORWARD
    reached = vertex[discovered]
    work.preorder[reached] = np.arange(reached.size)
    work.postorder[vertex[~discovered]] = np.arange(reached.size)
    work.parent[reached] = before[discovered]
    values = {"preorder": work.preorder, "postorder": work.postorder, "parent": work.parent}
    return Answer(values, {"num_reached": reached.size}, unreached=-1)
