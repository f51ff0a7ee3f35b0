"""Triadic census on the CPU."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.triadic_census import counted, kernels
from clew.algorithms.triangles.cpu import Lists, ranked, shown
from clew.engines.cpu import team
from clew.graph import Graph
from clew.workspace import Workspace, scratch


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run, if no two edges connect the same vertices."""
    n, arcs, ids = graph.num_vertices, 2 * graph.num_edges, graph.indices.itemsize
    return Workspace(
        both_directions=scratch(arcs * (1 + ids), np.uint8, later=True),
        rank=scratch(n, f"u{ids}"),
        start=scratch(n, np.uint64),
        stop=scratch(n, np.uint64),
        items=scratch(arcs, f"u{ids}"),
        times=scratch(arcs, np.uint8),
    )


def triadic_census(graph: Graph) -> Answer:
    """How many triads of each type there are; see ``clew.triadic_census``."""
    n = graph.num_vertices
    source, target, _ = Graph.from_csr(graph.indptr, graph.indices, duplicates="drop", loops="drop").edges()
    ends = np.append(source, target), np.append(target, source)
    sides = np.repeat(np.array([1, 2], dtype=np.uint8), source.size)
    near = Graph.from_edges(*ends, sides, n, duplicates="sum")
    assert near.weights is not None
    indptr, indices = near.outgoing.unsigned()
    work = workspace(Graph(near.outgoing, directed=False)).allocate()
    lists = ranked(near, Lists(indptr[:-1], indptr[1:], indices, near.weights), work)
    codes = np.zeros(64, dtype=np.int64)
    team.run(kernels.triangle_codes, near.num_arcs, *lists, codes, **shown(near))
    owner = np.repeat(np.arange(n), near.degrees())
    kinds = np.bincount(4 * owner + near.weights, minlength=4 * n).reshape(n, 4)
    wedges = kinds.T @ kinds  # of two neighbours of different kinds; of the same kind, those twice and with itself
    np.fill_diagonal(wedges, (kinds * (kinds - 1) // 2).sum(axis=0))
    ones, twos = int(kinds[:, 1].sum()), int(kinds[:, 3].sum()) // 2
    return counted(codes, wedges, ones, twos, n)
