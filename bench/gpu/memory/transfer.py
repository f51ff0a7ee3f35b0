"""EtaGraph's Table III: copying the edges and running, together, by how the edges come to the GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import clew
from bench.gpu.memory.graphs import Named
from bench.gpu.memory.markdown import geometric_mean, milliseconds, number, ratio, reasons, table
from bench.gpu.memory.measuring import Bench
from bench.gpu.memory.modes import warm_up
from bench.gpu.memory.pages import ManagedPages

GRAPHS = ("slashdot", "roadtokyo", "kron21", "rmat25d")
ALGORITHMS = ("bfs", "sssp", "sswp")
#: How the edges come: in managed memory before the clock starts, as the paper counts, or from NumPy's arrays.
WAYS = {
    "demand": "managed, on demand (EtaGraph w/o UMP)",
    "prefetched": "managed, prefetched (EtaGraph)",
    "device": "plain copy",
    "zero_copy": "zero-copy",
    "managed": "on demand, written first",
    "managed+prefetch": "prefetched, written first",
}
#: In milliseconds on its GTX 1080Ti, from the paper: with prefetch, and without.
PUBLISHED = {("bfs", "slashdot"): (2.5, 2.8), ("sssp", "slashdot"): (2.6, 3.1), ("sswp", "slashdot"): (2.6, 3.1)}
PUBLISHED |= {("bfs", "rmat25d"): (575, 771), ("sssp", "rmat25d"): (603, 786), ("sswp", "rmat25d"): (600, 793)}


def timed(bench: Bench, way: str, run: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of copying and running, and what was found.

    The first two ways find the edges in managed memory whose pages are on the host; the others in NumPy's arrays.
    """
    if way in ("demand", "prefetched"):
        bench.forget()
        with clew.memory("managed"), ManagedPages(bench.gpu) as pages:
            run()

            def with_pages() -> Any:
                if way == "prefetched":
                    pages.fetch()
                return run()

            taken, found = bench.repeated(with_pages, pages.send_back)
    else:
        with clew.memory(way):
            taken, found = bench.repeated(run, partial(bench.forget, pool=False))
    return geometric_mean(taken) or 0.0, found


def _case(bench: Bench, named: Named, algorithm: str, way: str) -> float:
    seconds, result = timed(bench, way, partial(bench.call, algorithm, named.graph, named.source))
    bench.check(named.name, algorithm, named.graph, named.source, result)
    return seconds


def run(bench: Bench, smaller: int, data: Path, names: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The text of one file, after every graph."""
    cells: dict[tuple[str, str, str], Any] = {}
    labels = {}
    for named in bench.graphs(names, smaller, data):
        name = named.name
        labels[name] = named.label
        if named.graph.directed:
            named.graph.incoming  # noqa: B018  made once, on the host, and not what is timed here
        warm_up(bench, named, ALGORITHMS)
        for algorithm in ALGORITHMS:
            for way in WAYS:
                case = partial(_case, bench, named, algorithm, way)
                cells[algorithm, name, way] = bench.shown(f"{name} {algorithm} {way}", case)
        bench.forget()
        bench.forget_answers(name)
        yield {"transfer.md": _text(cells, labels)}


def _text(cells: dict[tuple[str, str, str], Any], labels: dict[str, str]) -> str:
    heads = [
        "",
        "",
        *WAYS.values(),
        "on demand / prefetched",
        "prefetched / plain copy",
        "the paper: prefetched, on demand",
    ]
    rows = []
    for algorithm in ALGORITHMS:
        for name in labels:
            found = [cells[algorithm, name, way] for way in WAYS]
            ratios = [ratio(found[0], found[1]), ratio(found[1], found[2])]
            paper = PUBLISHED.get((algorithm, name))
            figures = ["" if paper is None else ", ".join(map(str, paper))]
            rows.append(
                [algorithm, name, *map(milliseconds, found), *(number(each, 1, "x") for each in ratios), *figures]
            )
    text = [
        "### Copy and run (EtaGraph's Table III)",
        "Milliseconds from edges in host memory to the answer in GPU memory, the geometric mean of repeated runs. In "
        "the first two columns the graph is in managed memory already, its pages on the host, as in the paper; in the "
        "others it is in NumPy's arrays, and in the last two it is first written into managed memory. In-edges, which "
        "bfs on a directed graph reads as well, are on the host. Graphs: " + "; ".join(labels.values()) + ".",
        table(heads, rows),
        reasons(cells.values()),
    ]
    return "\n\n".join(part for part in text if part)
