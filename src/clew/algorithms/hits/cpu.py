"""Hubs and authorities on the CPU: memory for the kernel, and its answer as arrays."""

from __future__ import annotations

from functools import partial

import numpy as np

from clew.algorithms.hits import kernels
from clew.algorithms.pagerank import rounds_over
from clew.algorithms.registry import Answer
from clew.engines.cpu import team
from clew.engines.cpu.team import ahead_of, fixed_blocks
from clew.graph import Graph
from clew.result import TRACED_ROUNDS
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph, max_iterations: int) -> Workspace:
    """The arrays of a run, but for the sums of blocks, whose number only the in-edges say."""
    n, traced = graph.num_vertices, min(max_iterations, TRACED_ROUNDS)
    return Workspace(
        hub=result(n, np.float64),
        authority=result(n, np.float64, 0),
        next_hub=scratch(n, np.float64),
        change=scratch(traced, np.float64, 0),
        begun=scratch(traced + 1, np.int64, 0),
    )


def hits(graph: Graph, *, tolerance: float, max_iterations: int) -> Answer:
    """Scores to within ``tolerance``, or what there is after ``max_iterations``; all 0 where there are no edges."""
    n = graph.num_vertices
    if graph.num_arcs == 0:
        nothing = {"change": np.empty(0), **rounds_over(graph, np.empty(0, dtype=np.int64), 0)}
        return Answer({"hub": np.zeros(n), "authority": np.zeros(n)}, iterations=0, trace=nothing)
    work = workspace(graph, max_iterations).allocate()
    hub, authority, trace, begun = work.hub, work.authority, work.change, work.begun
    hub.fill(1 / n)
    in_bounds, out_bounds = (fixed_blocks(rows) for rows in (graph.incoming, graph.outgoing))
    rows = (in_bounds, out_bounds, graph.incoming.readable(), graph.outgoing.readable())
    arrays = (hub, authority, work.next_hub, np.empty((3, in_bounds.size - 1)), trace, begun)
    given = (ahead_of(graph.incoming, hub), *rows, (tolerance, max_iterations), *arrays)
    poll = partial(team.settling, trace, tolerance, max_iterations)
    rounds, converged = team.run(kernels.hits, 2 * (graph.num_arcs + n), *given, unit="rounds", poll=poll)
    authority /= authority.sum()
    moved = rounds_over(graph, begun[: rounds + 1], graph.incoming.neighbour_bytes, 2 * graph.num_arcs)
    scores, columns = {"hub": hub, "authority": authority}, {"change": trace[:rounds], **moved}
    return Answer(scores, iterations=int(rounds), converged=bool(converged), trace=columns)
