"""Bellman-Ford on the CPU: memory for the kernel, and its answer as arrays or as a negative cycle."""

from __future__ import annotations

import numpy as np

from clew.algorithms.bellman_ford import cycle_through, kernels, negative_cycle
from clew.algorithms.paths import kernels as path_kernels
from clew.algorithms.paths import summary
from clew.algorithms.paths.weights import summands, sums_of
from clew.algorithms.registry import Answer
from clew.dtypes import as_bits
from clew.engines.cpu import team
from clew.graph import Graph
from clew.result import TRACED_ROUNDS, edge_bytes, timed_rows
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph) -> Workspace:
    """The arrays of a search over a graph with weights."""
    assert graph.weights is not None
    n, ids, unreached = graph.num_vertices, graph.indices.dtype, sums_of(graph.weights)[1]
    return Workspace(
        distance=result(n, unreached.dtype, unreached),
        parent=result(n, ids, -1),
        queued=scratch(n, np.uint8, 0),
        frontiers=scratch((2, n), f"u{ids.itemsize}"),
        seen=scratch(n, f"u{ids.itemsize}"),
        trace=scratch((min(n * n, TRACED_ROUNDS) + 1, kernels.COLUMNS), np.int64, 0),
    )


def bellman_ford(graph: Graph, source: int, deterministic: bool = False) -> Answer:
    """Shortest paths over any weights whose sums the caller knows to fit: int64, or the weights' floats."""
    weights = graph.weights
    assert weights is not None
    costs, (zero, unreached) = summands(weights), sums_of(weights)
    out = graph.outgoing.unsigned()
    work = workspace(graph).allocate()
    distance, parent, start = work.distance, work.parent, np.uint64(source)
    arrays = ((distance, as_bits(parent), work.queued), work.frontiers, work.seen, work.trace)
    rounds, on_cycle = team.run(kernels.bellman_ford, graph.num_arcs, out, costs, start, zero, *arrays)
    if on_cycle >= 0:
        raise negative_cycle(graph, cycle_through(int(on_cycle), parent))
    if deterministic:
        parent.fill(-1)
        path_kernels.shortest_path_tree(out, costs, start, distance, unreached, None, as_bits(parent), work.seen)
    rows, width = work.trace[: rounds + 1], edge_bytes(graph.indices, costs)
    reached, names = int((parent >= 0).sum()), ("frontier", "edges")
    return summary("distance", distance, parent, reached, int(rounds), lambda: timed_rows(rows, names, width))
