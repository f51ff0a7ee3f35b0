"""``clew warmup``: compile now what would otherwise be compiled at first use; kept on disk for every later process."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated

import typer

from clew import generate
from clew.algorithms.registry import ALGORITHMS, Algorithm
from clew.cli import output
from clew.cli.output import Column
from clew.errors import GraphError
from clew.graph import Graph
from clew.progress import showing


def warmup(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compile every algorithm ahead of its first use.

    Compiled code stays on disk (`clew doctor` shows where). Run this once after an installation or an update, if at
    all: for instance when you build a container, so that all its users find the code.
    """
    seconds = {}
    with showing("compiling") as progress:
        for done, (name, algorithm) in enumerate(sorted(ALGORITHMS.items())):
            if progress is not None:
                progress(done, len(ALGORITHMS))
            seconds[name] = compiled(algorithm)
    if as_json:
        output.as_json({name: round(time, 3) for name, time in seconds.items()})
        return
    output.heading("Compiled and kept on disk")
    output.table(
        [Column("algorithm", style="bold"), Column("time", "right")],
        [(name, output.duration(time)) for name, time in seconds.items()],
    )


def compiled(algorithm: Algorithm) -> float:
    """The seconds it takes to run an algorithm on the graphs that people have."""
    started = perf_counter()
    for graph in samples():
        try:
            algorithm.function(graph, **({"source": 0} if algorithm.needs_source else {}))
        except GraphError:
            continue  # this algorithm does not take such graphs
    return perf_counter() - started


def samples() -> list[Graph]:
    """Small graphs of the usual kinds: without weights, with integers, with floats; directed or not."""
    plain = [generate.grid(3, 4), generate.rmat(4, 2, duplicates="drop", loops="drop")]
    kinds = ("int32", "int64", "float64")
    return plain + [generate.random_weights(graph, 1, 255, dtype=kind) for graph in plain for kind in kinds]
