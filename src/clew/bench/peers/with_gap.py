"""The GAP benchmark suite: C++ and OpenMP. Its PageRank uses new ranks at once and drops the rank of dead ends."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from clew.bench.peers import programs
from clew.bench.peers.with_clew import ROUNDS, TOLERANCE
from clew.bench.task import Answer, Maker, Ready, Task, Timed, UnableError

MARKER = "cc_sv"  # the one name of its programs that nothing else has
TIME = r"Trial Time:\s+([\d.]+)"
#: By algorithm: the program, its options, and what it prints with -a.
PROGRAMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "bfs": ("bfs", ()),
    "sssp": ("sssp", ()),
    "pagerank": ("pr", (f"-i{ROUNDS}", "-t0")),
    "pagerank_converged": ("pr", ("-i100", f"-t{TOLERANCE}")),
    "connected_components": ("cc", ()),
    "triangles": ("tc", ()),
    "betweenness": ("bc", ("-i1",)),
}
STARTS_SOMEWHERE = ("bfs", "sssp", "betweenness")


def offers() -> dict[str, Maker]:
    """What its programs on the PATH can do."""
    found = programs.beside(MARKER, *(name for name, _ in PROGRAMS.values()))
    return {
        algorithm: partial(_ready, algorithm, found[name], options)
        for algorithm, (name, options) in PROGRAMS.items()
        if name in found
    }


def _ready(algorithm: str, program: Path, options: tuple[str, ...], task: Task) -> Ready:
    if algorithm == "triangles" and task.graph.directed:
        raise UnableError("only of undirected graphs")
    weighted = algorithm == "sssp"
    path = programs.stored(task, ".wsg" if weighted else ".sg", weighted=weighted)
    start = ("-r", str(task.source)) if algorithm in STARTS_SOMEWHERE else ()

    def call(trials: int, *more: str) -> Timed:
        return programs.run(task, [program, "-f", path, "-n", str(trials), "-a", *options, *start, *more], TIME)

    if weighted:
        options = (f"-d{min(programs.deltas(task), key=lambda delta: call(2, f'-d{delta}').seconds)}",)
    return Ready(programs.in_turns(call), partial(_answer, algorithm, task.source))


def _answer(algorithm: str, source: int, said: Any) -> Answer:
    """What the analysis after a trial says."""
    if algorithm in ("bfs", "sssp"):
        return Answer(facts={"reached": _number(r"(?:BFS Tree has|SSSP Tree reaches) (\d+) nodes", said)})
    if algorithm == "connected_components":
        return Answer(facts={"components": _number(r"There are (\d+) components", said)})
    if algorithm == "triangles":
        return Answer(facts={"total": _number(r"(\d+) triangles", said)})
    scores = re.findall(r"^(\d+):([-+.\deinfa]+)$", said, re.MULTILINE)
    top = {int(vertex): float(score) for vertex, score in scores}
    if algorithm == "betweenness":
        top.pop(source, None)  # it counts the source among the vertices on its paths
    return Answer(facts={"top": top})


def _number(pattern: str, said: str) -> int:
    found = re.search(pattern, said)
    if found is None:
        raise UnableError("its answer could not be read")
    return int(found[1])
