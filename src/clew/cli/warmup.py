"""``clew warmup``: compile all algorithms now, and cache the code on disk for later processes."""

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
    """Compile every algorithm before its first use.

    Compiled code is cached on disk (`clew doctor` shows where). Running this is optional. It helps after an
    installation or an update, for instance in a container image, so that all users share the code.
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
    output.heading("Compiled and cached on disk")
    output.table(
        [Column("algorithm", style="bold"), Column("time", "right")],
        [(name, output.duration(time)) for name, time in seconds.items()],
    )


def compiled(algorithm: Algorithm) -> float:
    """The seconds to run an algorithm on typical graphs."""
    started = perf_counter()
    for graph in samples():
        try:
            algorithm.function(graph, **({"source": 0} if algorithm.needs_source else {}))
        except GraphError:
            continue  # this algorithm does not take such graphs
    return perf_counter() - started


def samples() -> list[Graph]:
    """Small graphs of the usual types: unweighted, with integers, with floats; directed and undirected."""
    plain = [generate.grid(3, 4), generate.rmat(4, 2, duplicates="drop", loops="drop")]
    kinds = ("int32", "int64", "float64")
    return plain + [generate.random_weights(graph, 1, 255, dtype=kind) for graph in plain for kind in kinds]
