"""``clew run``: one subcommand for each algorithm, derived from the function itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from typer.core import TyperGroup

from clew import threads, verify
from clew.algorithms.registry import ALGORITHMS, Algorithm
from clew.cli import output, results, weights
from clew.cli.derived import declared, help_of, options_of, parameter
from clew.cli.files import File, load
from clew.cli.output import Column
from clew.errors import GraphError
from clew.graph import Graph
from clew.memory import MODES, memory
from clew.progress import showing
from clew.result import Result

if TYPE_CHECKING:
    from clew.plan import Plan

Where = Annotated[Path, typer.Argument(metavar="FILE", help="A graph in any format.")]
Start = Annotated[str | None, typer.Option(metavar="NAME", help="The vertex to start from.")]
Starts = Annotated[
    list[str] | None,
    typer.Option("--source", metavar="NAME", help="A vertex to start from; may be given several times."),
]
Format = Annotated[str | None, typer.Option("--format", metavar="FORMAT", help="The file's format.")]
Direction = Annotated[bool | None, typer.Option("--directed/--undirected", help="What the file's edges are.")]
Weights = Annotated[str | None, typer.Option("--weights", metavar="WEIGHTS", help=weights.HELP)]
Threads = Annotated[int | None, typer.Option("--threads", help="How many; default: all cores.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write all values: .parquet, .arrow, .csv, .npy.")]
Top = Annotated[int, typer.Option(help="How many vertices to show.")]
Check = Annotated[bool, typer.Option("--verify", help="Check the answer by independent rules.")]
Explain = Annotated[bool, typer.Option("--explain", help="Show the plan first: what it does, why, and how long.")]
Edges = Annotated[
    str | None,
    typer.Option("--edges", metavar="MODE", help=f"Where a GPU finds the edges: {', '.join(MODES)}; default: auto."),
]
FastMemory = Annotated[
    str | None,
    typer.Option("--fast-memory", metavar="SIZE", help="GPU memory for edges, such as 8GiB; default: what is free."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

FILE = parameter("file", Where)
SOURCE = parameter("source", Start, None)
SOURCES = parameter("sources", Starts, None)
#: What every subcommand takes apart from the algorithm's own parameters.
COMMON = [
    parameter("format_name", Format, None),
    parameter("read_directed", Direction, None),
    parameter("weights_from", Weights, None),
    parameter("thread_count", Threads, None),
    parameter("destination", Output, None),
    parameter("top", Top, 10),
    parameter("check", Check, False),
    parameter("explained", Explain, False),
    parameter("edge_memory", Edges, None),
    parameter("fast_memory", FastMemory, None),
    parameter("as_json", AsJson, False),
]


class Algorithms(TyperGroup):
    """Subcommands by either spelling: ``connected-components`` and ``connected_components``."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The subcommand of that name."""
        return super().get_command(ctx, cmd_name.replace("_", "-"))


def commands() -> typer.Typer:
    """The ``run`` command with all its subcommands."""
    group = typer.Typer(cls=Algorithms, no_args_is_help=True, help="Run an algorithm on a graph.")
    for name, algorithm in sorted(ALGORITHMS.items()):
        text, short = help_of(algorithm.function)
        group.command(name.replace("_", "-"), help=text, short_help=short)(command(algorithm))
    return group


def command(algorithm: Algorithm) -> Callable[..., None]:
    """A function that Typer takes for a command: reads a graph, runs the algorithm, shows what it found."""

    def run(
        *,
        file: Path,
        format_name: str | None,
        read_directed: bool | None,
        weights_from: str | None,
        thread_count: int | None,
        destination: Path | None,
        top: int,
        check: bool,
        explained: bool,
        edge_memory: str | None,
        fast_memory: str | None,
        as_json: bool,
        **chosen: Any,
    ) -> None:
        wanted_weights = weights.parse(weights_from)
        edges = memory(edge_memory or "auto", fast_memory)
        if destination is not None:
            results.check_destination(destination)
        threads.set_count(thread_count)
        graph, was_read = load(file, format_name, directed=read_directed)
        graph = weights.apply(graph, wanted_weights)
        if algorithm.needs_source:
            chosen["source"] = source_of(graph, chosen["source"])
        if algorithm.needs_sources:
            chosen["sources"] = [source_of(graph, name) for name in chosen["sources"] or [None]]
        with edges:
            plan = planned(graph, algorithm, chosen) if explained else None
        if plan is not None and not as_json:
            output.plain(plan.text(output.results.width))
        with showing(f"running {algorithm.name}"), edges:
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

    source = [SOURCE] * algorithm.needs_source + [SOURCES] * algorithm.needs_sources
    own = options_of(algorithm.function, but=("graph", "source", "sources"))
    return declared(run, [FILE, *source, *own, *COMMON])


def planned(graph: Graph, algorithm: Algorithm, chosen: dict[str, Any]) -> Plan:
    """The plan of the run, made before it."""
    from clew.plan import explain

    return explain(graph, algorithm.name, **chosen)


def source_of(graph: Graph, name: str | None) -> Any:
    """The vertex that was named, as the graph's names are: a word is an integer where they are integers."""
    if name is None:
        raise GraphError("this algorithm starts from a vertex; name one with --source.")
    if graph.names is not None and not graph.names.are_integers:
        return name
    try:
        return int(name)
    except ValueError:
        raise GraphError(f"{name!r} is not a vertex: the vertices of this graph are integers.") from None


def checked(graph: Graph, algorithm: Algorithm, result: Result, chosen: dict[str, Any]) -> None:
    """Run the checker of the algorithm, with those of the algorithm's own arguments that it asks for."""
    check = getattr(verify, algorithm.name, None)
    if check is None:
        raise GraphError(f"there is no checker for {algorithm.name}; leave --verify out.")
    known = {"graph": graph, "result": result, **chosen}
    check(**{name: known[name] for name in inspect.signature(check).parameters if name in known})


class Answer:
    """What was found, for a person or for a program."""

    def __init__(
        self,
        graph: Graph,
        was_read: File,
        result: Result,
        seconds: float,
        verified: bool,
        destination: Path | None,
        plan: Plan | None = None,
    ) -> None:
        self.graph, self.was_read, self.result, self.plan = graph, was_read, result, plan
        self.seconds, self.verified, self.destination = seconds, verified, destination

    def as_dict(self, top: int) -> dict[str, Any]:
        """Everything, for JSON."""
        result = self.result
        return {
            "algorithm": result.algorithm,
            "read": self.was_read.as_dict(),
            "vertices": self.graph.num_vertices,
            "edges": self.graph.num_edges,
            "seconds": round(self.seconds, 6),
            "iterations": result.iterations,
            "converged": result.converged,
            "verified": self.verified,
            "facts": {name: _plain(value) for name, value in result.facts.items() if np.isscalar(value)},
            "top": [dict(zip(("vertex", *self._shown), row, strict=True)) for row in self._rows(top)],
            "written": None if self.destination is None else str(self.destination),
            **({} if self.plan is None else {"plan": self.plan.to_dict()}),
        }

    def show(self, top: int) -> None:
        """A table of facts and one of vertices."""
        result = self.result
        output.heading(f"{result.algorithm} on {self.was_read.path.name}")
        facts = [("graph", output.size(self.graph)), ("time", output.duration(self.seconds))]
        facts.append(("iterations", f"{result.iterations:,}{'' if result.converged else ' (not converged)'}"))
        facts += [(name, _text(_plain(value))) for name, value in result.facts.items() if np.isscalar(value)]
        if self.verified:
            facts.append(("verified", "yes, by independent rules"))
        if self.destination is not None:
            facts.append(("written", str(self.destination)))
        output.facts(facts)
        if top > 0 and len(result) and self._shown:
            output.heading(f"Top {min(top, len(result))} by {self._shown[0]}")
            columns = [Column("vertex", style="bold"), *(Column(name, "right") for name in self._shown)]
            output.table(columns, [[_text(cell) for cell in row] for row in self._rows(top)])
        if self.plan is not None:
            output.heading("Predicted and measured")
            output.plain(self.plan.comparison(output.results.width - 2), indent=2)

    @property
    def _shown(self) -> list[str]:
        return [name for name, values in self.result.values.items() if values.ndim == 1]

    def _rows(self, top: int) -> list[tuple[Any, ...]]:
        if not self._shown:
            return []
        names = [name for name, _ in self.result.top(top, self._shown[0])]
        return [(name, *(self.result.of(name, value) for value in self._shown)) for name in names]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
