"""Vertex programs on the GPU: the examples, compared with the kernels that were tuned for the same work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import clew
from bench.gpu.graphs import Case
from bench.gpu.timing import Work
from clew.engines.cuda.balance.frontiers import BALANCES
from clew.engines.cuda.program.program import DEFAULT, Done, Tuning, run_program
from examples.vertex_programs import BreadthFirst, Components, PageRank, ShortestPaths

ROUNDS = 20
TUNINGS = {
    "auto": DEFAULT,
    "256 threads": replace(DEFAULT, threads=256, resident=4),
    "1024 threads": replace(DEFAULT, threads=1024, resident=1),
    "more registers": replace(DEFAULT, resident=1),
    "fewer registers": replace(DEFAULT, resident=3),
}
SPREADING = {
    **TUNINGS,
    "never alone": replace(DEFAULT, alone=(0, 0)),
    "alone longer": replace(DEFAULT, alone=(1 << 12, 1 << 14)),
    "pushed to 1/4": replace(DEFAULT, pushed=1 / 4, pushed_to_any=1 / 8),
    "pushed to 1/8": replace(DEFAULT, pushed=1 / 8, pushed_to_any=1 / 32),
    "push only": replace(DEFAULT, pushed=1.0, pushed_to_any=1.0),
    **{
        f"push only, balance {name}": replace(DEFAULT, pushed=1.0, pushed_to_any=1.0, balance=name)
        for name in BALANCES
        if name != "auto"
    },
    "pull only": replace(DEFAULT, pushed=-1.0, pushed_to_any=-1.0),
}


class Ranks(PageRank):
    """As many rounds on every graph."""

    max_iterations = ROUNDS

    @staticmethod
    def apply(total: Any, vertex: Any) -> bool:
        """Never done."""
        vertex.rank = vertex.base + total
        return True


class Run:
    """A program that starts from a copy of its first state, which is on the device."""

    def __init__(self, device: Any, program: clew.VertexProgram, graph: clew.Graph) -> None:
        self.device, self.program, self.graph = device, program, graph
        initial, active = program.start(graph)
        n = graph.num_vertices
        self.first = {}
        for name, kind in program.fields.items():
            self.first[name] = device.empty(n, kind)
            self.first[name][...] = device.upload(np.broadcast_to(np.asarray(initial[name], dtype=kind), n).copy())
        self.active = np.ones(n, dtype=np.bool_)
        if active is not None:
            self.active[:] = False
            self.active[np.asarray(active)] = True
        self.state: dict[str, Any] = {}

    def __call__(self, tuning: Tuning = DEFAULT) -> tuple[dict[str, Any], Done]:
        """The state at the end, and how it came to that."""
        self.state = {name: values.copy() for name, values in self.first.items()}
        done = run_program(self.device, self.program, self.graph, self.state, self.active, tuning)
        return self.state, done


def cases(device: Any, case: Case) -> Iterator[Work]:
    """Each example with what else could have been chosen, then the tuned kernels."""
    graph, source = case.graph, case.source
    heavy = graph.with_weights(graph.weights.astype(np.float64))

    def same(field: str, expected: Any) -> Any:
        answer: list[Any] = []

        def check(result: Any) -> str:
            if not answer:
                answer.append(expected())
            values, done = result
            np.testing.assert_array_equal(device.download(values[field]), answer[0])
            return f"{done.iterations} iterations"

        return check

    depths = same("depth", lambda: clew.bfs(graph, source, device="cuda").numpy().depth)
    distances = same("distance", lambda: clew.sssp(heavy, source, device="cuda").numpy().distance)
    labels = same("label", lambda: clew.connected_components(graph, device="cuda").numpy().label)
    for work, program, on, check in (
        ("bfs", BreadthFirst(source), graph, depths),
        ("sssp", ShortestPaths(source), heavy, distances),
        ("components", Components(), graph, labels),
    ):
        run = Run(device, program, on)
        for name, tuning in SPREADING.items():
            yield Work(f"program {work}", name, lambda run=run, tuning=tuning: run(tuning), check)
    run = Run(device, Ranks(), graph)
    for name, tuning in TUNINGS.items():
        yield Work(f"program ranks{ROUNDS}", name, lambda run=run, tuning=tuning: run(tuning))
    tuned = {
        "bfs": lambda: clew.bfs(graph, source, device="cuda"),
        "sssp": lambda: clew.sssp(heavy, source, device="cuda"),
        "components": lambda: clew.connected_components(graph, device="cuda"),
        f"ranks{ROUNDS}": lambda: clew.pagerank(graph, max_iterations=ROUNDS, tolerance=0, device="cuda"),
    }
    for work, call in tuned.items():
        yield Work(f"program {work}", "tuned kernel", call)
    yield Work("program bfs", "end to end", lambda: clew.run(BreadthFirst(source), graph, device="cuda"))
