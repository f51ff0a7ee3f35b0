"""Triangles, clustering coefficients, betweenness and all distances on the GPU."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import clew
from bench.gpu.graphs import Case
from bench.gpu.timing import Work
from clew.algorithms.all_pairs import cuda as all_pairs
from clew.algorithms.betweenness import cuda as betweenness
from clew.algorithms.clustering_coefficient.cuda import clustering_coefficient
from clew.algorithms.triangles import cuda as triangles

SOURCES = (1, 16, 264)
MANY_SOURCES = 1 << 23  # arcs of graphs on which the largest number of sources does not take too long
DENSE = (2000, 8000)  # vertices of the graphs that all distances are found in
VARIANTS = (
    {"OWNED": 1024},
    {"OWNED": 8192},
    {"SMALL_SLOTS": 256},
    {"SMALL_SLOTS": 1024},
    {"LARGE_SLOTS": 4096},
    {"BATCH": 1},
    {"BATCH": 8},
    {"SHORT": 0},
    {"SHORT": 64},
)


def cases(device: Any, case: Case) -> Iterator[Work]:
    """What is counted on every graph; all distances once, besides the smallest."""
    graph = case.graph
    edges = graph.num_arcs / (1 if graph.directed else 2)

    def check_total(total: int) -> str:
        if edges < 3e7 and total != clew.triangles(graph, per_vertex=False, device="cpu").total:
            raise AssertionError(f"{total:,} triangles are not what the CPU finds")
        return f"{total:,} triangles, {edges / 1e6:.1f} million edges"

    def check_counts(counts: Any) -> str:
        return check_total(int(counts.sum()) // 3)

    yield Work("triangles", "total", lambda: triangles.total(device, graph), check_total)
    yield Work("triangles", "per vertex", lambda: triangles.count(device, graph), check_counts)
    for constants in VARIANTS:
        name = ", ".join(f"{key} {value}" for key, value in constants.items())
        yield Work("triangles", f"total, {name}", partial(triangles.total, device, graph, **constants))
    yield Work("lcc", "all", lambda: clustering_coefficient(device, graph), None)
    yield from _betweenness(device, case)
    yield from _weighted_betweenness(device, case)
    if case.name == "slashdot":
        yield from _all_pairs(device)


def _betweenness(device: Any, case: Case) -> Iterator[Work]:
    graph = case.graph
    linked = np.flatnonzero(np.diff(graph.indptr))
    linked = linked[linked != case.source]
    for number in SOURCES[: 3 if graph.num_arcs < MANY_SOURCES else 2]:
        sources = np.concatenate([[case.source], linked[:: max(1, linked.size // number)]])[:number]

        def check(total: Any, sources: Any = sources) -> str:
            if sources.size == 1 and graph.num_arcs < 4e7:
                from clew.algorithms.betweenness.cpu import dependencies

                np.testing.assert_allclose(device.download(total), dependencies(graph, sources), rtol=1e-9, atol=1e-9)
            return f"{sources.size} sources"

        for many, name in ((False, "grid"), (True, "block each")):
            if many and number == 1:
                continue

            def run(sources: Any = sources, many: bool = many, **constants: int) -> Any:
                return betweenness.dependencies(device, graph, sources, many=many, **constants)

            yield Work("betweenness", f"{name}, {number} sources", run, check)
            if number == SOURCES[0]:
                for narrow in (0, 256, 4096):
                    yield Work("betweenness", f"{name}, NARROW {narrow}", partial(run, NARROW=narrow))
                for row in (16, 256):
                    yield Work("betweenness", f"{name}, SHORT_ROW {row}", partial(run, SHORT_ROW=row))


def _weighted_betweenness(device: Any, case: Case) -> Iterator[Work]:
    """Sixteen sources each, next to all threads of the CPU."""
    if case.graph.weights is None:
        return
    sources = np.flatnonzero(np.diff(case.graph.indptr))[:: max(1, case.graph.num_vertices // SOURCES[1])][: SOURCES[1]]
    for name in ("betweenness", "edge_betweenness"):

        def run(name: str = name, where: str = "cuda") -> Any:
            return getattr(clew, name)(case.graph, weighted=True, samples=sources.tolist(), device=where)

        def check(found: Any, run: Any = run) -> str:
            if case.graph.num_arcs >= MANY_SOURCES:
                return f"{sources.size} sources"
            start = time.perf_counter()
            expected = run(where="cpu")
            taken = time.perf_counter() - start
            np.testing.assert_allclose(found.numpy().centrality, expected.centrality, rtol=1e-9, atol=1e-12)
            return f"{sources.size} sources; the CPU took {1000 * taken:.0f} ms"

        yield Work(f"weighted {name}", "grid", run, check)


def _all_pairs(device: Any) -> Iterator[Work]:
    for n in DENSE:
        for dtype in ("int32", "float32", "float64"):
            graph = clew.generate.random_weights(clew.generate.uniform(n, 16 * n, seed=1), 1, 100, dtype=dtype)

            def check(distance: Any, graph: clew.Graph = graph) -> str:
                if graph.num_vertices <= DENSE[0]:
                    expected = clew.all_pairs(graph, device="cpu").distance
                    np.testing.assert_allclose(device.download(distance), expected, rtol=1e-4)
                return f"{graph.num_vertices**3 / 1e9:.0f} billion sums"

            for tall, wide in ((4, 4), (8, 4), (8, 8)):
                name = f"{n:,} {dtype}, {tall}x{wide} each"
                yield Work(
                    "all pairs",
                    name,
                    partial(all_pairs.floyd_warshall, device, graph, tall=tall, wide=wide),
                    check,
                )
