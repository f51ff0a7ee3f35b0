"""Hubs and authorities on the CPU: memory for the kernel, and its answer as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clew.dtypes import Array
from clew.engines.cpu import team
from clew.engines.cpu.blocks import ahead_of, fixed_blocks
from clew.engines.cpu.pagerank import TRACED_ROUNDS, rounds_over
from clew.engines.cpu.rows import rows_of
from clew.graph import Graph
from clew.tracing import edge_bytes


class Scores(NamedTuple):
    """Hubs and authorities, the number of rounds, whether they sufficed, and the columns of the trace."""

    hub: Array
    authority: Array
    rounds: int
    converged: bool
    trace: dict[str, Array]


def hits(graph: Graph, *, tolerance: float, max_iterations: int) -> Scores:
    """Scores to within ``tolerance``, or what there is after ``max_iterations``; all 0 where there are no edges."""
    from clew.engines.cpu import kernels_hits as kernels

    n = graph.num_vertices
    if graph.num_arcs == 0:
        return Scores(
            np.zeros(n),
            np.zeros(n),
            0,
            True,
            {"change": np.empty(0), **rounds_over(graph, np.empty(0, dtype=np.int64), 0)},
        )
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
        rows_of(graph.incoming),
        rows_of(graph.outgoing),
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
    told = {"change": trace[:rounds], **both_ways}
    return Scores(hub, authority / authority.sum(), int(rounds), bool(converged), told)
