"""S2's Figures 5 and 7: the placement strategies, with the GPU's memory as the fast one and the host's as the slow.

The figures are those of the table of all modes, on graphs of their own, laid out as the paper does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.gpu.memory.cells import Cell, Figures, Where
from bench.gpu.memory.columns import HALF, HBM, SMALLER_PARTS, ZERO_COPY, is_strategy
from bench.gpu.memory.markdown import milliseconds, number, reasons, table
from bench.gpu.memory.measuring import Bench
from bench.gpu.memory.modes import run_graph
from bench.gpu.memory.strategies import STRATEGIES
from bench.gpu.memory.tables import RENUMBERING

GRAPHS = ("kron22", "grid3000", "kron23")
ALGORITHMS = ("bfs", "pagerank", "components", "sssp")
AS_NUMBERED = "tiered"
BASES = {ZERO_COPY: "AllSlow", HBM: "AllFast"}
PLACED = (AS_NUMBERED, *STRATEGIES)
BEST = 2  # strategies that are shown with less memory


def run(bench: Bench, smaller: int, data: Path, names: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The texts of two files, after every column: the bases, all strategies with half the memory, then with less."""
    columns: list[Where] = [HBM, ZERO_COPY, *((name, part) for part in (HALF, *SMALLER_PARTS) for name in PLACED)]
    figures = Figures()
    for named in bench.graphs(names, smaller, data):
        figures.named[named.name] = named.label
        with bench.share(1.5 / (len(names) - names.index(named.name) + 0.5)):
            for _ in run_graph(bench, named, figures, columns, algorithms=ALGORITHMS, best=BEST):
                yield {"placements.md": text(figures), "placements.json": figures.json}
        bench.forget_answers(named.name)


def _told(where: Where) -> str:
    return BASES.get(where) or ("as numbered" if where[0] == AS_NUMBERED else where[0])


def text(figures: Figures) -> str:
    """The tables."""
    tried: list[Where] = [*BASES, *((name, HALF) for name in PLACED)]
    graphs = [graph for graph in figures.named if any(figures.has(graph, where) for where in tried[len(BASES) :])]
    tried = [where for where in tried if any(figures.has(graph, where) for graph in graphs)]
    whole = [graph for graph in graphs if all(figures.mean(where, HBM, (graph,), ALGORITHMS) for where in tried)]
    columns = [(graph, algorithm) for graph in graphs for algorithm in ALGORITHMS]
    heads = [f"{graph} {algorithm}" for graph, algorithm in columns]
    bases = [
        [f"{name}, ms", *(milliseconds(figures.run((*column, *base))) for column in columns)]
        for base, name in BASES.items()
    ]
    rows = {
        against: [
            [
                _told(where),
                *(number(figures.ratio_to(where, against, *column), 1, "x") for column in columns),
                number(figures.mean(where, against, whole, ALGORITHMS), 1, "x"),
            ]
            for where in tried
        ]
        for against in BASES
    }
    shares = [[_told(where), *(_share(figures, graph, where) for graph in graphs)] for where in tried[len(BASES) :]]
    parts = [
        "### Placement strategies (Figures 5 and 7 of S2)",
        "Half of the edges' bytes in GPU memory, the rest on the host and read over the link (tiered); AllSlow is "
        "zero-copy, AllFast the edges in GPU memory. Geometric means of repeated calls; PageRank in 20 rounds. The "
        f"last column is over the graphs for which all of it is known: {', '.join(whole) or 'none'}. "
        "Graphs: " + "; ".join(figures.named[graph] for graph in graphs) + ".",
        table(["", *heads], bases),
        "Times as fast as AllSlow:",
        table(["", *heads, "geometric mean"], rows[ZERO_COPY]),
        "Times as fast as AllFast:",
        table(["", *heads, "geometric mean"], rows[HBM]),
        "The part of the rows' bytes that a strategy puts into fast memory, with room for half:",
        table(["", *graphs], shares),
        "Less fast memory, the best of each graph; times as fast as AllSlow, geometric mean over the algorithms:",
        table(["", "1/2", "1/4", "1/8"], _sweep(figures, graphs)),
        reasons(cell for key, cell in figures.cells.items() if key[0] in graphs and key[2:] in tried),
    ]
    return "\n\n".join(part for part in parts if part)


def _share(figures: Figures, graph: str, where: Where) -> str:
    if not is_strategy(where):
        return "0.50"
    found = figures.cells.get((graph, RENUMBERING, *where))
    return f"{found.more['share']:.2f}" if isinstance(found, Cell) else ""


def _sweep(figures: Figures, graphs: list[str]) -> list[list[str]]:
    lines = []
    for graph in graphs:
        for name in PLACED:
            if any(figures.has(graph, (name, part)) for part in SMALLER_PARTS):
                means = (figures.mean((name, part), ZERO_COPY, (graph,), ALGORITHMS) for part in (HALF, *SMALLER_PARTS))
                lines.append([f"{graph} {_told((name, HALF))}", *(number(mean, 1, "x") for mean in means)])
    return lines
