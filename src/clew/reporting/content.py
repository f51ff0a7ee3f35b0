"""The content of a report: sections of facts, tables, plots and sentences.

Nothing here is HTML. `page` makes it, and escapes all text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from clew.reporting import words

#: The remedy for a part that was skipped because it takes long.
EVERYTHING = "Compute it with --everything, or in Python with everything=True."


class Column(NamedTuple):
    """A column of a table: its title, and how its values are shown. ``bar`` draws a bar as long as the value."""

    title: str
    show: Callable[[Any], str] = words.text
    bar: bool = False
    name: bool = False  # the values are names of vertices

    @property
    def numeric(self) -> bool:
        """Whether values are right-aligned, and sorted as numbers."""
        return self.show is not words.text


def columns(shown: Mapping[str, Callable[[Any], str]]) -> list[Column]:
    """Columns from titles and how values are shown."""
    return [Column(*column) for column in shown.items()]


class Table(NamedTuple):
    """Rows of values, with a caption for screen readers."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]


class Facts(NamedTuple):
    """Pairs of label and value."""

    rows: Sequence[tuple[str, str]]


class Tiles(NamedTuple):
    """The main numbers: value, label and remark."""

    tiles: Sequence[tuple[str, str, str]]


class Text(NamedTuple):
    """A paragraph."""

    text: str


class Skipped(NamedTuple):
    """A part that was skipped, the reason, and how to get it."""

    what: str
    why: str
    remedy: str = ""


class Plot(NamedTuple):
    """A figure in a light and a dark version, its description in words, and its numbers."""

    key: str
    title: str
    light: Any
    dark: Any
    alt: str
    table: Table


class Folded(NamedTuple):
    """A part that is collapsed at first."""

    title: str
    blocks: Sequence[Block]


Block = Table | Facts | Tiles | Text | Skipped | Plot | Folded


class Section(NamedTuple):
    """A part of the page; ``key`` is its address within it."""

    key: str
    title: str
    lead: str
    blocks: Sequence[Block] = ()
