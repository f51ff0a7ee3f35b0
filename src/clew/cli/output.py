"""Printing: results on stdout, everything else on stderr; plain text unless it is a terminal."""

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

from clew.checks import counted

if TYPE_CHECKING:
    from clew.graph import Graph

#: Replacements for characters of clew's sentences that stdout's encoding lacks.
SPELT = {"…": "...", "–": "-", "µ": "u", "×": "x", "±": "+-", "≤": "<=", "≥": ">=", "→": "->", "█": "#"}

results = Console(highlight=False)
messages = Console(stderr=True, highlight=False)


class Column(NamedTuple):
    """A column of a result table."""

    title: str
    align: Literal["left", "right"] = "left"
    style: str = ""
    wrap: bool = False


def numeric(*titles: str) -> list[Column]:
    """Right-aligned columns."""
    return [Column(title, "right") for title in titles]


def heading(title: str, note: str = "") -> None:
    """A title, with a dimmed note after it."""
    results.print()
    results.print(Text.assemble((title, "bold"), (f"  {note}" if note else "", "dim")))
    results.print()


def paragraph(text: str) -> None:
    """A remark on the preceding output."""
    results.print()
    _indented(Text(text, style="dim"))


def whole(text: str) -> None:
    """A line that is never wrapped, such as a path to copy."""
    results.print(Text(f"  {text}", style="bold"), soft_wrap=True)


def facts(rows: Iterable[tuple[str, str]], on: Console = results) -> None:
    """A table of labels and values, without lines."""
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for what, value in rows:
        table.add_row(what, Text(value))
    _indented(table, on)


def table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """A table with a dimmed header and no lines."""
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
    """Text that is already broken into lines."""
    results.print(Text(indent_lines(text, " " * indent)), soft_wrap=True)


def as_json(value: Any) -> None:
    """The result as JSON, and nothing else; escaped if stdout's encoding cannot represent it."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def forgive() -> None:
    """Escape characters that stdout's encoding lacks, instead of failing."""
    codecs.register_error("clew.spelt", _spelt)
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors in ("strict", "surrogateescape"):
        sys.stdout.reconfigure(errors="clew.spelt")


def _spelt(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeEncodeError) and (known := SPELT.get(error.object[error.start])):
        return known, error.start + 1
    return codecs.backslashreplace_errors(error)


def complain(sentence: str) -> None:
    """An error message in red on stderr, wrapped only on a terminal."""
    messages.print(Text(sentence, style="red"), soft_wrap=not messages.is_terminal)


def _indented(what: RenderableType, on: Console = results) -> None:
    on.print(Padding(what, (0, 0, 0, 2), expand=False))


def duration(seconds: float) -> str:
    """A readable time, from milliseconds to minutes."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min"


def size(graph: Graph) -> str:
    """The size of a graph, in a few words."""
    direction = "directed" if graph.directed else "undirected"
    weights = "unweighted" if graph.weight_dtype is None else f"{graph.weight_dtype} weights"
    return f"{counted(graph.num_vertices, 'vertex')}, {counted(graph.num_edges, f'{direction} edge')}, {weights}"
