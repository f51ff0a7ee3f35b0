"""``clew demo``: analyse the bundled graph, and show the results as tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Annotated, NamedTuple

import numpy as np
import typer

import clew
from clew import datasets, describe
from clew.cli import output
from clew.cli.output import Column, numeric
from clew.cli.report import of_the_demo
from clew.datasets import STRENGTH
from clew.dtypes import OffsetArray
from clew.graph import Graph
from clew.progress import showing

TOP = 10
DESKTOP = "gnome"
FAMOUS = ("libc6", "perl-base", "python3", "openssl", "cups", "emacs", "samba-libs")
BAR = 24  # characters of the longest bar
PACKAGE = Column("package", style="bold")
LINE = Column("", style="cyan")


class Answer(NamedTuple):
    """A question, the table that answers it, and a note."""

    title: str
    columns: Sequence[Column]
    rows: Iterable[Sequence[str]]
    note: str = ""

    def show(self) -> None:
        """Print it."""
        output.heading(self.title)
        output.table(self.columns, self.rows)
        if self.note:
            output.paragraph(self.note)


def dependency_types(graph: Graph) -> Answer:
    """The number of edges of each dependency type."""
    assert graph.weights is not None
    counts = {field: int(np.count_nonzero(graph.weights == weight)) for field, weight in STRENGTH.items()}
    return Answer(
        "How strong are the dependencies?",
        [Column("kind", style="bold"), *numeric("weight", "edges", "share")],
        [(field, str(STRENGTH[field]), f"{count:,}", share(count, graph.num_edges)) for field, count in counts.items()],
    )


def most_needed(graph: Graph) -> Answer:
    """The packages with the most direct dependents."""
    rows = [
        (name, f"{count:,}", share(count, graph.num_vertices), bar(count, largest))
        for name, count, largest in top(graph, graph.degrees("in"))
    ]
    note = "The number of packages with a direct dependency; the share is of all vertices."
    return Answer(
        "Which packages do most others depend on?", [PACKAGE, *numeric("needed by", "share"), LINE], rows, note
    )


def most_needy(graph: Graph) -> Answer:
    """The packages with the most direct dependencies."""
    rows = [(name, f"{count:,}", bar(count, largest)) for name, count, largest in top(graph, graph.degrees("out"))]
    return Answer("Which packages have the most dependencies?", [PACKAGE, *numeric("needs"), LINE], rows)


def highest_rank(graph: Graph) -> Answer:
    """PageRank: important packages are those that important packages depend on."""
    ranks = clew.pagerank(graph).top(TOP)
    rows = [(str(name), f"{rank:.2%}", bar(rank, ranks[0][1])) for name, rank in ranks]
    note = "Share of time that a random walk along dependencies spends at each package."
    return Answer(
        "Which packages are the most important (PageRank)?", [PACKAGE, *numeric("PageRank"), LINE], rows, note
    )


def components(graph: Graph) -> Answer:
    """Weak and strong components."""
    results = {
        "connected in either direction": clew.connected_components(graph),
        "with circular dependencies": clew.strongly_connected_components(graph),
    }
    sizes = {what: np.bincount(result.label, minlength=1) for what, result in results.items()}
    return Answer(
        "How many connected components are there?",
        [Column("components", style="bold"), *numeric("all", "of 2 or more", "largest")],
        [(what, f"{(size > 0).sum():,}", f"{(size > 1).sum():,}", f"{size.max():,}") for what, size in sizes.items()],
    )


def comes_along(graph: Graph) -> Answer:
    """Breadth-first levels from a package with many dependencies."""
    result = clew.bfs(graph, DESKTOP)
    counts = np.bincount(result.depth[result.reached])
    rows = [
        (str(depth), f"{count:,}", f"{counts[: depth + 1].sum():,}", bar(count, counts.max()))
        for depth, count in enumerate(counts.tolist())
    ]
    note = f"{result.num_reached:,} packages in {result.iterations} steps, including recommended ones."
    columns = [Column("needs away", "right", "bold"), *numeric("packages", "so far"), LINE]
    return Answer(f"What does {DESKTOP} install?", columns, rows, note)


def shortest_chains(graph: Graph) -> Answer:
    """Shortest paths, where a strong dependency is a short edge."""
    assert graph.weights is not None
    paths = clew.sssp(graph.with_weights(4 - graph.weights.astype(np.int32)), DESKTOP)
    rows = []
    for name in FAMOUS:
        length = paths.of(name)
        if length is not None:
            rows.append((name, f"{length:,}", " → ".join(map(str, paths.path_to(name)))))
    note = "The shortest chain of dependencies: 1 for a Pre-Depends, 2 for a Depends, 3 for a Recommends."
    columns = [PACKAGE, *numeric("length"), Column("because of", wrap=True)]
    return Answer(f"Why does {DESKTOP} need these packages?", columns, rows, note)


def compared_with_networkx(graph: Graph) -> None:
    """How long NetworkX takes for the same ranks, measured here and now, if it is installed."""
    if find_spec("networkx") is None:
        return
    import networkx as nx

    other = nx.DiGraph()
    other.add_nodes_from(range(graph.num_vertices))
    source, target, _ = graph.edges()
    other.add_edges_from(zip(source.tolist(), target.tolist(), strict=True))
    started = perf_counter()
    nx.pagerank(other, backend="networkx")
    between = perf_counter()
    clew.pagerank(graph, tolerance=1e-6 * graph.num_vertices)
    own = perf_counter() - between
    theirs = between - started
    output.heading("And with NetworkX?")
    output.paragraph(
        f"NetworkX took {output.duration(theirs)} for PageRank on this machine, {theirs / own:,.0f} times as long as "
        f"clew ({output.duration(own)}). Both had the graph in memory."
    )


#: The questions of the demo, in order. To add one, add a function.
SECTIONS: list[Callable[[Graph], Answer]] = [
    dependency_types,
    most_needed,
    highest_rank,
    most_needy,
    components,
    comes_along,
    shortest_chains,
]


def demo(
    with_report: Annotated[bool, typer.Option("--report/--no-report", help="Write a report at the end.")] = True,
    destination: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="The report to write.")] = Path(
        "clew-report.html"
    ),
) -> None:
    """Analyse a graph that comes with clew.

    Its vertices are the packages of Debian 12, and its edges their dependencies. At the end, the demo writes a report:
    one HTML page that works offline.
    """
    started = perf_counter()
    graph = datasets.debian()
    loaded = perf_counter()
    about = graph.metadata
    output.heading(str(about["title"]), f"as of {about['date']}")
    output.facts(describe.facts(graph.describe()))
    for section in SECTIONS:
        with showing("analysing; the first time, code is compiled and cached"):
            answer = section(graph)
        answer.show()
    finished = perf_counter()
    output.paragraph(
        f"Loaded in {output.duration(loaded - started)}, analysed in {output.duration(finished - loaded)}. "
        "In Python: clew.datasets.debian()"
    )
    if with_report:
        of_the_demo(destination)
    compared_with_networkx(graph)


def top(graph: Graph, counts: OffsetArray) -> list[tuple[str, int, int]]:
    """(name, count, largest count) of the vertices with the largest counts; ties in id order."""
    order = np.argsort(-counts, kind="stable")[:TOP]
    return [(str(graph.name(vertex)), int(counts[vertex]), int(counts[order[0]])) for vertex in order]


def share(part: int, whole: int) -> str:
    """A part as a percentage."""
    return f"{part / whole:.1%}" if whole else "–"


def bar(count: float, largest: float) -> str:
    """A bar whose length is proportional to ``count``; ``largest`` has the full length."""
    return "━" * math.ceil(BAR * count / largest) if count else ""
