"""PageRank on the CPU: memory for the kernel, and its answer as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.algorithms.pagerank import summary
from clew.algorithms.registry import Answer
from clew.dtypes import Array, as_bits
from clew.engines.cpu import team
from clew.engines.cpu.blocks import ahead_of, fixed_blocks
from clew.graph import Graph
from clew.tracing import edge_bytes, seconds_between

TRACED_ROUNDS = 1 << 16


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
    rank = np.full(n, 1 / max(n, 1), dtype=dtype) if first is None else first.astype(dtype)
    if n == 0:
        return summary(rank, 0, True, np.empty(0))
    scale, passing = np.empty(n, dtype=dtype), None
    if weighted:
        leaving, shares = shares_of(graph.outgoing, graph.incoming)
        scale[:] = np.where(leaving > 0, damping, 0)
        passing = shares.astype(dtype, copy=False)
    bounds = fixed_blocks(graph.incoming)
    trace = np.zeros(min(max_iterations, TRACED_ROUNDS))
    begun = np.zeros(trace.size + 1, dtype=np.int64)
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
        np.empty_like(rank),
        np.empty_like(rank),
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
