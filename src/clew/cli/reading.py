"""The options of every command that reads a graph, defined once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import Annotated, Any

import typer

from clew.cli import weights
from clew.cli.derived import declared, parameter
from clew.graph import Graph
from clew.io.options import Ids, ReadOptions

TABS = {"tab": "\t", r"\t": "\t"}  # which are hard to type in a shell
COLUMN = "by name, or by position from 1."


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read a graph, from the command line; None means: as the file says."""

    format_name: Annotated[
        str | None, typer.Option("--format", "--from", metavar="FORMAT", help="The file's format.")
    ] = None
    delimiter: Annotated[
        str | None,
        typer.Option("--delimiter", metavar="CHAR", help="The column separator of an edge list, such as ; or tab."),
    ] = None
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether the first line of an edge list names the columns."),
    ] = None
    source_column: Annotated[
        str | None, typer.Option("--source-column", metavar="COLUMN", help=f"The column of edge sources, {COLUMN}")
    ] = None
    target_column: Annotated[
        str | None, typer.Option("--target-column", metavar="COLUMN", help=f"The column of edge targets, {COLUMN}")
    ] = None
    weight_column: Annotated[
        str | None, typer.Option("--weight-column", metavar="COLUMN", help=f"The column of weights, {COLUMN}")
    ] = None
    read_directed: Annotated[
        bool | None, typer.Option("--directed/--undirected", help="Whether edges have directions; default: the file's.")
    ] = None
    ids: Annotated[
        Ids, typer.Option("--ids", help="Ids of an edge list or table: keep integers, map them to 0…n-1, or read text.")
    ] = "auto"
    weights_from: Annotated[str | None, typer.Option("--weights", metavar="WEIGHTS", help=weights.HELP)] = None

    def options(self, **more: Any) -> ReadOptions:
        """The reader's options; weights that will be replaced are not read."""
        chosen = {
            "delimiter": TABS.get(self.delimiter or "", self.delimiter),
            "header": self.header,
            "source": self.source_column,
            "target": self.target_column,
            "weight": self.weight_column,
            "directed": self.read_directed,
            "ids": self.ids,
            "weights": None if weights.parse(self.weights_from) is None else False,
        }
        return ReadOptions(**chosen | more)

    def weighted(self, graph: Graph) -> Graph:
        """The graph with the requested weights."""
        return weights.apply(graph, weights.parse(self.weights_from))


#: The options as parameters of a command.
PARAMETERS = [
    parameter(name, annotation, default)
    for name, annotation, default in (
        (one.name, inspect.get_annotations(Reading, eval_str=True)[one.name], one.default) for one in fields(Reading)
    )
]


def taken(given: dict[str, Any]) -> Reading:
    """Remove the reading options from a command's arguments, and return them."""
    return Reading(**{one.name: given.pop(one.name) for one in PARAMETERS})


def reads_graph(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the parameter ``reading`` of a command with all reading options."""

    @wraps(command)
    def run(**given: Any) -> None:
        command(reading=taken(given), **given)

    parameters: list[inspect.Parameter] = []
    for one in inspect.signature(command, eval_str=True).parameters.values():
        parameters += PARAMETERS if one.name == "reading" else [one.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
    del run.__wrapped__  # Typer would look through it
    return declared(run, parameters)
