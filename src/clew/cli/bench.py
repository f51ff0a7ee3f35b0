"""``clew bench``: time clew's algorithms on a graph, compared with other installed libraries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from clew import threads
from clew.algorithms.registry import ALGORITHMS
from clew.bench import graphs, peers, report
from clew.bench.peers import RACED
from clew.bench.race import OURS, Outcome, Rules, Score, races
from clew.bench.task import function_name
from clew.cli import output
from clew.cli.files import File, load
from clew.cli.options import Reading, reads_graph
from clew.cli.output import Column, numeric
from clew.cli.run import source_of
from clew.errors import GraphError, install_command
from clew.graph import Graph
from clew.io.sink import Sink
from clew.names import shown
from clew.progress import showing

STDOUT = Path("-")


@reads_graph
def bench(
    graph: Annotated[str, typer.Argument(metavar="GRAPH", help=f"A file in any format, or a name: {graphs.KNOWN}.")],
    algorithms: Annotated[
        str, typer.Option(metavar="A,B,…", help="The algorithms to time. Peers have " + ", ".join(RACED) + ".")
    ] = ",".join(dict.fromkeys(map(function_name, RACED))),
    with_peers: Annotated[
        str, typer.Option("--peers", metavar="A,B,…", help=f"Some of {', '.join(peers.NAMES)}; or all, or none.")
    ] = "all",
    thread_counts: Annotated[
        str | None, typer.Option("--threads", metavar="N,M,…", help="Numbers of threads; default: all cores.")
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Number of runs; the best one counts.")] = 5,
    limit: Annotated[
        float, typer.Option(min=0.1, help="Time limit per run in seconds; slower peers are skipped.")
    ] = 60.0,
    source: Annotated[
        str | None, typer.Option(metavar="NAME", help="Start of searches; default: the vertex with the most edges.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Verify clew's results with independent checkers.")
    ] = True,
    device: Annotated[str, typer.Option(help="Where clew runs: auto, cpu, cuda or hybrid.")] = "auto",
    *,
    reading: Reading,
    json_to: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON; - for stdout.")
    ] = None,
    plot_to: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw the times as SVG.")] = None,
) -> None:
    """Time algorithms on a graph, compared with the installed libraries and programs.

    All use the same graph, without loops and duplicate edges. Random weights are added if it has none. Each contender
    runs in its own process, runs alternate, and results are compared with clew's.
    """
    chosen = _known("algorithm", algorithms, dict.fromkeys([*RACED, *sorted(ALGORITHMS)]))
    rivals = _peers(with_peers)
    counts = _counts(thread_counts)
    reading.options()  # raises for invalid options before any work is done
    for path in (json_to, plot_to):
        if path is not None and path != STDOUT:
            Sink(path).check()  # fails before any work is done
    loaded, was_read = _graph(graph, reading)
    weighted = reading.weighted(loaded)
    if not weighted.num_vertices:
        raise GraphError("the graph has no vertices, so there is nothing to time; use a graph that has some.")
    start = graphs.busiest(weighted) if source is None else weighted.vertex(source_of(weighted, source))
    plain = graphs.simple(weighted)
    rules = Rules(repeat, limit, check, device)
    outcomes: list[Outcome] = []
    with showing("racing") as progress:
        for outcome in races(Path(graph).name, plain, start, chosen, rivals, counts, rules):
            outcomes.append(outcome)
            if progress is not None:
                progress(len(outcomes), len(chosen) * len(counts))
    if all(outcome.ours is None for outcome in outcomes):
        raise GraphError("; ".join(dict.fromkeys(outcome.scores[0].why_not.rstrip(".") for outcome in outcomes)) + ".")
    facts = {"graph": graph, "vertices": plain.num_vertices, "edges": plain.num_edges, "source": weighted.name(start)}
    if was_read is not None:
        facts["read"] = was_read.as_dict()
    if plot_to is not None:
        _write(plot_to, report.svg(outcomes, f"clew bench {graph}"))
    if json_to is not None:
        _write(json_to, json.dumps(report.as_dict(outcomes, **facts), indent=2) + "\n")
    if json_to != STDOUT:
        output.heading(f"bench {Path(graph).name}", "milliseconds, best run")
        read_as = [] if was_read is None else was_read.decisions()
        start_name = f"vertex {shown(weighted.names, start)}"
        output.facts([("graph", output.size(plain)), *read_as, ("searches start at", start_name)])
        _show(outcomes)
        for path in (json_to, plot_to):
            if path is not None:
                output.paragraph(f"Written: {path}")


def _known(what: str, text: str, names: Any) -> list[str]:
    """The names in an option; raise BadParameter for an unknown one. Dashes and underscores are equivalent."""
    words = [word.strip().replace("-", "_") for word in text.split(",") if word.strip()]
    for word in words:
        if word not in names:
            raise typer.BadParameter(f"there is no {what} called {word!r}; expected some of: {', '.join(names)}.")
    if not words:
        raise typer.BadParameter(f"no {what} is given; expected some of: {', '.join(names)}.")
    return list(dict.fromkeys(words))


def _peers(text: str) -> list[str]:
    if text == "none":
        return []
    if text == "all":
        return [name for name in peers.NAMES if peers.available(name)]
    named = _known("peer", text, peers.NAMES)
    for name in named:
        if not peers.available(name):
            package = peers.LIBRARIES.get(name)
            remedy = f"install it with: {install_command(package)}" if package else "put it on the PATH"
            raise GraphError(f"{name} is not installed; {remedy}, or remove it from --peers.")
    return named


def _counts(text: str | None) -> list[int]:
    if text is None:
        return [threads.count()]
    counts = [word.strip() for word in text.split(",") if word.strip()]
    if not counts or not all(count.isdecimal() and int(count) > 0 for count in counts):
        raise typer.BadParameter(f"{text!r} is not a list of numbers of 1 or more, as in 1,2.", param_hint="--threads")
    return [int(count) for count in dict.fromkeys(counts)]


def _graph(name: str, reading: Reading) -> tuple[Graph, File | None]:
    """Read the file of that name or, if there is none, generate the graph."""
    path = Path(name)
    if not path.exists() and graphs.recipe_of(name) is not None:
        with showing(f"generating {name}"):
            return graphs.generated(name), None
    return load(path, reading)


def _write(path: Path, text: str) -> None:
    if path == STDOUT:
        typer.echo(text, nl=False)
    else:
        with Sink(path) as sink:
            sink.write(text.encode())


def _show(outcomes: Sequence[Outcome]) -> None:
    """A table of all races, and remarks."""
    output.results.print()
    name = Column("algorithm", style="bold")
    columns = [name, *numeric("threads"), Column("contender"), *numeric("ms", "clew is"), Column("answer")]
    output.table(columns, [row for outcome in outcomes for row in _rows(outcome)])
    for sentence in report.remarks(outcomes):
        output.paragraph(sentence)


def _rows(outcome: Outcome) -> list[list[str]]:
    """A line for each contender that has the algorithm; the first line names the race."""
    rows: list[list[str]] = []
    for score in outcome.scores:
        if score.why_not == report.MISSING:
            continue
        race = ["", ""] if rows else [outcome.algorithm, str(outcome.threads)]
        ratio = outcome.ratio(score)
        faster = "" if score.contender == OURS or ratio is None else f"{ratio:.2f}x"
        time = "–" if score.seconds is None else report.milliseconds(score.seconds)
        rows.append([*race, score.contender, time, faster, _answer(outcome, score)])
    return rows


def _answer(outcome: Outcome, score: Score) -> str:
    """Whether a contender's result was verified, or agrees with clew's."""
    if score.seconds is None:
        return ""
    if score.contender == OURS:
        return {"": "", "yes": "verified"}.get(outcome.verified, "not verified")
    return "not compared" if score.agrees is None else "the same" if score.agrees else "differs"
