"""``clew generate``: one subcommand for each generator, derived from the function itself.

Arguments, options, their types and defaults come from the generator's signature and their help from its docstring, so
that a new generator is a new subcommand without a line here.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, get_type_hints

import typer

from clew import generate as generators
from clew.cli import output, weights
from clew.cli.files import format_to_write, save
from clew.cli.progress import showing
from clew.graph import Graph

Generator = Callable[..., Graph]

#: What every subcommand takes apart from the generator's own parameters: name, type and default.
COMMON: list[tuple[str, Any, Any]] = [
    (
        "destination",
        Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to; the suffix names the format.")],
        inspect.Parameter.empty,
    ),
    ("format_name", Annotated[str | None, typer.Option("--to", metavar="FORMAT", help="The format of FILE.")], None),
    ("weight_source", Annotated[str | None, typer.Option("--weights", metavar="WEIGHTS", help=weights.HELP)], None),
    ("as_json", Annotated[bool, typer.Option("--json", help="Print JSON.")], False),
]


def commands() -> typer.Typer:
    """The ``generate`` command with all its subcommands."""
    group = typer.Typer(no_args_is_help=True, help="Generate a graph and write it to a file.")
    for name in generators.__all__:
        make = getattr(generators, name)
        if "graph" not in inspect.signature(make).parameters:  # those change a graph rather than make one
            summary = _summary(make)
            short = re.split("[:;]", summary, maxsplit=1)[0].rstrip(".") + "."
            group.command(name.replace("_", "-"), help=summary, short_help=short)(command(make))
    return group


def command(make: Generator) -> Callable[..., None]:
    """A function that Typer takes for a command: calls ``make`` and writes what it made."""

    def run(
        *, destination: Path, format_name: str | None, weight_source: str | None, as_json: bool, **chosen: Any
    ) -> None:
        wanted_weights = weights.parse(weight_source)
        wanted_format = format_to_write(destination, format_name)
        started = perf_counter()
        with showing("generating"):
            graph = weights.apply(make(**chosen), wanted_weights)
        seconds = perf_counter() - started
        written = save(graph, destination, wanted_format)
        if as_json:
            generated = {"seconds": round(seconds, 6), **graph.describe().as_dict()}
            output.as_json({"generated": generated, "written": written.as_dict()})
            return
        output.facts([("generated", f"{output.size(graph)}  ({output.duration(seconds)})"), ("written", str(written))])

    common = [_parameter(name, annotation, default) for name, annotation, default in COMMON]
    run.__signature__ = inspect.Signature([*parameters(make), *common])  # type: ignore[attr-defined]
    run.__annotations__ = {}  # the signature has them
    return run


def parameters(make: Generator) -> list[inspect.Parameter]:
    """The parameters of a generator as Typer wants them: those without a default are arguments, the others options."""
    hints = get_type_hints(make)
    texts = parameter_texts(inspect.getdoc(make) or "")
    found = []
    for name, parameter in inspect.signature(make).parameters.items():
        text = texts.get(name, "")
        if parameter.default is inspect.Parameter.empty:
            declared: Any = typer.Argument(help=text)
        elif name == "directed":
            declared = typer.Option("--directed/--undirected", help=text)
        else:
            declared = typer.Option(help=text)
        found.append(_parameter(name, Annotated[hints[name], declared], parameter.default))
    return found


def parameter_texts(docstring: str) -> dict[str, str]:
    """The first sentence about each parameter in a docstring."""
    section = docstring.partition("Parameters\n----------\n")[2]
    section = re.split(r"^\w.*\n-+$", section, maxsplit=1, flags=re.MULTILINE)[0]
    texts = {}
    for names, text in re.findall(r"^(\w[\w, ]*)\n((?:[ ]+\S.*\n?)+)", section, re.MULTILINE):
        sentence = re.split(r"(?<=\.)\s", " ".join(text.split()), maxsplit=1)[0]
        texts.update(dict.fromkeys(re.split(r",\s*", names), sentence.replace("``", "")))
    return texts


def _summary(make: Generator) -> str:
    """The first paragraph of a docstring, without its marks of code."""
    return (inspect.getdoc(make) or "").partition("\n\n")[0].replace("``", "")


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
