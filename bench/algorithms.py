"""Algorithms on the CPU: clew, GAP, NetworKit and SciPy on the same graphs, with one thread and with two."""

from __future__ import annotations

import tempfile
from math import exp, log
from pathlib import Path

import numpy as np

import clew
from bench.harness import Row, race
from bench.peers import clew_calls, gap_seconds, networkit_calls, scipy_calls
from clew import threads

GRAPHS = {
    "kron16": lambda: clew.generate.kronecker(16, seed=1),
    "kron18": lambda: clew.generate.kronecker(18, seed=1),
    "rmat18d": lambda: clew.generate.rmat(18, 16, 0.45, 0.22, 0.22, seed=1, duplicates="drop", loops="drop"),
    "delaunay16": lambda: clew.generate.delaunay(1 << 16, seed=1),
    "grid1000": lambda: clew.generate.grid(1000, 1000, delete=0.1, seed=1),
}
UNDIRECTED_ONLY = ("triangles",)


def run() -> list[Row]:
    rows: list[Row] = []
    for name, make in GRAPHS.items():
        graph = clew.generate.random_weights(make(), 1, 255, 1, "int32")
        source = int(np.argmax(graph.degrees()))
        with tempfile.TemporaryDirectory() as folder:
            for count in (1, 2):
                rows += _one(name, graph, source, count, Path(folder))
    threads.set_count(None)
    _summary(rows)
    return rows


def _one(name: str, graph: clew.Graph, source: int, count: int, folder: Path) -> list[Row]:
    rows: list[Row] = []
    for algorithm, make in clew_calls().items():
        if graph.directed and algorithm in UNDIRECTED_ONLY:
            continue
        threads.set_count(count)
        _ = graph.incoming
        contenders = {"clew": make(graph, source)}
        peers = {"scipy": scipy_calls()} if count == 1 else {"networkit": networkit_calls()}
        for peer, offers in peers.items():
            if algorithm in offers:
                contenders[peer] = offers[algorithm](graph, source)
        work = f"{algorithm} {name}, {count} thread{'s' if count > 1 else ''}"
        rows += race(work, contenders, rounds=5 if name != "kron18" else 3)
        seconds = gap_seconds(algorithm, graph, source, folder, count)
        if seconds is not None:
            rows.append(Row(work, "gap", seconds))
    return rows


def _summary(rows: list[Row]) -> None:
    """The geometric mean over graphs of GAP's time divided by clew's."""
    for algorithm in clew_calls():
        for count in (1, 2):
            ratios = []
            for row in rows:
                if row.contender == "gap" and row.work.startswith(f"{algorithm} ") and f", {count} thread" in row.work:
                    ours = next(r.seconds for r in rows if r.work == row.work and r.contender == "clew")
                    ratios.append(row.seconds / ours)
            if ratios:
                mean = exp(sum(map(log, ratios)) / len(ratios))
                print(f"{algorithm}, {count} thread(s): {mean:.2f} times as fast as GAP (geometric mean)")
