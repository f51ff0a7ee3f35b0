"""A chart as data: panels of few numbers, which plotly or matplotlib draw.

Data is summarised first: a chart has at most some thousands of points for any graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from clew.dtypes import Array

Kind = Literal["line", "points", "both", "bars", "columns"]


@dataclass(frozen=True)
class Series:
    """One series of numbers. "both" is a line through points; "bars" are horizontal, "columns" vertical."""

    kind: Kind
    x: Any
    y: Any
    name: str = ""
    hover: Sequence[str] = ()
    tint: int | None = None  # which colour of the palette; by default the next one
    faint: bool = False  # what is there for orientation only
    dashed: bool = False
    values: Array | None = None  # a number for each point, which a scale turns into its colour
    scale_title: str = ""
    limits: tuple[float, float] = (0.0, 1.0)  # of the scale
    size: float | Array = 7.0
    symbol: str = "circle"
    ring: bool = False  # points are hollow
    gaps: bool = False  # NaN interrupts the line


@dataclass(frozen=True)
class Axis:
    """An axis: its title, and whether it is logarithmic."""

    title: str = ""
    log: bool = False
    whole: bool = False  # only whole numbers have a tick
    labels: tuple[str, ...] = ()  # of 0, 1, …, from top to bottom


@dataclass(frozen=True)
class Image:
    """Colours (rows from top to bottom, red, green, blue, opacity), and the rectangle they cover: left, right, …"""

    colors: Array
    extent: tuple[float, float, float, float]


@dataclass(frozen=True)
class Panel:
    """Series over the same two axes."""

    series: Sequence[Series]
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    image: Image | None = None
    bare: bool = False  # no axes, and as wide as high: a drawing rather than a diagram
    share: bool = False  # panels that share zoom along x
    weight: float = 1.0  # of the height, relative to other panels


@dataclass(frozen=True)
class Chart:
    """Panels from top to bottom under one title; ``alt`` describes the chart in words."""

    title: str
    panels: Sequence[Panel]
    alt: str
    height: int = 420
    note: str = ""  # a line below the title
    legend: str = ""  # what the names of the series are


def empty(title: str, why: str) -> Chart:
    """An empty chart that says why."""
    return Chart(title, (), why)
