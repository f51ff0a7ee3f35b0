"""Core numbers on the CPU: memory for the kernel."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.build.rows import blocks_of
from clew.dtypes import MAX_INT32_VERTICES, Array
from clew.engines.cpu import team
from clew.engines.cpu.rows import rows_of
from clew.graph import Graph


def k_core(graph: Graph) -> Array:
    """The core number of every vertex."""
    from clew.engines.cpu import kernels_cores as kernels

    n, members = graph.num_vertices, threads.count()
    # A degree is below n; in- and out-degree together are below 2n.
    wide = graph.indices.dtype == np.int64 or (graph.directed and 2 * n > MAX_INT32_VERTICES)
    core = np.empty(n, dtype=np.int64 if wide else np.int32)
    out, into = rows_of(graph.outgoing), rows_of(graph.incoming) if graph.directed else None
    links, left = (np.empty(n, dtype=out[1].dtype) for _ in range(2))
    lowest, taken = np.empty(members, dtype=np.int64), np.empty(members, dtype=np.bool_)
    bounds = blocks_of(graph.outgoing, members)
    team.run(kernels.k_core, graph.num_arcs, out, into, bounds, core, links, left, lowest, taken, most=members)
    return core
