"""Peers that are programs on the PATH: they read a file, measure themselves and print what they found."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import clew
from clew.bench.task import FEWEST, Task, Timed, UnableError, trials_of


def beside(marker: str, *programs: str) -> dict[str, Path]:
    """The programs that stand in the folder of ``marker``, a name that only this peer's programs have."""
    found = shutil.which(marker)
    if found is None:
        return {}
    folder = Path(found).resolve().parent
    return {name: folder / name for name in programs if os.access(folder / name, os.X_OK)}


def stored(task: Task, suffix: str, *, weighted: bool, format_name: str | None = None) -> Path:
    """The graph in a file; it is written by the first that needs it."""
    path = task.folder / f"graph{suffix}"
    if not path.exists():
        graph = task.graph if weighted else task.graph.with_weights(None)
        if weighted and (graph.weights is None or graph.weights.dtype.kind not in "iu"):
            raise UnableError("its weights are 32-bit integers")
        if weighted and graph.weights is not None and graph.weights.dtype != np.int32:
            if graph.num_arcs and int(graph.weights.max()) > np.iinfo(np.int32).max:
                raise UnableError("its weights are 32-bit integers")
            source, target, weights = graph.edges()
            graph = clew.Graph.from_edges(
                source, target, np.asarray(weights, dtype=np.int32), graph.num_vertices, graph.directed
            )
        clew.write(graph, path, format_name)
    return path


def run(task: Task, command: Sequence[str | Path], time: str) -> Timed:
    """Run a program; the best of the times that the pattern ``time`` finds, and all it said."""
    done = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": str(task.threads)},
    )
    times = [float(seconds) for seconds in re.findall(time, done.stdout)]
    if not times:
        said = done.stdout.strip().splitlines()
        raise UnableError(f"no time was printed: {said[-1] if said else f'exit code {done.returncode}'}")
    return Timed(min(times), done.stdout)


def in_turns(call: Callable[[int], Timed]) -> Callable[[], Timed]:
    """Turns of a program that makes several runs in one start: few at first, then as many as there is time for."""
    trials = FEWEST

    def turn() -> Timed:
        nonlocal trials
        found = call(trials)
        trials = trials_of(found.seconds)
        return found

    return turn


def deltas(task: Task) -> list[int]:
    """Widths of buckets to try, around the average weight: what suits depends on the graph."""
    weights = task.graph.weights
    average = 1.0 if weights is None or not weights.size else float(weights.mean())
    return sorted({max(1, round(average * factor)) for factor in (1 / 64, 1 / 16, 1 / 4, 1, 4)})
