"""Core numbers on the CPU: memory for the kernel."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.algorithms.k_core import core_dtype, kernels, summary
from clew.algorithms.registry import Answer
from clew.build.rows import blocks_of
from clew.engines.cpu import team
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    n, ids = graph.num_vertices, f"u{graph.outgoing.id_dtype.itemsize}"
    members = threads.count()
    return Workspace(
        core=result(n, core_dtype(graph)),
        links=scratch(n, ids),
        left=scratch(n, ids),
        lowest=scratch(members, np.int64),
        taken=scratch(members, np.bool_),
    )


def k_core(graph: Graph) -> Answer:
    """The core number of every vertex."""
    work = workspace(graph).allocate()
    members = work.lowest.size
    bounds = blocks_of(graph.outgoing, members)
    arrays = (work.core, work.links, work.left, work.lowest, work.taken)
    team.run(kernels.k_core, graph.num_arcs, *team.symmetric_rows(graph), bounds, *arrays, most=members)
    return summary(work.core, np.bincount(work.core))
