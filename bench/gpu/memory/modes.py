"""All modes beside each other on the papers' graphs and others; managed memory as a cache of half the size; the link.

Columns are where the edges are. Every time is of a call with the edges in their place; a second table has what putting
them there takes. Managed memory on demand is timed with all its pages on the host before every call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import clew
from bench.gpu.memory.achieved import Achieved, is_counted
from bench.gpu.memory.graphs import Named
from bench.gpu.memory.link import measure
from bench.gpu.memory.markdown import NOTHING, Reason, geometric_mean, milliseconds, number, ratio, reasons, table
from bench.gpu.memory.measuring import ROUNDS, VALUES, WEIGHTED, Bench, Took, edge_bytes
from bench.gpu.memory.pages import ManagedPages

GRAPHS = ("rmat25", "kron24", "grid5000", "web")
SHARES = {"rmat25": 0.45, "kron24": 0.5, "grid5000": 0.8}  # of the time that is left
PLAIN = tuple(name for name in VALUES if name not in WEIGHTED)
#: Mode and part of the edges' bytes, in the order in which they are measured: what matters most comes first.
COLUMNS: dict[tuple[str, int | None], str] = {
    ("device", None): "all in HBM",
    ("zero_copy", None): "all zero-copy",
    ("managed", None): "managed, on demand",
    ("managed+prefetch", None): "managed, prefetched",
    ("tiered", 2): "tiered 1/2",
    ("auto", 2): "auto 1/2",
    ("tiered", 4): "tiered 1/4",
    ("tiered", 8): "tiered 1/8",
    ("stream", 2): "stream 1/2",
    ("stream", 4): "stream 1/4",
    ("stream", 8): "stream 1/8",
}
CACHED = "cached"
COUNTED = (("zero_copy", None), ("tiered", 2))  # of which the share of the link is told
KEPT = ("device", "zero_copy", "managed+prefetch", "tiered")  # where one algorithm finds the edges of the one before
Key = tuple[str, str, str, int | None]  # graph, algorithm, mode, part


@dataclass
class Figures:
    """Cases by graph, algorithm, mode and part: Took, or Reason."""

    cells: dict[Key, Any] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)

    def run(self, key: Key) -> Any:
        """Seconds of a call."""
        found = self.cells.get(key, Reason("no time"))
        return found.run if isinstance(found, Took) else found

    def add(self, bench: Bench, key: Key, case: Callable[[], Took], most: float | None = None) -> Any:
        """Run a case, keep and tell what came of it."""
        found = self.cells[key] = bench.tried(" ".join(map(str, key)), case, most)
        figure = found.word if isinstance(found, Reason) else f"{found.run * 1e3:.3f} ms, {found.runs} runs"
        print("#", *key, figure, flush=True)
        return found

    def given_up(self, key: Key) -> Reason | None:
        """Why the same with more fast memory was given up, if it was: then less will not do better."""
        for part in (2, 4):
            found = self.cells.get((*key[:3], part))
            if isinstance(found, Reason) and found.word.startswith(">"):
                self.cells[key] = found
                return found
        return None

    def place(self, key: Key) -> Any:
        """Seconds of placing before it."""
        found = self.cells.get(key, Reason("no time"))
        return found.place if isinstance(found, Took) else found


def budget(graph: clew.Graph, algorithm: str, mode: str, part: int | None) -> int | None:
    """Bytes that edges may have in GPU memory; those of both directions where an algorithm reads both."""
    if part is None:
        return None
    both = graph.directed and algorithm in ("bfs", "pagerank") and mode != "stream"
    return edge_bytes(graph, algorithm) * (2 if both else 1) // part


def run_graph(bench: Bench, named: Named, figures: Figures, achieved: Achieved, columns: tuple[str, ...]) -> None:
    """All modes, or those of these columns, and algorithms on one graph. Those without weights share a copy of it."""
    graph = named.graph
    if graph.directed:
        graph.incoming  # noqa: B018  made once, on the host, and not what is timed here
    warm_up(bench, named, tuple(VALUES))
    for mode, part in (column for column, name in COLUMNS.items() if not columns or name in columns):
        for algorithms in (PLAIN, WEIGHTED):
            bench.forget()
            with ManagedPages(bench.gpu) as pages:
                for algorithm in algorithms:
                    there = mode in KEPT and not graph.directed and algorithm != algorithms[0]
                    key = (named.name, algorithm, mode, part)
                    found = figures.given_up(key)
                    if found is None:
                        found = figures.add(bench, key, partial(_case, bench, named, key, there, pages))
                    if (mode, part) in COUNTED and is_counted(algorithm):
                        achieved.add(named, algorithm, mode, part, found)
                    if mode == "managed":
                        key = (named.name, algorithm, CACHED, 2)
                        figures.add(bench, key, partial(_cached, bench, named, algorithm, pages), 2 * bench.most)
            if algorithms is PLAIN and (mode, part) in COUNTED:
                achieved.add_pushed(bench, named, mode, part, budget(graph, "bfs", mode, part))


def warm_up(bench: Bench, named: Named, algorithms: tuple[str, ...]) -> None:
    """Compile the kernels before anything is timed."""
    with clew.memory("device"):
        for algorithm in algorithms:
            bench.tried(f"{named.name} {algorithm}", partial(bench.call, algorithm, named.graph, named.source), 90)
    bench.forget()


def warm_up_chunks(bench: Bench) -> None:
    """The same for the modes that have kernels of their own, on a small graph."""
    small = clew.generate.random_weights(clew.generate.kronecker(4 if bench.emulated else 12, seed=1), 1, 255, seed=1)
    for mode in ("stream", "auto"):
        for algorithm in VALUES:
            with clew.memory(mode, edge_bytes(small, algorithm) // 2):
                bench.tried(f"{mode} {algorithm}", partial(bench.call, algorithm, small, 0), 60)
    bench.forget()


def _case(bench: Bench, named: Named, key: Key, there: bool, pages: ManagedPages) -> Took:
    _, algorithm, mode, part = key
    graph, source = named.graph, named.source
    fast = budget(graph, algorithm, mode, part)
    returned = pages if mode == "managed" else None
    took = bench.case(algorithm, graph, source, mode, fast, there=there, pages=returned)
    bench.check(named.name, algorithm, graph, source, took.result)
    return took


def _cached(bench: Bench, named: Named, algorithm: str, pages: ManagedPages) -> Took:
    """Managed memory whose first half is sent back before every call, and before every round of PageRank."""
    run = partial(bench.call, algorithm, named.graph, named.source)
    with clew.memory("managed"):
        whole, result = bench.once(run)  # all pages are on the GPU from here on
        if algorithm == "pagerank":
            whole, result = bench.once(run)
            one = partial(run, rounds=1)
            alone = geometric_mean(bench.repeated(one)[0]) or 0.0
            for _ in range(ROUNDS):
                pages.send_back(0.5)
                whole += max(0.0, bench.once(one)[0] - alone)
            taken = [whole]
        else:
            taken, result = bench.repeated(run, partial(pages.send_back, 0.5))
    bench.check(named.name, algorithm, named.graph, named.source, result)
    return Took(geometric_mean(taken) or 0.0, None, len(taken), result)


def modes_text(figures: Figures) -> str:
    """The table of all modes, and that of what placing takes."""
    heads = ["", *COLUMNS.values()]
    parts = [
        "### All modes",
        "Milliseconds of a call with the edges in their place, the geometric mean of repeated calls (PageRank: "
        f"{ROUNDS} rounds). Parts are of the edges' bytes, in GPU memory; where that is less than a page of "
        "2 MiB, none of it. On demand: all pages are on the host before every call.",
        "Graphs: " + "; ".join(figures.named.values()) + ".",
    ]
    for graph in figures.named:
        rows = [
            [f"{graph} {name}", *(milliseconds(figures.run((graph, name, *column))) for column in COLUMNS)]
            for name in VALUES
        ]
        parts.append(table(heads, rows))
    rows = [
        [f"{graph}, {told}", *(milliseconds(figures.place((graph, name, *column))) for column in COLUMNS)]
        for graph in figures.named
        for name, told in ((PLAIN[0], "neighbours"), (WEIGHTED[0], "neighbours and weights"))
    ]
    parts += [
        "Milliseconds to put the edges there: the first call less the mean of the others, of bfs (neighbours) and of "
        f"sssp (with weights). {NOTHING}: a call that was not repeated, its time in the table above has it.",
        table(heads, rows),
        reasons(figures.cells.values()),
    ]
    return "\n\n".join(part for part in parts if part)


def cache_text(figures: Figures) -> str:
    """Half the memory, beside managed memory."""
    heads = ["", "managed, on demand", "managed, half of it cached", "tiered 1/2", "auto 1/2"]
    heads += ["on demand / tiered", "on demand / auto", "cached / tiered", "cached / auto"]
    heads += ["**tiered, goal 2**", "**auto, goal 2**"]
    rows = []
    for graph in figures.named:
        for name in VALUES:
            demand, cached, tiered, auto = (
                figures.run((graph, name, *key)) for key in (("managed", None), (CACHED, 2), ("tiered", 2), ("auto", 2))
            )
            baseline = cached if name == "pagerank" else demand
            beside = [ratio(demand, tiered), ratio(demand, auto), ratio(cached, tiered), ratio(cached, auto)]
            beside += [ratio(baseline, tiered), ratio(baseline, auto)]
            cells = [milliseconds(cell) for cell in (demand, cached, tiered, auto)]
            rows.append([f"{graph} {name}", *cells, *(number(cell, 1, "x") for cell in beside)])
    told = (
        "Managed memory must not be larger than what is free on the GPU, so a cache of half the edges is made by "
        "sending the first half of their pages (the half that tiered edges have on the host) back before every call, "
        f"which is not counted. PageRank is run in {ROUNDS} calls of one round with half the pages sent back before "
        f"each; what each takes longer than with all pages in place is added to the time of {ROUNDS} rounds in one "
        "call. That is kind to managed memory: a scan that goes round through a cache of half the size finds none of "
        "its pages there. On demand: all pages are on the host before the call, once."
    )
    return "\n\n".join(["### Fast memory as a cache (managed memory), with half the budget", told, table(heads, rows)])


def run(
    bench: Bench, smaller: int, data: Path, names: tuple[str, ...], columns: tuple[str, ...] = ()
) -> Iterator[dict[str, str]]:
    """The texts of three files, after every graph."""
    figures = Figures()
    achieved = Achieved(measure(bench, smaller))
    yield {"link": achieved.link.text}
    warm_up_chunks(bench)
    for named in bench.graphs(names, smaller, data):
        figures.named[named.name] = named.told + (", small" if named.graph.num_arcs < 1 << 24 else "")
        with bench.share(SHARES.get(named.name, 1.0)):
            run_graph(bench, named, figures, achieved, columns)
        bench.forget()
        bench.forget_answers(named.name)
        yield {
            "modes": modes_text(figures),
            "cache": cache_text(figures),
            "link": achieved.link.text + "\n\n" + achieved.text,
        }
