"""Bellman-Ford on the CPU: memory for the kernel, and its answer as arrays or as a negative cycle."""

from __future__ import annotations

import numpy as np

from clew.algorithms.bellman_ford import negative_cycle
from clew.algorithms.paths.weights import summands, sums_of
from clew.algorithms.registry import Answer
from clew.dtypes import Array, as_bits
from clew.engines.cpu import team
from clew.graph import Graph
from clew.result import Trace, edge_bytes, timed
from clew.workspace import Workspace, result, scratch

TRACED_ROUNDS = 1 << 16


def workspace(graph: Graph) -> Workspace:
    """The arrays of a search over a graph with weights."""
    from clew.algorithms.bellman_ford import kernels

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
    from clew.algorithms.bellman_ford import kernels
    from clew.algorithms.paths import kernels_relax

    weights = graph.weights
    assert weights is not None
    costs, (zero, unreached) = summands(weights), sums_of(weights)
    out = graph.outgoing.unsigned()
    work = workspace(graph).allocate()
    distance, parent, start = work.distance, work.parent, np.uint64(source)
    arrays = ((distance, as_bits(parent), work.queued), work.frontiers, work.seen, work.trace)
    rounds, on_cycle = team.run(kernels.bellman_ford, graph.num_arcs, out, costs, start, zero, *arrays)
    if on_cycle >= 0:
        raise negative_cycle(graph, _cycle_through(int(on_cycle), parent))
    if deterministic:
        parent.fill(-1)
        kernels_relax.tree_of_tight_edges(out, costs, start, distance, unreached, None, as_bits(parent), work.seen)
    rows, width = work.trace[: rounds + 1], edge_bytes(graph.indices, costs)
    return Answer(
        {"distance": distance, "parent": parent},
        {"num_reached": int((parent >= 0).sum())},
        unreached=unreached,
        iterations=int(rounds),
        trace=Trace.later(lambda: _columns(rows, width)),
    )


def _columns(rows: Array, width: int) -> dict[str, Array]:
    """Of rows of which the last has only the time at which the last round ended."""
    frontier, edges, begun = rows.T
    return timed({"frontier": frontier[:-1], "edges": edges[:-1]}, begun, width)


def _cycle_through(vertex: int, parent: Array) -> list[int]:
    """The cycle of parents through ``vertex``, in the order of its edges, from its smallest vertex on."""
    backwards = [vertex]
    while (above := int(parent[backwards[-1]])) != vertex:
        backwards.append(above)
    cycle = backwards[::-1]
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]
