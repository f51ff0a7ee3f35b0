"""Maximal independent sets on the CPU: memory for the kernel."""

from __future__ import annotations

import numpy as np

from clew.algorithms.maximal_independent_set import kernels
from clew.algorithms.registry import Answer
from clew.engines.cpu import team
from clew.generate.arguments import stream
from clew.graph import Graph
from clew.result import TRACED_ROUNDS, seconds_between
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    n, ids, traced = graph.num_vertices, f"u{graph.outgoing.id_dtype.itemsize}", min(graph.num_vertices, TRACED_ROUNDS)
    return Workspace(
        member=result(n, np.bool_, 0),
        key=scratch(n, np.uint64),
        live=scratch(n, ids, later=True),
        other_live=scratch(n, ids),
        left=scratch(traced, np.int64, 0),
        begun=scratch(traced + 1, np.int64, 0),
    )


def maximal_independent_set(graph: Graph, seed: int, by_degree: bool) -> Answer:
    """A maximal independent set by rounds of random keys, or of random vertices whose degrees are the keys."""
    work = workspace(graph).allocate()
    out, into = team.symmetric_rows(graph)
    live = np.arange(graph.num_vertices, dtype=f"u{graph.outgoing.id_dtype.itemsize}")
    streams = (stream(seed, "independent set keys"), stream(seed, "independent set draws"))
    arrays = (work.key, work.member, live, work.other_live, work.left, work.begun)
    rounds = team.run(kernels.independent_set, graph.num_arcs, streams, by_degree, out, into, *arrays)
    member = work.member
    trace = {"left": work.left[:rounds], "seconds": seconds_between(work.begun[: rounds + 1])}
    return Answer({"member": member}, {"size": int(member.sum())}, iterations=int(rounds), trace=trace)
