"""A chart as data: panels with few numbers, which plotly or matplotlib draw.

Data is summarised first: a chart has at most a few thousand points for any graph.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from clew.checks import text
from clew.dtypes import Array
from clew.errors import GraphError, MissingDependencyError

BACKENDS = ("plotly", "matplotlib")


class Series(NamedTuple):
    """One series of numbers. "both" is a line through points; "bars" are horizontal, "columns" vertical."""

    mark: Literal["line", "points", "both", "bars", "columns"]
    x: Any
    y: Any
    name: str = ""
    hover: Sequence[str] = ()
    tint: int | None = None  # index in the palette; by default the next one
    faint: bool = False  # for orientation only
    dashed: bool = False
    values: Array | None = None  # a number for each point, mapped to a colour by the scale
    scale_title: str = ""
    limits: tuple[float, float] = (0.0, 1.0)  # of the scale
    size: float | Array = 7.0
    symbol: str = "circle"
    ring: bool = False  # points are hollow
    gaps: bool = False  # NaN interrupts the line


class Axis(NamedTuple):
    """An axis: its title, and whether it is logarithmic."""

    title: str = ""
    log: bool = False
    whole: bool = False  # ticks at integers only
    labels: tuple[str, ...] = ()  # of 0, 1, …, from top to bottom


class Image(NamedTuple):
    """Colours (rows from top to bottom; red, green, blue, opacity), and their place: left, right, bottom, top."""

    colors: Array
    extent: tuple[float, float, float, float]


class Panel(NamedTuple):
    """Series over the same two axes."""

    series: Sequence[Series]
    x: Axis = Axis()
    y: Axis = Axis()
    image: Image | None = None
    bare: bool = False  # a square drawing without axes
    share: bool = False  # panels with this flag zoom along x together
    weight: float = 1.0  # of the height, relative to other panels


class Chart(NamedTuple):
    """Panels from top to bottom under one title; ``alt`` describes the chart in words."""

    title: str
    panels: Sequence[Panel]
    alt: str
    height: int = 420
    note: str = ""  # a line below the title
    legend: str = ""  # the title of the legend


def empty(title: str, why: str) -> Chart:
    """An empty chart that says why."""
    return Chart(title, (), why)


def check(backend: str, title: str | None = None) -> None:
    """Reject an unknown or missing library, and an invalid title, before any work is done."""
    if title is not None:
        text("title", title)
    if backend not in BACKENDS:
        raise GraphError(f"backend is {backend!r}; expected 'plotly' or 'matplotlib'.")
    try:
        importlib.import_module(backend)
    except ImportError:
        remedy = 'pip install "clew[plots]"' if backend == "plotly" else "pip install matplotlib"
        raise MissingDependencyError(f"{backend} is not installed; install it with: {remedy}") from None


def render(chart: Chart, *, dark: bool, backend: str) -> Any:
    """The chart as a ``plotly.graph_objects.Figure`` or a ``matplotlib.figure.Figure``."""
    return importlib.import_module(f"clew.plots.with_{backend}").figure(chart, dark)
