"""S2's Figures 5 and 7: the placement strategies, with the GPU's memory as the fast one and the host's as the slow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import clew
from bench.gpu.memory.graphs import Named
from bench.gpu.memory.markdown import Reason, geometric_mean, milliseconds, number, ratio, reasons, table
from bench.gpu.memory.measuring import Bench, Took, edge_bytes
from bench.gpu.memory.modes import warm_up
from clew.placement import Auto, Degree, Frontier, Hot, Interleave, Intraleave, Placement, Random

GRAPHS = ("kron22", "grid3000", "kron23")
ALGORITHMS = ("bfs", "pagerank", "components", "sssp")  # the one with weights last: the others share a copy
SLOW, FAST, AS_NUMBERED = "AllSlow", "AllFast", "as numbered"
BASES = {SLOW: "zero_copy", FAST: "device"}
HALF, SMALLER_PARTS = 2, (4, 8)
LONGEST = 45.0  # seconds that a placement may take


def strategies(named: Named, fast: int, frontier: int) -> dict[str, Any]:
    """With the parameters of docs/placement.md, by the names that tables have; ``frontier`` is the mean size of one."""
    source = named.graph.name(named.source)
    return {
        "Degree(2, 80)": Degree(out_degree=2, cutoff_percentile=80),
        "Frontier(mean size)": Frontier(source, frontier),
        "Interleave(1-1)": Interleave(source, "1-1"),
        "Intraleave(1-1)": Intraleave(source, "1-1"),
        "Random(0.5)": Random(1, 0.5),
        "Hot(degree)": Hot(fast),
        "Hot(cost)": Hot(fast, "cost"),
        "Auto": Auto(fast, speeds="gpu"),
    }


@dataclass
class Figures:
    """Seconds by strategy, graph, algorithm and part; the part of the bytes that is fast by strategy and graph."""

    cells: dict[tuple[str, str, str, int], Any] = field(default_factory=dict)
    shares: dict[tuple[str, str], str] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)

    def beside(self, strategy: str, base: str, graph: str, algorithm: str, part: int = HALF) -> Any:
        """How many times faster than a base."""
        found = self.cells.get((strategy, graph, algorithm, part), Reason("no time"))
        return found if isinstance(found, Reason) else ratio(self.cells.get((base, graph, algorithm, HALF)), found)

    def mean(self, strategy: str, base: str, graphs: Any, part: int = HALF) -> float | None:
        """Geometric, over graphs and algorithms."""
        return geometric_mean(self.beside(strategy, base, g, a, part) for g in graphs for a in ALGORITHMS)


def _time(bench: Bench, named: Named, graph: clew.Graph, algorithm: str, mode: str, part: int, restore: Any) -> float:
    fast = edge_bytes(graph, algorithm) // part if mode == "tiered" else None
    there = algorithm in ALGORITHMS[1:-1] and not graph.directed
    took: Took = bench.case(algorithm, graph, named.source, mode, fast, there=there)
    bench.check(named.name, algorithm, named.graph, named.source, took.result, restore)
    return took.run


def _measure(
    bench: Bench,
    named: Named,
    figures: Figures,
    strategy: str,
    part: int,
    mode: str,
    given: Callable[[], Placement] | None,
) -> None:
    """All algorithms under one strategy."""
    bench.forget()
    graph, restore = named.graph, None
    if given is not None:
        made = bench.tried(f"{named.name} {strategy}", lambda: _applied(named, given), LONGEST)
        if isinstance(made, Reason):
            figures.cells |= {(strategy, named.name, algorithm, part): made for algorithm in ALGORITHMS}
            print("#", named.name, strategy, f"1/{part}", made.word, flush=True)
            return
        graph, placement = made
        restore = placement.permutation
        share = placement.fast_bytes / max(1, placement.fast_bytes + placement.slow_bytes)
        figures.shares.setdefault((strategy, named.name), f"{share:.2f}")
    for algorithm in ALGORITHMS:
        case = partial(_time, bench, named, graph, algorithm, mode, part, restore)
        told = f"{named.name} {algorithm} {strategy} 1/{part}"
        figures.cells[strategy, named.name, algorithm, part] = bench.shown(told, case)
    bench.forget()


def _applied(named: Named, given: Callable[[], Placement]) -> tuple[clew.Graph, Placement]:
    placement = given()
    return placement.apply(named.graph), placement


def _placing(named: Named, strategy: str, part: int, frontier: int) -> Callable[[], Placement] | None:
    if strategy == AS_NUMBERED:
        return None
    # Strategies count an offset with every row; on a GPU offsets are no edges, and take nothing of what these may have.
    fast = edge_bytes(named.graph, "sssp") // part + named.graph.num_vertices * named.graph.indptr.itemsize
    return lambda: strategies(named, fast, frontier)[strategy].place(named.graph, fast_memory=fast)


def run_graph(bench: Bench, named: Named, figures: Figures) -> None:
    """The bases, all strategies with half the memory, and the best two with less."""
    warm_up(bench, named, ALGORITHMS)
    for base, mode in reversed(BASES.items()):
        _measure(bench, named, figures, base, HALF, mode, None)
    depth = bench.known.get((named.name, "bfs"))
    frontier = 1 if depth is None else max(1, int((depth >= 0).sum()) // (int(depth.max()) + 1))
    names = (AS_NUMBERED, *strategies(named, 1, frontier))
    for strategy in names:
        _measure(bench, named, figures, strategy, HALF, "tiered", _placing(named, strategy, HALF, frontier))
    means = {strategy: figures.mean(strategy, SLOW, (named.name,)) or 0.0 for strategy in names}
    for strategy in sorted(names, key=lambda name: -means[name])[:2]:
        for part in SMALLER_PARTS:
            _measure(bench, named, figures, strategy, part, "tiered", _placing(named, strategy, part, frontier))


def run(bench: Bench, smaller: int, data: Path, names: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The text of one file, after every graph."""
    figures = Figures()
    for named in bench.graphs(names, smaller, data):
        figures.named[named.name] = named.told
        with bench.share(1.5 / (len(names) - names.index(named.name) + 0.5)):
            run_graph(bench, named, figures)
        bench.forget_answers(named.name)
        yield {"placements": _text(figures)}


def _text(figures: Figures) -> str:
    graphs = tuple(figures.named)
    tried = dict.fromkeys(strategy for strategy, *_ in figures.cells)
    columns = [(graph, algorithm) for graph in graphs for algorithm in ALGORITHMS]
    heads = [f"{graph} {algorithm}" for graph, algorithm in columns]
    base = [
        [f"{name}, ms", *(milliseconds(figures.cells.get((name, *column, HALF))) for column in columns)]
        for name in BASES
    ]
    rows = {
        against: [
            [
                strategy,
                *(number(figures.beside(strategy, against, *column), 1, "x") for column in columns),
                number(figures.mean(strategy, against, graphs), 1, "x"),
            ]
            for strategy in tried
        ]
        for against in BASES
    }
    shares = [
        [
            strategy,
            *(figures.shares.get((strategy, graph), "0.50" if strategy == AS_NUMBERED else "") for graph in graphs),
        ]
        for strategy in tried
        if strategy not in BASES
    ]
    text = [
        "### Placement strategies (Figures 5 and 7 of S2)",
        "Half of the edges' bytes in GPU memory, the rest on the host and read over the link (tiered); AllSlow is "
        "zero-copy, AllFast the edges in GPU memory. Geometric means of repeated calls; PageRank in 20 rounds. "
        "Graphs: " + "; ".join(figures.named.values()) + ".",
        table(["", *heads], base),
        "Times as fast as AllSlow:",
        table(["", *heads, "geometric mean"], rows[SLOW]),
        "Times as fast as AllFast:",
        table(["", *heads, "geometric mean"], rows[FAST]),
        "The part of the rows' bytes that a strategy puts into fast memory, with room for half:",
        table(["", *graphs], shares),
        "Less fast memory, the best two of each graph; times as fast as AllSlow, geometric mean over the algorithms:",
        table(["", "1/2", "1/4", "1/8"], _sweep(figures)),
        reasons(figures.cells.values()),
    ]
    return "\n\n".join(part for part in text if part)


def _sweep(figures: Figures) -> list[list[str]]:
    chosen = dict.fromkeys((graph, strategy) for strategy, graph, _, part in figures.cells if part in SMALLER_PARTS)
    return [
        [f"{graph} {strategy}", *(number(figures.mean(strategy, SLOW, (graph,), part), 1, "x") for part in (2, 4, 8))]
        for graph, strategy in chosen
    ]
