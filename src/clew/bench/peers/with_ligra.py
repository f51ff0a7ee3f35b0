"""Ligra: C++, with OpenMP or Cilk. Except for triangles it prints no answers, so there is nothing to compare."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from clew.bench.peers import programs
from clew.bench.peers.with_clew import ROUNDS
from clew.bench.task import Answer, Maker, Ready, Task, Timed, UnableError

MARKER = "BellmanFord"  # a name that only its programs have
TIME = r"Running time\s*:\s*([\d.eE+-]+)"
#: By algorithm: the program and its options. Its PageRank always stops at a change of 1e-7: rounds only.
PROGRAMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "bfs": ("BFS", ()),
    "sssp": ("BellmanFord", ()),
    "pagerank": ("PageRank", ("-maxiters", str(ROUNDS))),
    "connected_components": ("Components", ()),
    "triangles": ("Triangle", ()),
    "betweenness": ("BC", ()),
}
STARTS_SOMEWHERE = ("bfs", "sssp", "betweenness")
UNDIRECTED_ONLY = ("connected_components", "triangles")


def offers() -> dict[str, Maker]:
    """What its programs on the PATH can do."""
    found = programs.beside(MARKER, *(name for name, _ in PROGRAMS.values()))
    return {
        algorithm: partial(_ready, algorithm, found[name], options)
        for algorithm, (name, options) in PROGRAMS.items()
        if name in found
    }


def _ready(algorithm: str, program: Path, options: tuple[str, ...], task: Task) -> Ready:
    if algorithm in UNDIRECTED_ONLY and task.graph.directed:
        raise UnableError("only of undirected graphs")
    weighted = algorithm == "sssp"
    path = programs.stored(task, ".wadj" if weighted else ".adj", weighted=weighted, format_name="ligra")
    start = ("-r", str(task.source)) if algorithm in STARTS_SOMEWHERE else ()
    symmetric = () if task.graph.directed else ("-s",)

    def call(trials: int) -> Timed:
        # Options come before the file, which its command line takes from the end.
        command = [program, "-rounds", str(trials), *options, *start, *symmetric, path]
        return programs.run(task, command, TIME)

    return Ready(programs.in_turns(call), _answer)


def _answer(said: Any) -> Answer:
    found = re.search(r"triangle count = (\d+)", said)
    return Answer(facts={"total": int(found[1])} if found else {})
