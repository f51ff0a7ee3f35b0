"""How far ``clew.explain`` is off: predicted and measured seconds of every algorithm on a dozen graphs.

All runs have one thread. Other programs may use the machine, so its CPU time counts, or the time by the clock where
that is less: threads of BLAS that wait for work take CPU time on free cores. The best of a few runs counts. Calls
shorter than 10 ms are left out. ``python -m bench explain [GRAPH…] [FILE…] [ALGORITHM…]`` prints the ratios, and how
many are within a factor of 3. Files are for graphs on which no model was tuned.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np

import clew
from bench.harness import OUT
from clew.algorithms.registry import ALGORITHMS
from clew.bench.graphs import busiest, generated, simple
from clew.errors import ClewError
from clew.plan import machine
from clew.plan.plan import rehearse

SHORT, LONG = 0.01, 3.0  # seconds, measured; and predicted
FACTOR = 3.0
ROUNDS = 3
PATIENCE = 60.0  # seconds of a clock
GRAPHS: dict[str, Callable[[], clew.Graph]] = {
    **{name: lambda name=name: generated(name) for name in ("kron13", "kron16", "rmat15d", "rmat17d")},
    **{name: lambda name=name: generated(name) for name in ("delaunay14", "delaunay17", "grid150", "grid600")},
    "uniform": lambda: clew.generate.uniform(1 << 17, 1 << 19, seed=1),
    "small-world": lambda: clew.generate.small_world(1 << 16, 8, 0.1, seed=1),
    "attached": lambda: clew.generate.barabasi_albert(1 << 16, 6, seed=1),
    "debian": clew.datasets.debian,
}


def main(names: Sequence[str]) -> None:
    """Measure, print and save."""
    clew.threads.set_count(1)
    _measure_machine()
    rows: list[tuple[str, str, float, float]] = []
    files = {Path(name).name: lambda name=name: clew.read(name) for name in names if Path(name).is_file()}
    graphs = {**{name: GRAPHS[name] for name in names if name in GRAPHS}, **files} or GRAPHS
    for graph_name, make in graphs.items():
        graph = simple(make())
        for name in [name for name in names if name in ALGORITHMS] or sorted(ALGORITHMS):
            found = _compare(graph, name)
            if found is not None:
                rows.append((graph_name, name, *found))
                print(
                    f"{graph_name:12} {name:30} {found[0]:9.4f} {found[1]:9.4f} {found[1] / found[0]:7.2f}", flush=True
                )
    OUT.mkdir(exist_ok=True)
    (OUT / "explain.json").write_text(json.dumps(rows) + "\n")
    _summarise(rows)


def _measure_machine() -> None:
    """The best of several measurements of each rate."""
    found = [machine.Machine(**machine._measure_processor()) for _ in range(2 * ROUNDS)]
    gathers = tuple(map(max, zip(*(one.gathers for one in found), strict=True)))
    machine._known[1] = replace(found[0], gathers=gathers, read=max(one.read for one in found))


def _compare(graph: clew.Graph, name: str) -> tuple[float, float] | None:
    """Predicted and measured seconds; None for calls that are not possible, short, or too long to measure."""
    arguments: dict[str, Any] = {"source": busiest(graph)} if ALGORITHMS[name].needs_source else {}
    arguments |= {"sources": range(64)} if name == "multi_source_bfs" else {}
    try:
        expected = clew.explain(graph, name, "cpu", **arguments).expected
        if expected is None or expected.likely > LONG:
            return None
        rehearse(graph, name, "cpu", arguments)
        taken = []
        while len(taken) < ROUNDS and sum(taken) < LONG:
            taken.append(_seconds(lambda: ALGORITHMS[name].function(graph, **arguments, device="cpu")))
    except ClewError:
        return None
    return (expected.likely, min(taken)) if min(taken) >= SHORT else None


def _seconds(call: Callable[[], object]) -> float:
    """The seconds of a call, of CPU time or by the clock; it is interrupted if it takes far too long."""
    patience = Timer(PATIENCE, lambda: os.kill(os.getpid(), signal.SIGINT))
    started, begun = time.process_time(), time.perf_counter()
    patience.start()
    try:
        with suppress(KeyboardInterrupt):
            call()
    finally:
        patience.cancel()
    return min(time.process_time() - started, time.perf_counter() - begun)


def _summarise(rows: Sequence[tuple[str, str, float, float]]) -> None:
    print(
        "\n| algorithm | calls | within a factor of 3 | measured / predicted: median | smallest | largest |\n|"
        + "---|" * 6
    )
    for name in [*dict.fromkeys(row[1] for row in rows), "all"]:
        ratios = np.array([row[3] / row[2] for row in rows if name in (row[1], "all")])
        within = int(((ratios < FACTOR) & (ratios > 1 / FACTOR)).sum())
        figures = f"{np.median(ratios):.2f} | {ratios.min():.2f} | {ratios.max():.2f}"
        print(f"| {name} | {ratios.size} | {within} | {figures} |")
