"""Connected components on the CPU."""

from __future__ import annotations

import numpy as np

from clew.algorithms.connected_components import summary
from clew.algorithms.registry import Answer
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.engines.cpu import team
from clew.graph import Graph


def connected_components(graph: Graph) -> Answer:
    """Components over edges in any direction."""
    from clew.algorithms.connected_components import kernels

    n = graph.num_vertices
    label = np.empty(n, dtype=graph.indices.dtype)
    sizes = np.empty(n, dtype=np.int64)  # only as much of it as there are components is ever touched
    if n == 0:
        return summary(label, sizes)
    # In-edges that are there already save looking at most out-edges; to build them would cost more than that.
    into = graph.incoming.unsigned() if graph.directed and graph.has_incoming else None
    marks = np.empty(-(-n // 64), dtype=np.uint64) if graph.directed and into is None else None
    pointer, roots = as_bits(label), np.empty(kernels.SHARES, dtype=np.int64)
    work = (blocks_of(graph.outgoing), graph.outgoing.unsigned(), into, pointer, marks, np.empty_like(pointer), roots)
    count = team.run(kernels.connected_components, graph.num_arcs + n, *work, sizes, bounded=True)
    return summary(label, sizes[:count].copy())


def measured(label: Array) -> Answer:
    """Labels with the sizes of what they label."""
    from clew.algorithms.connected_components import kernels

    return summary(label, kernels.component_sizes(as_bits(label)))
