"""Hubs and authorities on the CPU: memory for the kernel, and its answer as arrays."""

from __future__ import annotations

import numpy as np

from clew.algorithms.pagerank.cpu import TRACED_ROUNDS, rounds_over
from clew.algorithms.registry import Answer
from clew.engines.cpu import team
from clew.engines.cpu.blocks import ahead_of, fixed_blocks
from clew.graph import Graph
from clew.result import Trace
from clew.tracing import edge_bytes


def hits(graph: Graph, *, tolerance: float, max_iterations: int) -> Answer:
    """Scores to within ``tolerance``, or what there is after ``max_iterations``; all 0 where there are no edges."""
    from clew.algorithms.hits import kernels

    n = graph.num_vertices
    if graph.num_arcs == 0:
        nothing = {"change": np.empty(0), **rounds_over(graph, np.empty(0, dtype=np.int64), 0)}
        return Answer({"hub": np.zeros(n), "authority": np.zeros(n)}, iterations=0, trace=Trace(nothing))
    hub, authority = np.full(n, 1 / n), np.empty(n)
    in_bounds, out_bounds = (fixed_blocks(rows) for rows in (graph.incoming, graph.outgoing))
    trace = np.zeros(min(max_iterations, TRACED_ROUNDS))
    begun = np.zeros(trace.size + 1, dtype=np.int64)
    rounds, converged = team.run(
        kernels.hits,
        2 * (graph.num_arcs + n),
        ahead_of(graph.incoming, hub),
        in_bounds,
        out_bounds,
        graph.incoming.unsigned(),
        graph.outgoing.unsigned(),
        (tolerance, max_iterations),
        hub,
        authority,
        np.empty(n),
        np.empty((3, in_bounds.size - 1)),
        trace,
        begun,
        unit="rounds",
        poll=lambda: team.settling(trace, tolerance, max_iterations),
    )
    both_ways = rounds_over(graph, begun[: rounds + 1], edge_bytes(graph.indices), 2 * graph.num_arcs)
    return Answer(
        {"hub": hub, "authority": authority / authority.sum()},
        iterations=int(rounds),
        converged=bool(converged),
        trace=Trace({"change": trace[:rounds], **both_ways}),
    )
