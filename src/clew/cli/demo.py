"""``clew demo``: analyse the bundled graph, and show the results as tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated

import numpy as np
import typer

import clew
from clew import datasets, describe
from clew.cli import output
from clew.cli.output import Column
from clew.cli.report import of_the_demo
from clew.datasets import STRENGTH
from clew.dtypes import OffsetArray
from clew.graph import Graph
from clew.result import Result

TOP = 10
DESKTOP = "gnome"
FAMOUS = ("libc6", "perl-base", "python3", "openssl", "cups", "emacs", "samba-libs")
BAR = 24  # characters of the longest line
PACKAGE = Column("package", style="bold")
LINE = Column("", style="cyan")


@dataclass(frozen=True, slots=True)
class Section:
    """A question, and the table that answers it."""

    title: str
    columns: list[Column]
    rows: list[tuple[str, ...]]
    note: str = ""


def kinds_of_needs(graph: Graph) -> Section:
    """The number of edges of each dependency type."""
    assert graph.weights is not None
    counts = {field: int(np.count_nonzero(graph.weights == weight)) for field, weight in STRENGTH.items()}
    return Section(
        "How strong are the dependencies?",
        [Column("kind", style="bold"), Column("weight", "right"), Column("edges", "right"), Column("share", "right")],
        [(field, str(STRENGTH[field]), f"{count:,}", share(count, graph.num_edges)) for field, count in counts.items()],
    )


def most_needed(graph: Graph) -> Section:
    """The packages with the most direct dependents."""
    return Section(
        "Which packages do most others depend on?",
        [PACKAGE, Column("needed by", "right"), Column("share", "right"), LINE],
        [
            (name, f"{count:,}", share(count, graph.num_vertices), bar(count, largest))
            for name, count, largest in top(graph, graph.degrees("in"))
        ],
        note="The number of packages with a direct dependency; the share is of all vertices.",
    )


def most_needy(graph: Graph) -> Section:
    """The packages with the most direct dependencies."""
    return Section(
        "Which packages have the most dependencies?",
        [PACKAGE, Column("needs", "right"), LINE],
        [(name, f"{count:,}", bar(count, largest)) for name, count, largest in top(graph, graph.degrees("out"))],
    )


def highest_rank(graph: Graph) -> Section:
    """PageRank: important packages are those that important packages depend on."""
    ranks = clew.pagerank(graph).top(TOP)
    return Section(
        "Which packages are the most important (PageRank)?",
        [PACKAGE, Column("PageRank", "right"), LINE],
        [(str(name), f"{rank:.2%}", bar(rank, ranks[0][1])) for name, rank in ranks],
        note="Share of time that a random walk along dependencies spends at each package.",
    )


def pieces(graph: Graph) -> Section:
    """Weak and strong components."""
    weak = np.bincount(clew.connected_components(graph).label, minlength=1)
    strong = np.bincount(clew.strongly_connected_components(graph).label, minlength=1)
    rows = [
        ("connected in either direction", weak),
        ("with circular dependencies", strong),
    ]
    return Section(
        "How many connected components are there?",
        [Column("components", style="bold"), *(Column(name, "right") for name in ("all", "of 2 or more", "largest"))],
        [(what, f"{(sizes > 0).sum():,}", f"{(sizes > 1).sum():,}", f"{sizes.max():,}") for what, sizes in rows],
    )


def comes_along(graph: Graph) -> Section:
    """Breadth-first levels from a package with many dependencies."""
    result = clew.bfs(graph, DESKTOP)
    counts = np.bincount(result.depth[result.reached])
    return Section(
        f"What does {DESKTOP} install?",
        [Column("needs away", "right", "bold"), Column("packages", "right"), Column("so far", "right"), LINE],
        [
            (str(depth), f"{count:,}", f"{counts[: depth + 1].sum():,}", bar(count, counts.max()))
            for depth, count in enumerate(counts.tolist())
        ],
        note=f"{result.num_reached:,} packages in {result.iterations} steps, including recommended ones.",
    )


def easiest_ways(graph: Graph) -> Section:
    """Shortest paths, where a strong dependency is a short edge."""
    assert graph.weights is not None
    ways = clew.sssp(graph.with_weights(4 - graph.weights.astype(np.int32)), DESKTOP)
    reached = [name for name in FAMOUS if ways.of(name) is not None]
    found = [(name, ways.of(name), _way(ways, name)) for name in reached]
    return Section(
        f"Why does {DESKTOP} need these packages?",
        [PACKAGE, Column("length", "right"), Column("because of", wrap=True)],
        [(name, f"{length:,}", " → ".join(way)) for name, length, way in found],
        note="The shortest chain of dependencies: 1 for a Pre-Depends, 2 for a Depends, 3 for a Recommends.",
    )


def _way(ways: Result, name: str) -> list[str]:
    """The chain of parents from the source to ``name``."""
    way = [name]
    while (parent := ways.of(way[-1], "parent")) != way[-1]:
        way.append(parent)
    return way[::-1]


#: What the demo shows, in this order. A new question is one function more.
SECTIONS: list[Callable[[Graph], Section]] = [
    kinds_of_needs,
    most_needed,
    highest_rank,
    most_needy,
    pieces,
    comes_along,
    easiest_ways,
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
    for answer in SECTIONS:
        show(answer(graph))
    finished = perf_counter()
    output.paragraph(
        f"Loaded in {output.duration(loaded - started)}, analysed in {output.duration(finished - loaded)}. "
        "In Python: clew.datasets.debian()"
    )
    if with_report:
        of_the_demo(destination)


def show(section: Section) -> None:
    """Print a section."""
    output.heading(section.title)
    output.table(section.columns, section.rows)
    if section.note:
        output.paragraph(section.note)


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
