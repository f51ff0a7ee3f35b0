"""Label propagation by colour classes, on the CPU."""

from __future__ import annotations

import numpy as np

from clew.dtypes import Array, as_bits
from clew.graph import Graph


def by_turns(graph: Graph, color: Array) -> Array:
    """A label for every vertex that none is more frequent than among its neighbours; classes of a colouring take turns.

    The graph is undirected and has no parallel edges.
    """
    from clew.nx import kernels_majority as kernels

    n = graph.num_vertices
    labels, votes = np.arange(n, dtype=np.uint32), np.zeros(n, dtype=np.uint32)
    seen = np.empty(int(graph.degrees().max(initial=0)), dtype=np.uint32)
    order = as_bits(np.argsort(color, kind="stable"))
    # A call for every sweep, so that Ctrl-C is honoured between them.
    while kernels.sweep(*graph.outgoing.unsigned(), order, labels, votes, seen):
        pass
    return labels
