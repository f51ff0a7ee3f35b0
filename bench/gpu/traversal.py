"""Searches over weights on the GPU: as they are, every load balance, EtaGraph's ablations, and widths of buckets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import Any

import clew
from bench.gpu.graphs import Case
from bench.gpu.timing import Work
from clew.algorithms.bellman_ford.cuda import bellman_ford
from clew.algorithms.paths.cuda_problem import DEFAULT, Tuning, weight_facts
from clew.algorithms.sssp.cuda import sssp
from clew.algorithms.sswp.cuda import sswp
from clew.engines.cuda.balance.frontiers import BALANCES
from clew.engines.cuda.memory.device_graph import rows_on

#: Each changes one thing of the default.
TUNINGS: dict[str, Tuning] = {
    **{f"balance {name}": replace(DEFAULT, balance=name) for name in BALANCES if name not in ("auto", "degree_cut")},
    # Pieces of more than 24 edges need smaller blocks for their shared memory; all cuts have the same.
    **{
        f"cut {cut}{'' if prefetch else ', no prefetch'}": replace(
            DEFAULT, balance="degree_cut", cut=cut, prefetch=prefetch, threads=512
        )
        for cut in (4, 8, 16, 32)
        for prefetch in (True, False)
    },
    **{f"unroll {unroll}": replace(DEFAULT, unroll=unroll) for unroll in (1, 4)},
    "marks": replace(DEFAULT, words=False),
    **{f"alone {limit}": replace(DEFAULT, alone=(limit // 4, limit)) for limit in (0, 1024, 16384)},
    **{f"eager {limit}": replace(DEFAULT, eager=limit) for limit in (0, 1 << 30)},
    "512 threads": replace(DEFAULT, threads=512),
    "256 threads": replace(DEFAULT, threads=256),
    "66 blocks": replace(DEFAULT, blocks=66),
    "1 block": replace(DEFAULT, blocks=1),
    **{f"tail {part}": replace(DEFAULT, tail=part) for part in (0.25, 0.75, 100.0)},
    "pile 1/64": replace(DEFAULT, pile=1 / 64),
    "pile 1": replace(DEFAULT, pile=1.0),
}
DELTAS = (1 / 64, 1 / 16, 1 / 4, 1, 4, 16, 64, inf)  # times the mean weight
BUCKETS = (1, 4, 16, 64, 256)


def cases(device: Any, case: Case) -> Iterator[Work]:
    """sssp, sswp and bellman_ford; the first of each is checked against the CPU's rules."""
    graph, source = case.graph, case.source

    def check(result: Any) -> str:
        distances = result.distance[result.parent >= 0]
        total = int(distances.sum())
        if case.distances is not None and total != case.distances:
            raise AssertionError(f"distances sum to {total:,}, expected {case.distances:,}")
        return note(result)

    def note(result: Any) -> str:
        edges = result.trace()["edges"]
        again = float(edges.sum()) / max(1, graph.num_arcs)
        return f"{edges.size} steps, {result.iterations} buckets, {again:.2f} edges"

    def check_fully(result: Any) -> str:
        clew.verify.sssp(graph, source, clew.Result("sssp", result.values).numpy())
        return check(result)

    def check_widths(result: Any) -> str:
        clew.verify.sswp(graph, source, clew.Result("sswp", result.values).numpy())
        return note(result)

    mean = weight_facts(device, rows_on(device, graph.outgoing)).mean
    yield Work("sssp", "auto", lambda: sssp(device, graph, source), check_fully)
    for part in DELTAS:
        yield Work("sssp", f"delta {part:g}", lambda delta=part * mean: sssp(device, graph, source, delta=delta), check)
    for name, tuning in TUNINGS.items():
        yield Work("sssp", name, lambda tuning=tuning: sssp(device, graph, source, tuning=tuning), check)
    yield Work("sssp", "deterministic", lambda: sssp(device, graph, source, deterministic=True), check_fully)
    yield Work("sswp", "auto", lambda: sswp(device, graph, source), check_widths)
    for count in BUCKETS:
        yield Work("sswp", f"buckets {count}", lambda count=count: sswp(device, graph, source, buckets=count), note)
    for name, tuning in TUNINGS.items():
        yield Work("sswp", name, lambda tuning=tuning: sswp(device, graph, source, tuning=tuning), note)
    yield Work(
        "bellman_ford",
        "auto",
        lambda: bellman_ford(device, graph, source),
        lambda result: f"{result.iterations} rounds",
    )
