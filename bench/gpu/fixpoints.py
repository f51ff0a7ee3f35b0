"""Components, ranks and other answers that rounds over all vertices settle on, on the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import clew
from bench.gpu.graphs import Case
from bench.gpu.timing import Work
from clew.algorithms.coloring.cuda import color_by_rounds, color_in_order
from clew.algorithms.connected_components.cuda import component_labels
from clew.algorithms.k_core.cuda import k_core
from clew.algorithms.label_propagation.cuda import label_propagation
from clew.algorithms.maximal_independent_set.cuda import maximal_independent_set
from clew.algorithms.pagerank import Walk
from clew.algorithms.pagerank.cuda import Tuning, pagerank

ROUNDS = 20


def cases(device: Any, case: Case) -> Iterator[Work]:
    """Everything, each with what else could have been chosen for the graph."""
    yield from components(device, case)
    yield from ranks(device, case)
    yield from peeling(device, case)
    yield from coloring(device, case)
    yield from communities(device, case)


def components(device: Any, case: Case) -> Iterator[Work]:
    """Labels; the sizes of the components are another, shorter kernel."""
    graph = case.graph
    answer: list[Any] = []

    def check(label: Any) -> str:
        if not answer:
            answer.append(clew.connected_components(graph, device="cpu"))
        np.testing.assert_array_equal(device.download(label), answer[0].label)
        return f"{answer[0].count:,} components"

    variants: dict[str, dict[str, Any]] = {
        "auto": {},
        "two edges first": {"sampled": True},
        "tiles if near": {"sampled": False},
        "tiles always": {"sampled": False, "TILED": 1},
        "tiles always, 8192": {"sampled": False, "TILED": 1, "TILE": 8192},
        "tiles never": {"sampled": False, "TILED": 0},
    }
    for name, options in variants.items():
        yield Work("components", name, lambda options=options: component_labels(device, graph, **options), check)
    yield Work(
        "components end to end",
        "auto",
        lambda: clew.connected_components(graph, device="cuda"),
        lambda result: f"{result.count:,}",
    )


def ranks(device: Any, case: Case) -> Iterator[Work]:
    """Twenty rounds in float32, as the peers ran."""
    graph = case.graph
    answer: list[Any] = []

    def run(tuning: Tuning | None = None, dtype: str = "float32") -> Any:
        return pagerank(device, graph, Walk(0.85, 0.0, ROUNDS, dtype=dtype), tuning)

    def check(result: Any) -> str:
        if not answer:
            answer.append(clew.pagerank(graph, tolerance=0, max_iterations=ROUNDS, device="cpu").rank)
        off = np.abs(device.download(result.rank) / answer[0] - 1).max()
        if off > 1e-5:
            raise AssertionError(f"a rank is off by {off:.1e} of its value")
        return f"off by {off:.1e}"

    yield Work("pagerank", "auto", run, check)
    yield Work("pagerank float64", "auto", lambda: run(dtype="float64"), check)
    yield Work("pagerank", "auto, sums in float32", lambda: run(Tuning(sum_dtype="float32")), check)
    if graph.num_arcs < 8 * graph.num_vertices:
        for lanes in (1, 2, 4, 8):
            for threads, resident in ((256, 5), (256, 6), (256, 8), (1024, 1)):
                tuning = Tuning(products=False, binned=False, lanes=lanes, threads=threads, resident=resident)
                yield Work("pagerank", f"{lanes} lanes, {threads} x {resident}", lambda t=tuning: run(t), check)
    if case.graph.num_arcs > 1 << 19:
        yield from uneven(device, case, run, check)


def uneven(device: Any, case: Case, run: Any, check: Any) -> Iterator[Work]:
    """Rows in classes, and products in the layouts that many rounds earn."""
    for threads, resident in ((512, 2), (512, 3), (1024, 1)):
        tuning = Tuning(products=False, binned=True, threads=threads, resident=resident)
        yield Work("pagerank", f"binned, {threads} x {resident}", lambda t=tuning: run(t), check)
    for layout in ("tiles", "sweep"):
        tuning = Tuning(products=True, layout=layout)
        yield Work("pagerank", f"products, {layout}", lambda t=tuning: run(t), check)


def same_as(device: Any, values: Any, expected: Any) -> None:
    np.testing.assert_array_equal(device.download(values), expected)


def peeling(device: Any, case: Case) -> Iterator[Work]:
    """Core numbers, with other limits between threads, warps and blocks."""
    graph = case.graph
    answer: list[Any] = []

    def check(core: Any) -> str:
        if not answer:
            answer.append(clew.k_core(graph, device="cpu"))
        same_as(device, core, answer[0].core)
        return f"degeneracy {answer[0].degeneracy}, {answer[0].iterations} levels"

    yield Work("k_core", "auto", lambda: k_core(device, graph), check)
    for short, long in ((4, 2048), (32, 2048), (16, 512), (16, 8192)):
        options = {"SHORT_ROW": short, "LONG_ROW": long}
        yield Work("k_core", f"short {short}, long {long}", lambda o=options: k_core(device, graph, **o), check)


def coloring(device: Any, case: Case) -> Iterator[Work]:
    """Both methods of colouring, and of independent sets: the same answers as on the CPU."""
    graph = case.graph

    def check_order(order: str) -> Any:
        def check(result: Any) -> str:
            expected = clew.coloring(graph, order=order, device="cpu")
            same_as(device, result.color, expected.color)
            return f"{expected.count} colours"

        return check

    def check_rounds(result: Any) -> str:
        same_as(device, result.color, clew.coloring(graph, method="rounds", device="cpu").color)
        return f"{result.iterations} rounds"

    def check_set(method: str) -> Any:
        def check(result: Any) -> str:
            same_as(device, result.member, clew.maximal_independent_set(graph, method=method, device="cpu").member)
            return f"{result.iterations} rounds"

        return check

    for order in ("largest_first", "random"):
        yield Work("coloring", order, lambda order=order: color_in_order(device, graph, order, 0), check_order(order))
    yield Work("coloring", "rounds", lambda: color_by_rounds(device, graph, 0), check_rounds)
    for method in ("luby", "degree"):
        by_degree = method == "degree"
        yield Work(
            "independent set",
            method,
            lambda d=by_degree: maximal_independent_set(device, graph, 0, by_degree=d),
            check_set(method),
        )


def communities(device: Any, case: Case) -> Iterator[Work]:
    """Ten rounds of label propagation, with other limits between threads, warps and blocks."""
    graph = case.graph
    answer: list[Any] = []

    def check(result: Any) -> str:
        if not answer:
            answer.append(clew.label_propagation(graph, device="cpu"))
        same_as(device, result.label, answer[0].label)
        return f"{result.iterations} rounds, {answer[0].count:,} labels"

    yield Work("cdlp 10", "auto", lambda: label_propagation(device, graph, 10), check)
    for short in (4, 16, 24):
        yield Work(
            "cdlp 10", f"short {short}", lambda s=short: label_propagation(device, graph, 10, SHORT_ROW=s), check
        )
    yield Work("cdlp 10", "2048 slots", lambda: label_propagation(device, graph, 10, SLOTS=2048), check)
