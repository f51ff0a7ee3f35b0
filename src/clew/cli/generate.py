"""``clew generate``: one subcommand for each generator, derived from the function itself.

A new generator becomes a subcommand without a change here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from clew import generate as generators
from clew.cli import output, weights
from clew.cli.derived import declared, help_of, options_of, parameter
from clew.cli.files import format_to_write, save, tell
from clew.graph import Graph
from clew.progress import showing

Generator = Callable[..., Graph]

#: What every subcommand takes apart from the generator's own parameters.
COMMON = [
    parameter(
        "destination",
        Annotated[
            Path,
            typer.Option(
                "--output", "-o", metavar="FILE", help="The file to write; the suffix is the format. - for stdout."
            ),
        ],
    ),
    parameter(
        "format_name", Annotated[str | None, typer.Option("--to", metavar="FORMAT", help="The format of FILE.")], None
    ),
    parameter(
        "weight_source", Annotated[str | None, typer.Option("--weights", metavar="WEIGHTS", help=weights.HELP)], None
    ),
    parameter("as_json", Annotated[bool, typer.Option("--json", help="Print JSON.")], False),
]


def commands() -> typer.Typer:
    """The ``generate`` command with all its subcommands."""
    group = typer.Typer(no_args_is_help=True, help="Generate a graph and write it to a file.")
    for name in generators.__all__:
        make = getattr(generators, name)
        if "graph" not in inspect.signature(make).parameters:  # those change a graph rather than make one
            text = help_of(make)
            group.command(name.replace("_", "-"), help=text, short_help=text)(command(make))
    return group


def command(make: Generator) -> Callable[..., None]:
    """A Typer command that calls ``make`` and writes the graph."""

    def run(
        *, destination: Path, format_name: str | None, weight_source: str | None, as_json: bool, **chosen: Any
    ) -> None:
        wanted_weights = weights.parse(weight_source)
        wanted_format = format_to_write(destination, format_name, as_json=as_json)
        started = perf_counter()
        with showing("generating"):
            graph = weights.apply(make(**chosen), wanted_weights)
        seconds = perf_counter() - started
        written = save(graph, destination, wanted_format)
        if as_json:
            generated = {"seconds": round(seconds, 6), **graph.describe().as_dict()}
            output.as_json({"generated": generated, "written": written.as_dict()})
            return
        made = f"{output.size(graph)}  ({output.duration(seconds)})"
        tell([("generated", made), ("written", str(written))], destination)

    return declared(run, [*options_of(make), *COMMON])
