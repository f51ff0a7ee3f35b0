"""``clew demo``: the bundled graph, from the file to tables that a person likes to read."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from clew import datasets, describe
from clew.cli import output
from clew.cli.output import Column
from clew.datasets.debian12 import STRENGTH
from clew.dtypes import OffsetArray
from clew.graph import Graph

TOP = 10
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
    """How many edges there are of each strength."""
    assert graph.weights is not None
    counts = {field: int(np.count_nonzero(graph.weights == weight)) for field, weight in STRENGTH.items()}
    return Section(
        "How badly do packages need each other?",
        [Column("kind", style="bold"), Column("weight", "right"), Column("edges", "right"), Column("share", "right")],
        [(field, str(STRENGTH[field]), f"{count:,}", share(count, graph.num_edges)) for field, count in counts.items()],
    )


def most_needed(graph: Graph) -> Section:
    """The packages that the most others name."""
    return Section(
        "What does everything rest on?",
        [PACKAGE, Column("needed by", "right"), Column("share", "right"), LINE],
        [
            (name, f"{count:,}", share(count, graph.num_vertices), bar(count, largest))
            for name, count, largest in top(graph, graph.degrees("in"))
        ],
        note="Counted are packages that name it as a need of their own; the share is of all vertices.",
    )


def most_needy(graph: Graph) -> Section:
    """The packages that name the most others."""
    return Section(
        "Which packages need the most?",
        [PACKAGE, Column("needs", "right"), LINE],
        [(name, f"{count:,}", bar(count, largest)) for name, count, largest in top(graph, graph.degrees("out"))],
    )


#: What the demo shows, in this order. A new question is one function more.
SECTIONS: list[Callable[[Graph], Section]] = [kinds_of_needs, most_needed, most_needy]


def demo() -> None:
    """Look at a graph that comes with clew.

    Its vertices are the packages of Debian 12, its edges what they need.
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
        f"Loaded in {output.duration(loaded - started)}, answered in {output.duration(finished - loaded)}. "
        "In Python: clew.datasets.debian()"
    )


def show(section: Section) -> None:
    """Print a section."""
    output.heading(section.title)
    output.table(section.columns, section.rows)
    if section.note:
        output.paragraph(section.note)


def top(graph: Graph, counts: OffsetArray) -> list[tuple[str, int, int]]:
    """(name, count, largest count) of the vertices with the largest counts; equal ones in the order of their ids."""
    order = np.argsort(-counts, kind="stable")[:TOP]
    return [(str(graph.name(vertex)), int(counts[vertex]), int(counts[order[0]])) for vertex in order]


def share(part: int, whole: int) -> str:
    """A part as a percentage."""
    return f"{part / whole:.1%}" if whole else "–"


def bar(count: int, largest: int) -> str:
    """A line as long as ``count`` is beside ``largest``."""
    return "━" * math.ceil(BAR * count / largest) if count else ""
