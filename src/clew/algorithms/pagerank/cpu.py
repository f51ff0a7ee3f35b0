"""PageRank on the CPU: memory for the kernel, and its answer as arrays."""

from __future__ import annotations

from functools import partial

import numpy as np

from clew.algorithms.pagerank import Walk, kernels, rounds_over, shares_of
from clew.algorithms.registry import Answer
from clew.dtypes import as_bits
from clew.engines.cpu import team
from clew.engines.cpu.team import ahead_of, fixed_blocks
from clew.graph import Graph
from clew.result import TRACED_ROUNDS
from clew.workspace import Workspace, result, scratch


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


def pagerank(graph: Graph, walk: Walk) -> Answer:
    """Ranks to within the tolerance, or those after ``max_iterations``."""
    damping, tolerance, max_iterations, jumps, start, weighted, dtype = walk
    n = graph.num_vertices
    first = jumps if start is None else start
    work = workspace(graph, dtype, max_iterations, weighted).allocate()
    rank, scale, trace, begun, passing = work.rank, work.scale, work.change, work.begun, None
    if n == 0:
        return Answer({"rank": rank}, iterations=0, trace={"change": np.empty(0)})
    rank[:] = 1 / n if first is None else first
    if weighted:
        leaving, shares = shares_of(graph.outgoing, graph.incoming)
        scale[:] = np.where(leaving > 0, damping, 0)
        passing = shares.astype(dtype, copy=False)
    bounds = fixed_blocks(graph.incoming)
    edges = (None if weighted else as_bits(graph.indptr), graph.incoming.readable(), passing)
    limits, sums = (tolerance, max_iterations), np.empty((2, bounds.size - 1, 2))
    flows, noted = (work.passed, work.next_passed), (trace, begun)
    given = (bounds, ahead_of(graph.incoming, rank), edges, scale, jumps, damping, limits, rank, flows, sums, noted)
    poll = partial(team.settling, trace, tolerance, max_iterations)
    rounds, converged = team.run(kernels.pagerank, graph.num_arcs + n, *given, unit="rounds", poll=poll)
    width = graph.incoming.neighbour_bytes + (0 if passing is None else passing.itemsize)
    columns = {"change": trace[:rounds], **rounds_over(graph, begun[: rounds + 1], width)}
    return Answer({"rank": rank}, iterations=int(rounds), converged=bool(converged), trace=columns)
