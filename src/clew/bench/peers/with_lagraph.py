"""LAGraph's benchmark programs, on SuiteSparse:GraphBLAS.

Left out are those that do other work: its PageRank stops at a change of 1e-4, its betweenness takes four sources at a
time. Its components need an undirected graph.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from clew.bench.peers import programs
from clew.bench.task import TRIALS, Answer, Maker, Ready, Task, Timed, UnableError

MARKER = "gappagerank_demo"
#: By algorithm: the program, and where it prints the time of a trial.
PROGRAMS = {
    "bfs": ("bfs_demo", r"parent only\s+pushpull trial:.*?([\d.]+) sec"),
    "sssp": ("sssp_demo", r"threads:.*trial:.*time:\s+([\d.]+) sec"),
    "connected_components": ("cc_demo", r"trial:\s+\d+ time:\s+([\d.]+) sec"),
    "triangles": ("tc_demo", r"trial\s+\d+:\s+([\d.]+) sec"),
}
UNDIRECTED_ONLY = ("connected_components", "triangles")


def offers() -> dict[str, Maker]:
    """What its programs on the PATH can do."""
    found = programs.beside(MARKER, *(name for name, _ in PROGRAMS.values()))
    return {
        algorithm: partial(_ready, algorithm, found[name], time)
        for algorithm, (name, time) in PROGRAMS.items()
        if name in found
    }


def _ready(algorithm: str, program: Path, time: str, task: Task) -> Ready:
    if algorithm in UNDIRECTED_ONLY and task.graph.directed:
        raise UnableError("only of undirected graphs")
    weighted = algorithm == "sssp"
    path = programs.stored(task, "-weighted.mtx" if weighted else ".mtx", weighted=weighted)
    starts = task.folder / "sources.mtx"
    lines = [str(task.source + 1)] * TRIALS
    starts.write_text("\n".join(["%%MatrixMarket matrix array integer general", f"{TRIALS} 1", *lines]) + "\n")

    def call(*more: str) -> Timed:
        return programs.run(task, [program, path, starts, *more], time)

    if not weighted:
        return Ready(call, _answer)
    best = min(programs.deltas(task), key=lambda delta: call(str(delta)).seconds)
    return Ready(partial(call, str(best)), _answer)


def _answer(said: Any) -> Answer:
    found = re.search(r"# of triangles: (\d+)", said)
    return Answer(facts={"total": int(found[1])} if found else {})
