"""EtaGraph's Figure 6: what each of its ideas adds, one after the other, and what takes their place here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

import clew
from bench.gpu.memory.graphs import Named
from bench.gpu.memory.markdown import Reason, geometric_mean, milliseconds, number, ratio, reasons, table
from bench.gpu.memory.measuring import Bench
from bench.gpu.memory.transfer import timed
from bench.gpu.traversal import TUNINGS
from clew.adjacency import Adjacency
from clew.algorithms.paths.cuda_problem import Tuning
from clew.algorithms.registry import Answer
from clew.algorithms.sssp.cuda import sssp
from clew.algorithms.sswp.cuda import sswp

GRAPHS = ("slashdot", "roadtokyo", "rmat22", "kron21")
ALGORITHMS = ("bfs", "sssp", "sswp")
THREAD, CUT, FETCHED = TUNINGS["balance thread"], TUNINGS["cut 16, no prefetch"], TUNINGS["cut 16"]
#: How the edges come (a way of transfer.py), and how they are shared; up to EtaGraph each adds one thing. None: as
#: clew does it.
STEPS: dict[str, tuple[str, Tuning | None]] = {
    "a thread per vertex, managed memory on demand": ("demand", THREAD),
    "+ degree cut, K = 16": ("demand", CUT),
    "+ shared-memory prefetch": ("demand", FETCHED),
    "+ managed memory prefetched: EtaGraph": ("prefetched", FETCHED),
    "EtaGraph w/o SMP": ("prefetched", CUT),
    "EtaGraph w/o UM (plain copy)": ("device", FETCHED),
    "clew's search, plain copy": ("device", None),
}
RESIDENT = {
    "a thread per vertex": THREAD,
    "+ degree cut, K = 16": CUT,
    "+ shared-memory prefetch": FETCHED,
    "clew's search": None,
}
RUN_ALONE = "resident"
ETAGRAPH = "+ managed memory prefetched: EtaGraph"


def _searches(bench: Bench, named: Named) -> dict[str, Callable[[Tuning | None], Answer]]:
    """Searches from active sets without buckets, as the paper's; clew's own where there is no tuning.

    A search in breadth is one for shortest paths whose edges all have length 1, in a byte each: it runs sssp's kernel,
    near_far.cuh, which takes the degree cut. Without a tuning it is ``clew.bfs``, whose kernel does not.
    """
    gpu, graph, source = bench.gpu, named.graph, named.source
    rows = graph.outgoing
    ones = np.ones(rows.num_arcs, np.uint8)
    unit = clew.Graph(Adjacency(rows.indptr, rows.indices, ones), directed=graph.directed)

    def shortest(of: clew.Graph, tuning: Tuning | None) -> Answer:
        if tuning is None:
            return sssp(gpu, of, source)
        return sssp(gpu, of, source, delta=inf, tuning=tuning)

    def widest(tuning: Tuning | None) -> Answer:
        if tuning is None:
            return sswp(gpu, graph, source)
        return sswp(gpu, graph, source, buckets=1, tuning=tuning)

    return {
        "bfs": partial(_in_breadth, bench, graph, unit, source, shortest),
        "sssp": partial(shortest, graph),
        "sswp": widest,
    }


def _in_breadth(
    bench: Bench,
    graph: clew.Graph,
    unit: clew.Graph,
    source: int,
    shortest: Callable[..., Answer],
    tuning: Tuning | None,
) -> Any:
    if tuning is None:
        from clew.algorithms.bfs.cuda import bfs

        return bfs(bench.gpu, graph, source)
    return shortest(unit, tuning)


def _checked(bench: Bench, named: Named, algorithm: str, result: Any) -> None:
    """Values, in all ways the same; a search in breadth has depths of -1 where no path is."""
    values = next(iter(result.values.values()))
    reached = bench.gpu.xp.where(result.parent >= 0, values, 0).astype(np.int64)
    known = bench.known.setdefault((named.name, f"{algorithm} sum"), int(reached.sum()))
    if int(reached.sum()) != known:
        raise AssertionError(f"{algorithm} on {named.name}: values sum to {int(reached.sum()):,}, expected {known:,}")


def _time(bench: Bench, named: Named, algorithm: str, way: str, search: Callable[[], Any]) -> float:
    with clew.memory("device"):
        search()  # compiles
    if way == RUN_ALONE:
        with clew.memory("device"):
            taken, found = bench.repeated(search)
        seconds = geometric_mean(taken) or 0.0
    else:
        seconds, found = timed(bench, way, search)
    _checked(bench, named, algorithm, found)
    return seconds


def run(bench: Bench, smaller: int, data: Path, names: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The text of one file, after every graph."""
    cells: dict[tuple[str, str, str], Any] = {}
    labels = {}
    for named in bench.graphs(names, smaller, data):
        name = named.name
        labels[name] = named.label
        searches = _searches(bench, named)
        with bench.share(1 / (len(names) - names.index(name))):
            for algorithm in ALGORITHMS:
                alone = {f"{RUN_ALONE} {step}": (RUN_ALONE, tuning) for step, tuning in RESIDENT.items()}
                for step, (way, tuning) in (STEPS | alone).items():
                    case = partial(_time, bench, named, algorithm, way, partial(searches[algorithm], tuning))
                    cells[algorithm, name, step] = bench.shown(f"{name} {algorithm} {step}", case, 40)
                bench.forget()
        bench.forget_answers(name)
        yield {"ablation.md": _text(cells, labels)}


def _text(cells: dict[tuple[str, str, str], Any], labels: dict[str, str]) -> str:
    text = [
        "### What EtaGraph's ideas add (its Figure 6)",
        "Copy and run, as times the speed of the first column (whose milliseconds are shown); each column up to "
        "EtaGraph adds one thing. Searches go from active set to active set without buckets, as the paper's do, but "
        "for the last column. bfs is a search for shortest paths whose edges all have length 1, with sssp's kernel "
        "(near_far.cuh), since `clew.bfs` has a kernel of its own that cuts up long rows in another way; only the last "
        "column is that one. Graphs: " + "; ".join(labels.values()) + ".",
        _speedups(cells, labels, tuple(STEPS)),
        "As the paper draws it: times of EtaGraph with one thing left out, over EtaGraph's.",
        _left_out(cells, labels),
        "The searches alone, the edges in GPU memory:",
        _speedups(cells, labels, tuple(f"{RUN_ALONE} {step}" for step in RESIDENT)),
        reasons(cells.values()),
    ]
    return "\n\n".join(part for part in text if part)


def _speedups(cells: dict[tuple[str, str, str], Any], names: Any, steps: tuple[str, ...]) -> str:
    rows = []
    for algorithm in ALGORITHMS:
        for name in names:
            base, *others = (cells[algorithm, name, step] for step in steps)
            ratios = [other if isinstance(other, Reason) else ratio(base, other) for other in others]
            rows.append([f"{algorithm} {name}", f"{milliseconds(base)} ms", *(number(each, 1, "x") for each in ratios)])
    means = [
        geometric_mean(ratio(cells[a, n, steps[0]], cells[a, n, step]) for a in ALGORITHMS for n in names)
        for step in steps[1:]
    ]
    rows.append(["geometric mean", "", *(number(mean, 1, "x") for mean in means)])
    return table(["", *(step.removeprefix(f"{RUN_ALONE} ") for step in steps)], rows)


def _left_out(cells: dict[tuple[str, str, str], Any], names: Any) -> str:
    steps = ("EtaGraph w/o SMP", "EtaGraph w/o UM (plain copy)", "+ shared-memory prefetch")
    heads = ["", "EtaGraph, ms", "w/o SMP", "w/o UM (plain copy)", "w/o UMP (on demand)"]
    rows = []
    for algorithm in ALGORITHMS:
        for name in names:
            full = cells[algorithm, name, ETAGRAPH]
            ratios = [ratio(cells[algorithm, name, step], full) for step in steps]
            rows.append([f"{algorithm} {name}", milliseconds(full), *(number(each) for each in ratios)])
    means = [
        geometric_mean(ratio(cells[a, n, step], cells[a, n, ETAGRAPH]) for a in ALGORITHMS for n in names)
        for step in steps
    ]
    rows.append(["geometric mean", "", *(number(mean) for mean in means)])
    return table(heads, rows)
