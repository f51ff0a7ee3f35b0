"""PageRank on the CPU: memory for the kernel, and its answer as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.algorithms.pagerank import summary
from clew.algorithms.registry import Answer
from clew.dtypes import Array, as_bits
from clew.engines.cpu import team
from clew.engines.cpu.team import ahead_of, fixed_blocks
from clew.graph import Graph
from clew.result import edge_bytes, seconds_between
from clew.workspace import Workspace, result, scratch

TRACED_ROUNDS = 1 << 16


def workspace(graph: Graph, dtype: str, max_iterations: int, weighted: bool) -> Workspace:
    """The arrays of a run, but for the sums of blocks, whose number only the in-edges say."""
    n, arcs, traced = graph.num_vertices, graph.num_arcs, min(max_iterations, TRACED_ROUNDS)
    return Workspace(
        rank=result(n, dtype),
        scale=scratch(n, dtype),
        passed=scratch(n, dtype),
        next_passed=scratch(n, dtype),
        shares=scratch(arcs, dtype, later=True) if weighted else None,
        weights_as_float64=scratch((3, arcs), np.float64, later=True) if weighted else None,
        change=scratch(traced, np.float64, 0),
        begun=scratch(traced + 1, np.int64, 0),
    )


def pagerank(
    graph: Graph,
    *,
    damping: float,
    tolerance: float,
    max_iterations: int,
    jumps: Array | None,
    weighted: bool,
    dtype: str,
    start: Array | None = None,
) -> Answer:
    """Ranks to within ``tolerance``, or what there is after ``max_iterations``.

    ``jumps`` sums to 1: the walk starts again there, and starts there unless ``start`` is given.
    """
    from clew.algorithms.pagerank import kernels

    n = graph.num_vertices
    first = jumps if start is None else start
    work = workspace(graph, dtype, max_iterations, weighted).allocate()
    rank, scale, trace, begun, passing = work.rank, work.scale, work.change, work.begun, None
    if n == 0:
        return summary(rank, 0, True, np.empty(0))
    rank[:] = 1 / n if first is None else first
    if weighted:
        leaving, shares = shares_of(graph.outgoing, graph.incoming)
        scale[:] = np.where(leaving > 0, damping, 0)
        passing = shares.astype(dtype, copy=False)
    bounds = fixed_blocks(graph.incoming)
    rounds, converged = team.run(
        kernels.pagerank,
        graph.num_arcs + n,
        bounds,
        ahead_of(graph.incoming, rank),
        None if weighted else as_bits(graph.indptr),
        graph.incoming.unsigned(),
        passing,
        scale,
        jumps,
        damping,
        (tolerance, max_iterations),
        rank,
        work.passed,
        work.next_passed,
        np.empty((2, bounds.size - 1, 2)),
        trace,
        begun,
        unit="rounds",
        poll=lambda: team.settling(trace, tolerance, max_iterations),
    )
    width = edge_bytes(graph.indices, passing)
    moved = rounds_over(graph, begun[: rounds + 1], width)
    return summary(rank, int(rounds), bool(converged), trace[:rounds], moved)


def rounds_over(graph: Any, begun: Array, width: int, edges: int | None = None) -> dict[str, Array]:
    """The columns of a trace whose rounds look at all vertices and edges of a graph, or of rows.

    ``begun`` are the nanoseconds at which they began, and the last one ended. ``width`` is the bytes of an edge;
    ``edges`` how many a round looks at, if that is not every one once.
    """
    seconds = seconds_between(begun)
    looked = np.full(seconds.size, graph.num_arcs if edges is None else edges)
    everyone = np.full(seconds.size, graph.num_vertices)
    return {"frontier": everyone, "edges": looked, "bytes": looked * width, "seconds": seconds}


def shares_of(outgoing: Adjacency, incoming: Adjacency) -> tuple[Array, Array]:
    """The weight that leaves every vertex, and what part of it every in-edge has; all in units of the largest weight,
    because a sum of weights may be more than a float can hold.
    """
    weights, arriving = (np.asarray(rows.weights, dtype=np.float64) for rows in (outgoing, incoming))
    largest = weights.max(initial=0.0) or 1.0
    total = np.zeros(outgoing.num_vertices)
    filled = np.flatnonzero(outgoing.degrees())
    if filled.size:  # reduceat would give an empty row the weight of the next one
        total[filled] = np.add.reduceat(weights / largest, outgoing.indptr[filled])
    leaving = total[incoming.indices]
    leaving[leaving == 0] = 1.0
    return total, arriving / largest / leaving
