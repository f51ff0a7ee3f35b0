"""Bipartite matching on the CPU: finding the sides, and memory for the kernels."""

from __future__ import annotations

import numpy as np

from clew.algorithms.bipartite_matching import kernels, summary
from clew.algorithms.registry import Answer
from clew.dtypes import Array, as_bits
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph, maximum: bool) -> Workspace:
    """The arrays of a run. ``left`` is an argument; what finding it takes is freed before the run."""
    n, ids = graph.num_vertices, graph.indices.dtype
    return Workspace(
        mate=result(n, ids, -1),
        left=result(n, np.bool_, later=True),
        side=scratch(n, np.uint8, later=True),
        counts=scratch(n, np.uint64),
        stack=scratch(n, f"u{ids.itemsize}"),
        seen=scratch(n, np.int32, 0) if maximum else None,
        looked=scratch(n, np.uint64, 0) if maximum else None,
    )


def bipartite_matching(graph: Graph, left: Array, maximum: bool) -> Answer:
    """A maximal or a maximum matching between ``left`` and the rest; the graph is undirected."""
    work = workspace(graph, maximum).allocate()
    rows = graph.outgoing.unsigned()
    side = np.where(left, np.uint8(kernels.LEFT), np.uint8(kernels.RIGHT))
    partners = as_bits(work.mate)
    none = partners.dtype.type(np.iinfo(partners.dtype).max)
    paths = [kernels.karp_sipser(rows, side, work.counts, work.stack, partners, none)]  # of one edge each
    if maximum:
        arrays = (work.seen, work.counts, work.looked, work.stack)
        # A call for every phase, so that Ctrl-C is honoured between them.
        while found := kernels.augment(rows, side, partners, none, len(paths), *arrays):
            paths.append(found)
    return summary(work.mate, left, paths)
