"""Connected components on the CPU."""

from __future__ import annotations

import numpy as np

from clew.algorithms.connected_components import kernels, summary
from clew.algorithms.registry import Answer
from clew.build.rows import blocks_of
from clew.dtypes import as_bits
from clew.engines.cpu import team
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run. Only as much of ``sizes`` as there are components is ever touched."""
    n, ids = graph.num_vertices, graph.outgoing.id_dtype
    one_way = graph.directed and not graph.has_incoming
    return Workspace(
        label=result(n, ids),
        sizes=scratch(n, np.int64),
        marks=scratch(-(-n // 64), np.uint64) if one_way else None,
        ranks=scratch(n, f"u{ids.itemsize}"),
        roots=scratch(kernels.SHARES, np.int64),
    )


def connected_components(graph: Graph) -> Answer:
    """Components over edges in any direction."""
    n = graph.num_vertices
    work = workspace(graph).allocate()
    label, sizes = work.label, work.sizes
    if n == 0:
        return summary(label, sizes)
    # In-edges that are there already save looking at most out-edges; to build them would cost more than that.
    into = graph.incoming.readable() if graph.directed and graph.has_incoming else None
    rows = (blocks_of(graph.outgoing), graph.outgoing.readable(), into)
    arrays = (as_bits(label), work.marks, work.ranks, work.roots, sizes)
    count = team.run(kernels.connected_components, graph.num_arcs + n, *rows, *arrays, bounded=True)
    return summary(label, sizes[:count].copy())
