"""Maximal independent sets on the CPU: memory for the kernel."""

from __future__ import annotations

import numpy as np

from clew.algorithms.coloring.cpu import TRACED_ROUNDS, both_ways
from clew.algorithms.registry import Answer
from clew.engines.cpu import team
from clew.generate.streams import stream
from clew.graph import Graph
from clew.result import Trace
from clew.tracing import seconds_between


def maximal_independent_set(graph: Graph, seed: int, by_degree: bool) -> Answer:
    """A maximal independent set by rounds of random keys, or of random vertices whose degrees are the keys."""
    from clew.algorithms.maximal_independent_set import kernels

    n = graph.num_vertices
    out, into = both_ways(graph)
    member = np.zeros(n, dtype=np.bool_)
    live = np.arange(n, dtype=out[1].dtype)
    left = np.zeros(min(n, TRACED_ROUNDS), dtype=np.int64)
    begun = np.zeros(left.size + 1, dtype=np.int64)
    streams = (stream(seed, "independent set keys"), stream(seed, "independent set draws"))
    key = np.empty(n, dtype=np.uint64)
    rounds = team.run(
        kernels.independent_set,
        graph.num_arcs,
        streams,
        by_degree,
        out,
        into,
        key,
        member,
        live,
        np.empty_like(live),
        left,
        begun,
    )
    told = {"left": left[:rounds], "seconds": seconds_between(begun[: rounds + 1])}
    return Answer({"member": member}, {"size": int(member.sum())}, iterations=int(rounds), trace=Trace(told))
