"""Triadic census on the CPU."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.algorithms.registry import Answer
from clew.algorithms.triadic_census import counted, kernels
from clew.build.rows import blocks_of
from clew.graph import Graph
from clew.workspace import Workspace, scratch


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    arcs = 2 * graph.num_edges
    return Workspace(
        both_directions=scratch(arcs * (1 + graph.indices.itemsize), np.uint8, later=True),
        marks=scratch((threads.count(), graph.num_vertices), np.int64, later=True),
    )


def triadic_census(graph: Graph) -> Answer:
    """How many triads of each type there are; see ``clew.triadic_census``."""
    n = graph.num_vertices
    source, target, _ = Graph.from_csr(graph.indptr, graph.indices, duplicates="drop", loops="drop").edges()
    ends = np.append(source, target), np.append(target, source)
    sides = np.repeat(np.array([1, 2], dtype=np.uint8), source.size)
    near = Graph.from_edges(*ends, sides, n, duplicates="sum")
    bounds = blocks_of(near.outgoing)
    pieces = bounds.size - 1
    codes, pairs = np.zeros((pieces, 64), dtype=np.int64), np.zeros((pieces, 2), dtype=np.int64)
    threads.each(kernels.triad_codes, pieces, bounds, *near.outgoing.unsigned(), near.weights, codes, pairs)
    ones, twos = pairs.sum(axis=0).tolist()
    return counted(codes.sum(axis=0), ones, twos, n)
