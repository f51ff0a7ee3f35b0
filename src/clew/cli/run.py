"""``clew run`` and ``clew explain``: one subcommand for each algorithm, derived from the function itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from clew import testing, threads
from clew.algorithms.registry import ALGORITHMS, Algorithm, load_plugins
from clew.cli import output, reading, results
from clew.cli.answer import Answer
from clew.cli.derived import declared, help_of, options_of, parameter
from clew.cli.files import load
from clew.errors import GraphError
from clew.graph import Graph
from clew.memory import MODES, memory
from clew.progress import showing
from clew.result import Result

if TYPE_CHECKING:
    from clew.plan import Plan

Where = Annotated[Path, typer.Argument(metavar="FILE", help="A graph in any format; - for stdin.")]
Start = Annotated[str | None, typer.Option(metavar="NAME", help="The vertex to start from.")]
Starts = Annotated[
    list[str] | None,
    typer.Option("--source", metavar="NAME", help="A vertex to start from; can be repeated."),
]
Threads = Annotated[int | None, typer.Option("--threads", help="Number of threads; default: all cores.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write all values: .parquet, .arrow, .csv, .npy.")]
Top = Annotated[int, typer.Option(min=0, help="How many vertices to show.")]
Check = Annotated[bool, typer.Option("--verify", help="Verify the result with an independent checker.")]
Explain = Annotated[bool, typer.Option("--explain", help="Show the plan first: choices, reasons and expected time.")]
Edges = Annotated[
    str | None,
    typer.Option("--edges", metavar="MODE", help=f"Memory of the edges for a GPU: {', '.join(MODES)}; default: auto."),
]
FastMemory = Annotated[
    str | None,
    typer.Option("--fast-memory", metavar="SIZE", help="GPU memory for edges, such as 8GiB; default: all free memory."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
CarriedOut = Annotated[bool, typer.Option("--run", help="Run the plan and compare, like clew run … --explain.")]

FILE = parameter("file", Where)
SOURCE = parameter("source", Start, None)
SOURCES = parameter("sources", Starts, None)
CARRIED_OUT = parameter("carried_out", CarriedOut, False)
#: What every subcommand takes apart from the algorithm's own parameters.
COMMON = [
    *reading.PARAMETERS,
    parameter("thread_count", Threads, None),
    parameter("destination", Output, None),
    parameter("top", Top, 10),
    parameter("check", Check, False),
    parameter("explained", Explain, False),
    parameter("edge_memory", Edges, None),
    parameter("fast_memory", FastMemory, None),
    parameter("as_json", AsJson, False),
]


#: What ``clew explain`` takes of these: all that concerns the plan.
PLANNED = (
    *(one.name for one in reading.PARAMETERS),
    "thread_count",
    "edge_memory",
    "fast_memory",
    "as_json",
)


class Algorithms(TyperGroup):
    """Subcommands in either spelling: ``connected-components`` and ``connected_components``."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The subcommand of that name."""
        return super().get_command(ctx, cmd_name.replace("_", "-"))


def commands() -> typer.Typer:
    """The ``run`` command with all its subcommands."""
    return _group("Run an algorithm on a graph.", command)


def explaining() -> typer.Typer:
    """The ``explain`` command with all its subcommands."""
    return _group("Show the plan of a run: choices, reasons, memory and expected time. Runs nothing.", explanation)


def _group(text: str, make: Callable[[Algorithm], Callable[..., None]]) -> typer.Typer:
    load_plugins()
    group = typer.Typer(cls=Algorithms, no_args_is_help=True, help=text)
    for name, algorithm in sorted(ALGORITHMS.items()):
        own = help_of(algorithm.function)
        group.command(name.replace("_", "-"), help=own, short_help=own)(make(algorithm))
    return group


def command(algorithm: Algorithm) -> Callable[..., None]:
    """A Typer command that reads a graph, runs the algorithm and shows the result."""

    def run(**given: Any) -> None:
        _carry_out(algorithm, **given)

    return declared(run, [FILE, *_own(algorithm), *COMMON])


def explanation(algorithm: Algorithm) -> Callable[..., None]:
    """A Typer command that stops after the plan, unless --run is given."""

    def explain(*, carried_out: bool, **given: Any) -> None:
        rest = {one.name: one.default for one in COMMON if one.name not in PLANNED}
        _carry_out(algorithm, **{**rest, **given, "explained": True}, only_planned=not carried_out)

    return declared(explain, [FILE, *_own(algorithm), *(one for one in COMMON if one.name in PLANNED), CARRIED_OUT])


def _own(algorithm: Algorithm) -> list[inspect.Parameter]:
    source = [SOURCE] * algorithm.needs_source + [SOURCES] * algorithm.needs_sources
    return [*source, *options_of(algorithm.function, but=("graph", "source", "sources"))]


def _carry_out(
    algorithm: Algorithm,
    *,
    file: Path,
    thread_count: int | None,
    destination: Path | None,
    top: int,
    check: bool,
    explained: bool,
    edge_memory: str | None,
    fast_memory: str | None,
    as_json: bool,
    only_planned: bool = False,
    **chosen: Any,
) -> None:
    how = reading.taken(chosen)
    how.options()  # refused at once where they make no sense
    edges = memory(edge_memory or "auto", fast_memory)
    if destination is not None:
        results.check_destination(destination)
    threads.set_count(thread_count)
    graph, was_read = load(file, how)
    graph = how.weighted(graph)
    if algorithm.needs_source:
        chosen["source"] = source_of(graph, chosen["source"])
    if algorithm.needs_sources:
        chosen["sources"] = [source_of(graph, name) for name in chosen["sources"] or [None]]
    with edges:
        plan = planned(graph, algorithm, chosen) if explained else None
    if plan is not None and not as_json:
        output.plain(plan.text(output.results.width))
        if only_planned and was_read.decisions():
            output.heading(f"How {was_read.name} was read")
            output.facts(was_read.decisions())
    if plan is not None and only_planned:
        if as_json:
            output.as_json({"read": was_read.as_dict(), "plan": plan.to_dict()})
        return
    with showing(f"running {algorithm.name}"), edges:
        if plan is None:  # else it does so itself
            loaded(graph, algorithm, chosen)
        started = perf_counter()
        result = (algorithm.function(graph, **chosen) if plan is None else plan.run()).numpy()
        seconds = perf_counter() - started
    if plan is not None and plan.measured is not None:
        seconds = plan.measured.seconds
    if check:
        with showing("checking"):
            checked(graph, algorithm, result, chosen)
    if destination is not None:
        results.save(result, destination)
    answer = Answer(graph, was_read, result, seconds, check, destination, plan)
    output.as_json(answer.as_dict(top)) if as_json else answer.show(top)


def loaded(graph: Graph, algorithm: Algorithm, chosen: dict[str, Any]) -> None:
    """Load compiled code before timing: on a small graph it would dominate."""
    from clew.plan.plan import rehearse
    from clew.plan.where import where

    arguments = dict(chosen)
    device = arguments.pop("device", "auto")
    found = where(algorithm.name, graph, device)
    if found.error is None:  # else the run itself will say what is
        rehearse(graph, algorithm.name, found.choice.chosen if device == "auto" else device, arguments)


def planned(graph: Graph, algorithm: Algorithm, chosen: dict[str, Any]) -> Plan:
    """The plan of the run."""
    from clew.plan import explain

    plan = explain(graph, algorithm.name, **chosen)
    plan.in_shell = True
    return plan


def source_of(graph: Graph, name: str | None) -> Any:
    """The named vertex: an integer if the graph's names are integers."""
    if name is None:
        raise GraphError("this algorithm starts from a vertex; name one with --source.")
    if graph.names is not None and not graph.names.are_integers:
        return name
    try:
        return int(name)
    except ValueError:
        raise GraphError(f"{name!r} is not a vertex: the vertices of this graph are integers.") from None


def checked(graph: Graph, algorithm: Algorithm, result: Result, chosen: dict[str, Any]) -> None:
    """Run the checker of the algorithm, with the arguments that it takes."""
    if algorithm.check is None:
        raise GraphError(f"there is no checker for {algorithm.name}; omit --verify.")
    testing.verify(algorithm, graph, result, chosen)
