"""Random walks on the CPU."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.algorithms.random_walks import Walks, kernels
from clew.algorithms.registry import Answer
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.engines.base import check_available
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

GRAIN = 1 << 8  # walks that are worth a thread


def workspace(graph: Graph, num_walks: int, length: int, weighted: bool = False) -> Workspace:
    """The walks and, with weights, their sums along rows."""
    return Workspace(
        walk=result((num_walks, length + 1), graph.indices.dtype),
        sums=scratch(graph.num_arcs if weighted else 0, np.float64, later=True),
    )


def random_walks(graph: Graph, given: Walks) -> Answer:
    """Walks; see ``clew.random_walks``."""
    space = workspace(graph, given.starts.size, given.length, given.weighted)
    check_available(dict(space)["walk"].nbytes, "the table of walks", "take fewer or shorter walks")
    found = space.allocate().walk
    sums, parts = sums_of(graph.outgoing) if given.weighted else None, threads.pieces(found.size, GRAIN)
    biases = (1 / given.p, 1 / given.q)
    rows = (graph.outgoing.unsigned(), sums, as_bits(given.starts))
    threads.each(kernels.walk, parts, parts, *rows, given.key, given.length, *biases, found)
    return Answer({"walk": found})


def sums_of(rows: Adjacency) -> Array:
    """For every edge, the sum of the weights of its row up to it."""
    sums = np.empty(rows.num_arcs)
    bounds = blocks_of(rows)
    threads.each(kernels.running_sums, bounds.size - 1, bounds, rows.unsigned(), rows.weights, sums)
    return sums
