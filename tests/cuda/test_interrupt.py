"""Ctrl-C between the launches of every algorithm on a GPU, emulated: shares of work, and what an interrupt leaves."""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import clew
from clew.algorithms.pagerank import Walk
from clew.algorithms.pagerank import cuda as pagerank
from clew.engines.choice import gpu_for
from clew.engines.cuda.memory.ledger import forget_all
from clew.engines.cuda.program import program
from examples.vertex_programs import PageRank, ShortestPaths
from tests.on_gpu import emulation_only

pytestmark = [emulation_only, pytest.mark.usefixtures("small_heap")]
SKEWED = clew.generate.random_weights(clew.generate.rmat(7, 6, seed=2).symmetrized(), 1, 9, seed=1)
GRID = clew.generate.random_weights(clew.generate.grid(9, 16, delete=0.1, seed=1), 1, 9, seed=1)  # three tiles of 64
ONE_WAY = clew.generate.rmat(7, 3, seed=2)
DOWNWARD = ONE_WAY.filter_edges(ONE_WAY.edges()[0] < ONE_WAY.edges()[1])
SOURCES = [0, 3, 17, 40, 77, 99]


class Case(NamedTuple):
    """A call, a check of what it gives back, and the shares of work that make several launches of one."""

    run: Callable[[], Any]
    check: Callable[[Any], None]
    shares: Mapping[str, int] = {}


def on(graph: clew.Graph, name: str, *given: Any, shares: Mapping[str, int] | None = None, **options: Any) -> Case:
    """A registered algorithm."""
    return Case(
        lambda: getattr(clew, name)(graph, *given, device="emulated", **options),
        lambda found: getattr(clew.verify, name)(graph, *given, found.numpy()),
        shares or {},
    )


def same(run: Callable[..., Any], field: str) -> Case:
    """What has no checker: compared with the CPU."""

    def check(found: Any) -> None:
        expected = getattr(run(device="cpu"), field)
        np.testing.assert_allclose(getattr(found.numpy(), field), expected, rtol=1e-6, atol=1e-12)

    return Case(lambda: run(device="emulated"), check)


CASES = {
    "bfs": on(GRID, "bfs", 0, shares={"bfs.LEVELS_PER_LAUNCH": 4}),
    "sssp": on(GRID, "sssp", 0, shares={"paths.STEPS_PER_LAUNCH": 8}),
    "sssp by edges": on(SKEWED, "sssp", 0, shares={"paths.EDGES_PER_LAUNCH": 200}),
    "sswp": on(SKEWED, "sswp", 0, shares={"paths.EDGES_PER_LAUNCH": 200}),
    "bellman_ford": same(lambda device: clew.bellman_ford(SKEWED, 0, device=device), "distance")._replace(
        shares={"paths.EDGES_PER_LAUNCH": 200}
    ),
    "pagerank": on(SKEWED, "pagerank", shares={"pagerank.EDGES_PER_LAUNCH": 1}),
    "connected_components": on(GRID, "connected_components"),
    "triangles": on(SKEWED, "triangles", shares={"triangles.EDGES_PER_LAUNCH": 300}),
    "clustering": on(SKEWED, "clustering_coefficient", shares={"triangles.EDGES_PER_LAUNCH": 300}),
    "label_propagation": on(SKEWED, "label_propagation", shares={"label_propagation.EDGES_PER_LAUNCH": 1}),
    "betweenness": on(
        SKEWED, "betweenness", samples=SOURCES, shares={"betweenness.EDGES_PER_LAUNCH": 1, "betweenness.MANY_BYTES": 0}
    ),
    "betweenness, a block each": on(SKEWED, "betweenness", samples=SOURCES, shares={"betweenness.EDGES_PER_LAUNCH": 1}),
    "coloring": on(SKEWED, "coloring", shares={"coloring.STEPS_PER_LAUNCH": 1}),
    "coloring by rounds": on(SKEWED, "coloring", method="rounds", shares={"coloring.STEPS_PER_LAUNCH": 1}),
    "independent set": on(SKEWED, "maximal_independent_set", shares={"maximal_independent_set.STEPS_PER_LAUNCH": 1}),
    "independent set by degree": on(
        GRID, "maximal_independent_set", method="degree", shares={"maximal_independent_set.STEPS_PER_LAUNCH": 1}
    ),
    "k_core": on(SKEWED, "k_core", shares={"k_core.STEPS_PER_LAUNCH": 1}),
    "minimum_spanning_forest": on(SKEWED, "minimum_spanning_forest"),
    "k_truss": on(SKEWED, "k_truss", shares={"k_truss.STEPS_PER_LAUNCH": 1, "k_truss.EDGES_PER_LAUNCH": 200}),
    "strong components": on(
        ONE_WAY, "strongly_connected_components", shares={"strongly_connected_components.STEPS_PER_LAUNCH": 1}
    ),
    "topological_order": on(DOWNWARD, "topological_order", shares={"topological_order.STEPS_PER_LAUNCH": 1}),
    "similarity": on(SKEWED, "similarity", shares={"similarity.PAIRS_PER_LAUNCH": 200}),
    "most_similar": on(SKEWED, "most_similar", shares={"most_similar.PATHS_PER_LAUNCH": 5000}),
    "multi_source_bfs": on(GRID, "multi_source_bfs", SOURCES, shares={"multi_source_bfs.STEPS_PER_LAUNCH": 1}),
    "all_pairs": on(GRID, "all_pairs", method="floyd_warshall", shares={"all_pairs.SUMS_PER_LAUNCH": 1}),
    "products": same(lambda device: clew.hits(SKEWED, device=device), "hub"),
    "a program": same(lambda device: clew.run(ShortestPaths(0), GRID, device=device), "distance"),
    "a steady program": same(lambda device: clew.run(PageRank(), SKEWED, device=device), "rank"),
}


class Launches:
    """Counts launches; the one with the number ``stop_at`` ends with what Python makes of Ctrl-C."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.number, self.stop_at = 0, 0
        device = gpu_for("emulated", 0)
        monkeypatch.setattr(device, "start", self._counted(device.start))

    def _counted(self, launch: Callable[..., None]) -> Callable[..., None]:
        def counted(*args: Any, **options: Any) -> None:
            launch(*args, **options)
            self.number += 1
            if self.number == self.stop_at:
                raise KeyboardInterrupt

        return counted

    def during(self, run: Callable[[], Any], stop_at: int = 0) -> Any:
        """What ``run`` gives back; None where it was interrupted."""
        self.number, self.stop_at = 0, stop_at
        try:
            with clew.memory(edges="device"):
                return run()
        except KeyboardInterrupt:
            return None


def set_share(monkeypatch: pytest.MonkeyPatch, place: str, share: int) -> None:
    """Set a constant of an algorithm's CUDA form: "folder.NAME"."""
    folder, name = place.split(".")
    monkeypatch.setattr(import_module(f"clew.algorithms.{folder}.cuda"), name, share)


@pytest.mark.parametrize("name", CASES)
def test_shares_and_interrupts(name, monkeypatch):
    """Small shares make more launches of the same work; stopped after any, it leaves nothing and can be done again."""
    case, device = CASES[name], gpu_for("emulated", 0)
    launches = Launches(monkeypatch)
    launches.during(case.run)  # what is kept with the graph is there from now on
    launches.during(case.run)
    whole = launches.number
    for place, share in case.shares.items():
        set_share(monkeypatch, place, share)
    if "program" in name:
        monkeypatch.setitem(program.DEFAULT.__dict__, "steps", 2)
    case.check(launches.during(case.run))
    parts = launches.number
    if case.shares or "program" in name:
        assert parts >= whole + 2
    forget_all()
    gc.collect()
    before = device.memory.live_allocations
    for stop_at in sorted({1, parts // 2, parts - 1}):
        # The order of atomic operations may save a launch, and then nothing is left to interrupt.
        assert launches.during(case.run, max(1, stop_at)) is None or launches.number < stop_at
        forget_all()
        if device.memory.live_allocations != before:  # a cycle may hold some
            gc.collect()
        assert device.memory.live_allocations == before, f"memory is left after launch {stop_at}"
    case.check(launches.during(case.run))


def test_the_host_is_no_more_than_a_round_ahead(monkeypatch):
    """Rounds of products whose number is given are not asked for anything, but waited for."""
    device, waited = gpu_for("emulated", 0), []
    monkeypatch.setattr(device, "record", lambda: SimpleNamespace(synchronize=lambda: waited.append(True)))
    walk = Walk(damping=0.85, tolerance=0.0, max_iterations=5)
    pagerank.pagerank(device, SKEWED, walk, tuning=pagerank.Tuning(products=True, layout="tiles"))
    assert len(waited) == walk.max_iterations - 1


def test_a_signal_is_heard_between_launches(monkeypatch):
    """A chain of so many waves would take much longer."""
    set_share(monkeypatch, "coloring.STEPS_PER_LAUNCH", 16)
    graph = clew.generate.path(50_000)
    clew.coloring(clew.generate.path(3), order="smallest_last", device="emulated")  # compiled

    def raise_it(*_: Any) -> None:
        raise KeyboardInterrupt

    former = signal.signal(signal.SIGALRM, raise_it)
    started = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            clew.coloring(graph, order="smallest_last", device="emulated")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
    assert time.perf_counter() - started < 10
