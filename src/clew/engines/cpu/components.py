"""Connected components on the CPU."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.engines.cpu import team
from clew.engines.cpu.rows import rows_of
from clew.graph import Graph
from clew.result import Trace


class Components(NamedTuple):
    """The smallest vertex of each vertex's component, and the sizes of the components in the order of those.

    ``trace`` says what each step did, where that is known.
    """

    label: Array
    sizes: Array
    trace: Trace | None = None


def connected_components(graph: Graph) -> Components:
    """Components over edges in any direction."""
    from clew.engines.cpu import kernels_components as kernels

    n = graph.num_vertices
    label = np.empty(n, dtype=graph.indices.dtype)
    sizes = np.empty(n, dtype=np.int64)  # only as much of it as there are components is ever touched
    if n == 0:
        return Components(label, sizes)
    # In-edges that are there already save looking at most out-edges; to build them would cost more than that.
    into = rows_of(graph.incoming) if graph.directed and graph.has_incoming else None
    marks = np.empty(-(-n // 64), dtype=np.uint64) if graph.directed and into is None else None
    pointer, roots = as_bits(label), np.empty(kernels.SHARES, dtype=np.int64)
    work = (blocks_of(graph.outgoing), rows_of(graph.outgoing), into, pointer, marks, np.empty_like(pointer), roots)
    count = team.run(kernels.connected_components, graph.num_arcs + n, *work, sizes, bounded=True)
    return Components(label, sizes[:count].copy())


def measured(label: Array) -> Components:
    """Labels with the sizes of what they label."""
    from clew.engines.cpu import kernels_components as kernels

    return Components(label, kernels.component_sizes(as_bits(label)))
