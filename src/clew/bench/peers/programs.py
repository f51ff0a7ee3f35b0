"""Benchmark programs on the PATH: GAP, Ligra and LAGraph. They read a file, time themselves and print an answer.

GAP's PageRank uses new ranks within an iteration and drops the rank of dead ends. Ligra's stops at a change of 1e-7, so
only a fixed number of iterations is comparable. LAGraph's PageRank (stops at 1e-4) and betweenness (four sources at a
time) do other work and are not raced.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import clew
from clew.bench.task import FEWEST, LONG, ROUNDS, TOLERANCE, TRIALS, Answer, Prepare, Ready, Task, Timed, UnableError


class Program(NamedTuple):
    """A program, its options, and what it prints: the times of its trials, and a fact about the answer."""

    name: str
    options: Sequence[str] = ()
    time: str = ""  # by default that of the suite
    fact: tuple[str, str] | None = None  # its name, and the pattern that finds it


class Suite(NamedTuple):
    """The programs of one peer.

    ``command`` returns the arguments of a program. It takes the task, the file of the graph, the number of trials and
    the source or an empty list.
    """

    marker: str  # a program name that no other package has
    programs: Mapping[str, Program]
    command: Callable[[Task, Path, int, Sequence[str]], list[str]]
    time: str = ""
    suffixes: tuple[str, str] = (".mtx", "-weighted.mtx")  # without and with weights
    undirected: Sequence[str] = ("triangles", "connected_components")  # the algorithms that need such a graph
    delta: str | None = None  # the option of sssp for the width of buckets, which depends on the graph


def _gap(_: Task, file: Path, trials: int, source: Sequence[str]) -> list[str]:
    return ["-f", str(file), "-n", str(trials), "-a", *source]


def _ligra(task: Task, file: Path, trials: int, source: Sequence[str]) -> list[str]:
    symmetric = [] if task.graph.directed else ["-s"]
    return ["-rounds", str(trials), *source, *symmetric, str(file)]


def _lagraph(task: Task, file: Path, _trials: int, _source: Sequence[str]) -> list[str]:
    """LAGraph reads the sources from a file, and makes one trial for each."""
    sources = task.folder / "sources.mtx"
    lines = ["%%MatrixMarket matrix array integer general", f"{TRIALS} 1", *[str(task.source + 1)] * TRIALS]
    sources.write_text("\n".join(lines) + "\n")
    return [str(file), str(sources)]


GAP_SCORES = ("top", r"^(\d+):([-+.\deinfa]+)$")
SUITES = {
    "gap": Suite(
        "cc_sv",
        {
            "bfs": Program("bfs", fact=("reached", r"BFS Tree has (\d+) nodes")),
            "sssp": Program("sssp", fact=("reached", r"SSSP Tree reaches (\d+) nodes")),
            "pagerank": Program("pr", (f"-i{ROUNDS}", "-t0"), fact=GAP_SCORES),
            "pagerank_converged": Program("pr", ("-i100", f"-t{TOLERANCE}"), fact=GAP_SCORES),
            "connected_components": Program("cc", fact=("components", r"There are (\d+) components")),
            "triangles": Program("tc", fact=("total", r"(\d+) triangles")),
            "betweenness": Program("bc", ("-i1",), fact=GAP_SCORES),
        },
        _gap,
        time=r"Trial Time:\s+([\d.]+)",
        suffixes=(".sg", ".wsg"),
        undirected=("triangles",),
        delta="-d{}",
    ),
    "ligra": Suite(
        "BellmanFord",
        {
            "bfs": Program("BFS"),
            "sssp": Program("BellmanFord"),
            "pagerank": Program("PageRank", ("-maxiters", str(ROUNDS))),
            "connected_components": Program("Components"),
            "triangles": Program("Triangle", fact=("total", r"triangle count = (\d+)")),
            "betweenness": Program("BC"),
        },
        _ligra,
        time=r"Running time\s*:\s*([\d.eE+-]+)",
        suffixes=(".adj", "-weighted.adj"),
    ),
    "lagraph": Suite(
        "gappagerank_demo",
        {
            "bfs": Program("bfs_demo", time=r"parent only\s+pushpull trial:.*?([\d.]+) sec"),
            "sssp": Program("sssp_demo", time=r"threads:.*trial:.*time:\s+([\d.]+) sec"),
            "connected_components": Program("cc_demo", time=r"trial:\s+\d+ time:\s+([\d.]+) sec"),
            "triangles": Program("tc_demo", (), r"trial\s+\d+:\s+([\d.]+) sec", ("total", r"# of triangles: (\d+)")),
        },
        _lagraph,
        delta="{}",
    ),
}


def offers(peer: str) -> dict[str, Prepare]:
    """The algorithms whose programs are in the folder of the suite's marker."""
    suite = SUITES[peer]
    marker = shutil.which(suite.marker)
    if marker is None:
        return {}
    folder = Path(marker).resolve().parent
    return {
        algorithm: partial(_prepare, suite, algorithm, program, folder / program.name)
        for algorithm, program in suite.programs.items()
        if os.access(folder / program.name, os.X_OK)
    }


def _prepare(suite: Suite, algorithm: str, program: Program, path: Path, task: Task) -> Ready:
    if algorithm in suite.undirected:
        task.require_undirected()
    weighted = task.is_weighted(algorithm)
    file = _stored(suite, task, weighted=weighted)
    source = ["-r", str(task.source)] if {"source", "samples"} & task.arguments(algorithm).keys() else []

    def call(trials: int, *delta: str) -> Timed:
        command = [str(path), *program.options, *suite.command(task, file, trials, source), *delta]
        return _run(task, command, program.time or suite.time)

    best: tuple[str, ...] = ()
    if weighted and suite.delta is not None:
        best = min(((suite.delta.format(delta),) for delta in _deltas(task)), key=lambda one: call(2, *one).seconds)
    trials = FEWEST  # in one start: few at first, then as many as there is time for

    def turn() -> Timed:
        nonlocal trials
        timed = call(trials, *best)
        trials = max(FEWEST, min(TRIALS, int(LONG / max(timed.seconds, 1e-9))))
        return timed

    return Ready(turn, partial(_answer, algorithm, program, task.source))


def _stored(suite: Suite, task: Task, *, weighted: bool) -> Path:
    """The graph in a file of the suite's format. The first program that needs it writes it."""
    path = task.folder / f"graph{suite.suffixes[weighted]}"
    if path.exists():
        return path
    graph = task.graph if weighted else task.graph.with_weights(None)
    if weighted:
        weights = graph.weights
        if weights is None or weights.dtype.kind not in "iu" or weights.max(initial=0) > np.iinfo(np.int32).max:
            raise UnableError("its weights are 32-bit integers")
        graph = graph.with_weights(weights.astype(np.int32))
    clew.write(graph, path)
    return path


def _run(task: Task, command: Sequence[str], time: str) -> Timed:
    """Run a program; the best of the times that the pattern ``time`` finds, and everything it printed."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(task.threads)}
    together: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(command, text=True, check=False, env=environment, **together)
    times = [float(seconds) for seconds in re.findall(time, done.stdout)]
    if not times:
        lines = done.stdout.strip().splitlines()
        raise UnableError(f"no time was printed: {lines[-1] if lines else f'exit code {done.returncode}'}")
    return Timed(min(times), done.stdout)


def _deltas(task: Task) -> list[int]:
    """The bucket widths to try, around the mean weight."""
    weights = task.graph.weights
    mean = 1.0 if weights is None or not weights.size else float(weights.mean())
    return sorted({max(1, round(mean * factor)) for factor in (1 / 64, 1 / 16, 1 / 4, 1, 4)})


def _answer(algorithm: str, program: Program, source: int, printed: Any) -> Answer:
    """The fact that the program printed about its answer; most programs of Ligra and LAGraph print none."""
    if program.fact is None:
        return Answer()
    name, pattern = program.fact
    found = re.findall(pattern, printed, re.MULTILINE)
    if name == "top":
        top = {int(vertex): float(score) for vertex, score in found}
        if algorithm == "betweenness":
            top.pop(source, None)  # GAP counts the source among the vertices on its paths
        return Answer(facts={name: top})
    if not found:
        raise UnableError("its answer could not be read")
    return Answer(facts={name: int(found[0])})
