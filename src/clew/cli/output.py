"""What the commands print: results on stdout, everything else on stderr; plain where it is no terminal."""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Iterable, Sequence
from io import TextIOWrapper
from textwrap import indent as indent_lines
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from clew.counts import counted

if TYPE_CHECKING:
    from clew.graph import Graph

#: What stands for the signs of our own sentences where stdout has none of them.
SPELT = {"…": "...", "–": "-", "µ": "u", "×": "x", "±": "+-", "≤": "<=", "≥": ">=", "→": "->", "█": "#"}

results = Console(highlight=False)
messages = Console(stderr=True, highlight=False)


class Column(NamedTuple):
    """A column of a result table."""

    title: str
    align: Literal["left", "right"] = "left"
    style: str = ""
    wrap: bool = False


def heading(title: str, note: str = "") -> None:
    """The title of what follows, with a quieter remark behind it."""
    results.print()
    results.print(Text.assemble((title, "bold"), (f"  {note}" if note else "", "dim")))
    results.print()


def paragraph(text: str) -> None:
    """A remark on what came before."""
    results.print()
    _indented(Text(text, style="dim"))


def whole(text: str) -> None:
    """A line that is not broken, however long: a path, to be copied."""
    results.print(Text(f"  {text}", style="bold"), soft_wrap=True)


def facts(rows: Iterable[tuple[str, str]], on: Console = results) -> None:
    """A table of what and how much, without lines."""
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for what, value in rows:
        table.add_row(what, Text(value))
    _indented(table, on)


def table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """A table with a quiet head and no lines."""
    grid = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for column in columns:
        grid.add_column(
            column.title,
            justify=column.align,
            style=column.style,
            no_wrap=not column.wrap,
            overflow="fold" if column.wrap else "ellipsis",
        )
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    _indented(grid)


def plain(text: str, *, indent: int = 0) -> None:
    """Text whose lines are made already."""
    results.print(Text(indent_lines(text, " " * indent)), soft_wrap=True)


def as_json(value: Any) -> None:
    """The answer for a program, and nothing else; escaped where stdout's encoding has no place for all of it."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def forgive() -> None:
    """Let stdout spell out what its encoding lacks: a name that ASCII does not have is no reason to show nothing."""
    codecs.register_error("clew.spelt", _spelt)
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors in ("strict", "surrogateescape"):
        sys.stdout.reconfigure(errors="clew.spelt")


def _spelt(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeEncodeError) and (known := SPELT.get(error.object[error.start])):
        return known, error.start + 1
    return codecs.backslashreplace_errors(error)


def complain(sentence: str) -> None:
    """One red sentence on stderr; broken into lines only where a person reads it."""
    messages.print(Text(sentence, style="red"), soft_wrap=not messages.is_terminal)


def _indented(what: RenderableType, on: Console = results) -> None:
    on.print(Padding(what, (0, 0, 0, 2), expand=False))


def duration(seconds: float) -> str:
    """A time that reads well, from milliseconds to minutes."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min"


def size(graph: Graph) -> str:
    """How large a graph is, in a few words."""
    direction = "directed" if graph.directed else "undirected"
    weights = "unweighted" if graph.weights is None else f"{graph.weights.dtype} weights"
    return f"{counted(graph.num_vertices, 'vertex')}, {counted(graph.num_edges, f'{direction} edge')}, {weights}"
