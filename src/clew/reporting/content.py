"""What a report says, before it becomes a page: sections of facts, tables, plots and sentences.

Nothing here is HTML. Text is what a person should read, and `page` escapes all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from clew.reporting import words

#: The remedy for what was left out because it takes long.
EVERYTHING = "Compute it with --everything, or in Python with everything=True."


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its title, and how its values are shown. ``bar`` draws a line as long as the value."""

    title: str
    show: Callable[[Any], str] = words.text
    bar: bool = False
    name: bool = False  # the values are the user's names of vertices

    @property
    def numeric(self) -> bool:
        """Whether values stand at the right, and are sorted as numbers."""
        return self.show is not words.text


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values, with a caption for those who do not see what stands around it."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Facts:
    """Pairs of what and how much."""

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Tiles:
    """The few numbers to see first: value, what it is, a remark."""

    tiles: Sequence[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part that was skipped, the reason, and how to get it."""

    what: str
    why: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure in a light and a dark version, what it shows in words, and its numbers."""

    key: str
    title: str
    light: Any
    dark: Any
    alt: str
    table: Table


@dataclass(frozen=True, slots=True)
class Folded:
    """A part that is collapsed at first."""

    title: str
    blocks: Sequence[Block]


Block = Table | Facts | Tiles | Text | Skipped | Plot | Folded


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page; ``key`` is its address within it."""

    key: str
    title: str
    lead: str
    blocks: Sequence[Block] = ()
