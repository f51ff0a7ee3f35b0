"""``clew run`` and ``clew explain``: one subcommand for each algorithm, derived from the function itself."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from clew import testing, threads
from clew.algorithms.registry import ALGORITHMS, Algorithm, load_plugins
from clew.cli import answer, cluster, options, output
from clew.cli.files import File, load, refuse_own_input
from clew.errors import GraphError
from clew.graph import Graph
from clew.memory import MODES, memory
from clew.progress import showing
from clew.result import Result

if TYPE_CHECKING:
    from clew.plan import Plan

Source = Annotated[str | None, typer.Option(metavar="NAME", help="The vertex to start from.")]
Sources = Annotated[
    list[str] | None, typer.Option("--source", metavar="NAME", help="A vertex to start from; can be repeated.")
]
Sink = Annotated[str | None, typer.Option(metavar="NAME", help="The vertex to end at.")]
Target = Annotated[str | None, typer.Option("--to", metavar="NAME", help="Show the path to this vertex.")]
ThreadCount = Annotated[int | None, typer.Option("--threads", help="Number of threads; default: all cores.")]
EDGES_HELP = f"Memory of the edges for a GPU: {', '.join(MODES)}; default: auto."
FAST_MEMORY_HELP = "GPU memory for edges, such as 8GiB; default: all free memory."
FILE_HELP = "A graph in any format; - for stdin; with --cluster also a folder or a pattern."
#: The options that ``clew explain`` does not have.
ONLY_RUN = ("destination", "top", "check", "explained")


class Algorithms(TyperGroup):
    """Subcommands in either spelling: ``connected-components`` and ``connected_components``."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The subcommand of that name."""
        return super().get_command(ctx, cmd_name.replace("_", "-"))


def running() -> typer.Typer:
    """The ``run`` command with all its subcommands."""
    return _group("Run an algorithm on a graph.", _run_command)


def explaining() -> typer.Typer:
    """The ``explain`` command with all its subcommands."""
    text = "Show the plan of a run: choices, reasons, memory and expected time. Runs nothing."
    return _group(text, _explain_command)


def _group(text: str, make: Callable[[Algorithm], Callable[..., None]]) -> typer.Typer:
    load_plugins()
    group = typer.Typer(cls=Algorithms, no_args_is_help=True, help=text)
    for name, algorithm in sorted(ALGORITHMS.items()):
        own = options.help_of(algorithm.function)
        group.command(name.replace("_", "-"), help=own, short_help=own)(make(algorithm))
    return group


def _run_command(algorithm: Algorithm) -> Callable[..., None]:
    """A Typer command that reads a graph, runs the algorithm and shows the result."""

    def run(**given: Any) -> None:
        _run(algorithm, **given)

    file, *others = options.keywords_of(_run)
    target = [options.parameter("target", Target, None)] * (algorithm.needs_source and not algorithm.needs_sink)
    return options.declared(run, [file, *_own(algorithm), *target, *options.READING, *others])


def _explain_command(algorithm: Algorithm) -> Callable[..., None]:
    """A Typer command that stops after the plan, unless --run is given."""

    def explain(
        *,
        carried_out: Annotated[
            bool, typer.Option("--run", help="Run the plan and compare, like clew run … --explain.")
        ] = False,
        **given: Any,
    ) -> None:
        _run(algorithm, only_planned=not carried_out, explained=True, **given)

    file, *others = (one for one in options.keywords_of(_run) if one.name not in ONLY_RUN)
    return options.declared(explain, [file, *_own(algorithm), *options.READING, *others, *options.keywords_of(explain)])


def _own(algorithm: Algorithm) -> list[inspect.Parameter]:
    source = [options.parameter("source", Source, None)] * algorithm.needs_source
    source += [options.parameter("sink", Sink, None)] * algorithm.needs_sink
    sources = [options.parameter("sources", Sources, None)] * algorithm.needs_sources
    return [*source, *sources, *options.options_of(algorithm.function, but=("graph", "source", "sources", "sink"))]


def _run(
    algorithm: Algorithm,
    only_planned: bool = False,
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help=FILE_HELP)],
    thread_count: ThreadCount = None,
    destination: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write all values: .parquet, .arrow, .csv, .npy.")
    ] = None,
    top: Annotated[int, typer.Option(min=0, help="How many vertices or edges to show.")] = 10,
    check: Annotated[bool, typer.Option("--verify", help="Verify the result with an independent checker.")] = False,
    explained: Annotated[
        bool, typer.Option("--explain", help="Show the plan first: choices, reasons and expected time.")
    ] = False,
    edge_memory: Annotated[str | None, typer.Option("--edges", metavar="MODE", help=EDGES_HELP)] = None,
    fast_memory: Annotated[str | None, typer.Option("--fast-memory", metavar="SIZE", help=FAST_MEMORY_HELP)] = None,
    where: cluster.Where = None,
    workers: cluster.Workers = None,
    as_json: options.AsJson = False,
    **chosen: Any,
) -> None:
    reading = options.reading_of(chosen)
    target = chosen.pop("target", None)
    reading.options()  # raises for invalid options before any work is done
    edges = memory(edge_memory or "auto", fast_memory)
    alone = {"--threads": thread_count, "--edges": edge_memory, "--fast-memory": fast_memory}
    cluster.check_options(where, alone, destination)
    if destination is not None:
        refuse_own_input(Path(file), destination)
    if destination is not None and where is None:
        answer.check_destination(destination)
    threads.set_count(thread_count)
    forecast = workers if only_planned and where is None else None
    with cluster.opened(where, None if forecast else workers) as there:
        if there is None:
            graph, was_read = load(Path(file), reading)
            graph = reading.weighted(graph)
        else:
            graph, was_read = cluster.load(there, file, reading)
        if algorithm.needs_source:
            chosen["source"] = source_of(graph, chosen["source"])
        if chosen.get("sink") is not None:
            chosen["sink"] = source_of(graph, chosen["sink"])
        if algorithm.needs_sources:
            chosen["sources"] = [source_of(graph, name) for name in chosen["sources"] or [None]]
        plan: Plan | None = None
        if explained:
            from clew.plan import explain

            with edges:
                plan = explain(graph, algorithm.name, workers=forecast, **chosen)
            plan.in_shell = True
            _show_plan(plan, was_read, only_planned, as_json)
        if only_planned:
            return
        with showing(f"running {algorithm.name}"), edges:
            if plan is None and there is None:  # a plan loads code itself, and so do workers
                loaded(graph, algorithm, chosen)
            started = perf_counter()
            result = (algorithm.function(graph, **chosen) if plan is None else plan.run()).numpy()
            seconds = perf_counter() - started
        if plan is not None and plan.measured is not None:
            seconds = plan.measured.seconds
        if check:
            with showing("checking"):
                checked(graph if there is None else cluster.gathered(graph), algorithm, result, chosen)
        if destination is not None:
            answer.save(result, destination)
        path = None if target is None else result.path_to(source_of(graph, target))
        found = answer.Answer(graph, was_read, result, seconds, check, destination, plan, path)
        output.as_json(found.as_dict(top)) if as_json else found.show(top)


def _show_plan(plan: Plan, was_read: File, only_planned: bool, as_json: bool) -> None:
    if as_json:
        if only_planned:
            output.as_json({"read": was_read.as_dict(), "plan": plan.to_dict()})
        return
    output.plain(plan.text(output.results.width))
    if only_planned and was_read.decisions():
        output.heading(f"How {was_read.name} was read")
        output.facts(was_read.decisions())


def loaded(graph: Graph, algorithm: Algorithm, chosen: dict[str, Any]) -> None:
    """Load compiled code before timing: on a small graph it would dominate."""
    from clew.plan.plan import rehearse
    from clew.plan.where import where

    arguments = dict(chosen)
    device = arguments.pop("device", "auto")
    place = where(algorithm.name, graph, device, arguments)
    if place.error is None:  # otherwise the run itself raises it
        rehearse(graph, algorithm.name, place.choice.chosen if device == "auto" else device, arguments)


def source_of(graph: Graph, name: str | None) -> Any:
    """The named vertex: an integer if the graph's names are integers."""
    if name is None:
        example = f", such as --source {shlex.quote(str(graph.name(0)))}" if graph.num_vertices else ""
        raise GraphError(f"this algorithm starts from a vertex. Add --source NAME{example}.")
    if graph.name_type == "strings":
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
