"""Options of commands: derived from the signature and docstring of a function, or shared by several commands."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import partial, wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer

from clew import generate
from clew.graph import Graph
from clew.io.options import Ids, ReadOptions

GraphFile = Annotated[Path, typer.Argument(metavar="FILE", help="A graph in any format; - for stdin.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
SIMPLE = (int, float, bool, str)
TABS = {"tab": "\t", r"\t": "\t"}  # tabs are hard to type in a shell
WEIGHTS_HELP = "random:LOW:HIGH:SEED for random numbers from LOW to HIGH (the seed is optional), or none."
WeightsFrom = Annotated[str | None, typer.Option("--weights", metavar="WEIGHTS", help=WEIGHTS_HELP)]
RANDOM = re.compile(r"random:(-?\d+(?:\.\d+)?):(-?\d+(?:\.\d+)?)(?::(\d+))?", re.ASCII)


def declared(run: Callable[..., None], parameters: Sequence[inspect.Parameter]) -> Callable[..., None]:
    """``run``, which takes keywords, as a function with exactly these parameters."""
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {}  # the signature has them
    return run


def keywords_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The keyword-only parameters of a function, whose annotations are Typer's."""
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    return [one for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY]


def options_of(function: Callable[..., Any], *, but: Sequence[str] = ()) -> list[inspect.Parameter]:
    """The parameters of a function: those without a default become arguments, the others options.

    Parameters named in ``but`` are omitted, and so are those of types that a command line cannot express. A parameter
    that may be a number or a list is a number here.
    """
    hints = {name: _without_lists(hint) for name, hint in get_type_hints(function).items()}
    texts = parameter_texts(inspect.getdoc(function) or "")
    options = []
    for name, given in inspect.signature(function).parameters.items():
        if name in but or not _is_simple(hints[name]):
            continue
        text = texts.get(name, "")
        if given.default is inspect.Parameter.empty:
            option: Any = typer.Argument(help=text)
        elif name == "directed":
            option = typer.Option("--directed/--undirected", help=text)
        else:
            option = typer.Option(help=text)
        options.append(parameter(name, Annotated[hints[name], option], given.default))
    return options


def parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """A parameter in the form that Typer expects."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def help_of(function: Callable[..., Any]) -> str:
    """The help of a command: the first paragraph of a docstring."""
    return " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].replace("``", "").split())


def parameter_texts(docstring: str) -> dict[str, str]:
    """The first sentence about each parameter in a docstring."""
    section = docstring.partition("Parameters\n----------\n")[2]
    section = re.split(r"^\w.*\n-+$", section, maxsplit=1, flags=re.MULTILINE)[0]
    texts = {}
    for names, text in re.findall(r"^(\w[\w, ]*)\n((?:[ ]+\S.*\n?)+)", section, re.MULTILINE):
        sentence = re.split(r"(?<=\.)\s", " ".join(text.split()), maxsplit=1)[0]
        texts.update(dict.fromkeys(re.split(r",\s*", names), sentence.replace("``", "")))
    return texts


def _without_lists(hint: Any) -> Any:
    if get_origin(hint) not in (Union, UnionType):
        return hint
    return Union[tuple(one for one in get_args(hint) if get_origin(one) is not Iterable)]  # noqa: UP007, made here


def _is_simple(hint: Any) -> bool:
    if get_origin(hint) is Literal or hint in SIMPLE:
        return True
    union = get_origin(hint) in (Union, UnionType)
    members = [one for one in get_args(hint) if one is not NoneType]
    return union and len(members) == 1 and _is_simple(members[0])


def parse_weights(text: str | None) -> Callable[[Graph], Graph] | None:
    """The change of weights that an option requests; None leaves the graph's own."""
    if text is None:
        return None
    if text == "none":
        return lambda graph: graph.with_weights(None) if graph.weighted else graph
    found = RANDOM.fullmatch(text)
    if found is not None:
        low, high = (float(limit) if "." in limit else int(limit) for limit in (found[1], found[2]))
        if low <= high:
            return partial(generate.random_weights, low=low, high=high, seed=int(found[3] or 0))
    raise typer.BadParameter(f"{text!r} is not supported; expected {WEIGHTS_HELP}", param_hint="--weights")


def _column(flag: str, what: str) -> Any:
    return typer.Option(flag, metavar="COLUMN", help=f"The column of {what}, by name, or by position from 1.")


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
    source_column: Annotated[str | None, _column("--source-column", "edge sources")] = None
    target_column: Annotated[str | None, _column("--target-column", "edge targets")] = None
    weight_column: Annotated[str | None, _column("--weight-column", "weights")] = None
    edge_columns: Annotated[
        str | None,
        typer.Option("--columns", metavar="COLUMNS", help="Edge columns to read: names with commas, or all."),
    ] = None
    read_directed: Annotated[
        bool | None, typer.Option("--directed/--undirected", help="Whether edges have directions; default: the file's.")
    ] = None
    ids: Annotated[
        Ids, typer.Option("--ids", help="Ids of an edge list or table: keep integers, map them to 0…n-1, or read text.")
    ] = "auto"
    weights_from: WeightsFrom = None

    def options(self, **more: Any) -> ReadOptions:
        """The reader's options; weights that will be replaced are not read."""
        chosen = {
            "delimiter": TABS.get(self.delimiter or "", self.delimiter),
            "header": self.header,
            "source": self.source_column,
            "target": self.target_column,
            "weight": self.weight_column,
            "columns": self.edge_columns == "all" or (self.edge_columns.split(",") if self.edge_columns else None),
            "directed": self.read_directed,
            "ids": self.ids,
            "weights": None if parse_weights(self.weights_from) is None else False,
        }
        return ReadOptions(**chosen | more)

    def weighted(self, graph: Graph) -> Graph:
        """The graph with the requested weights."""
        change = parse_weights(self.weights_from)
        return graph if change is None else change(graph)


_ANNOTATIONS = inspect.get_annotations(Reading, eval_str=True)
#: The options of ``Reading`` as parameters of a command.
READING = [parameter(one.name, _ANNOTATIONS[one.name], one.default) for one in fields(Reading)]


def reading_of(given: dict[str, Any]) -> Reading:
    """Remove the reading options from a command's arguments, and return them."""
    return Reading(**{one.name: given.pop(one.name) for one in READING})


def reads_graph(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the parameter ``reading`` of a command with all reading options."""

    @wraps(command)
    def run(**given: Any) -> None:
        command(reading=reading_of(given), **given)

    parameters: list[inspect.Parameter] = []
    for one in inspect.signature(command, eval_str=True).parameters.values():
        parameters += READING if one.name == "reading" else [one.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
    del run.__wrapped__  # Typer would look through it
    return declared(run, parameters)
