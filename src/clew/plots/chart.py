"""A chart as data: panels with few numbers, which plotly or matplotlib draw; and the look of all figures.

Data is summarised first: a chart has at most a few thousand points for any graph. Figures are light or dark, with
colour-blind-safe colours and letters that are legible on a phone.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from clew.checks import text
from clew.dtypes import Array
from clew.errors import GraphError, MissingDependencyError, install_command

if TYPE_CHECKING:
    import plotly.graph_objects as go

BACKENDS = ("plotly", "matplotlib")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
FONT_SIZE = 14
TITLE_SIZE = 17
LEGEND = {"orientation": "h", "yanchor": "bottom", "y": 1, "xanchor": "left", "x": 0, "itemsizing": "constant"}


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
        remedy = install_command("clew[plots]" if backend == "plotly" else "matplotlib")
        raise MissingDependencyError(f"{backend} is not installed; install it with: {remedy}") from None


def render(chart: Chart, *, dark: bool, backend: str) -> Any:
    """The chart as a ``plotly.graph_objects.Figure`` or a ``matplotlib.figure.Figure``."""
    return importlib.import_module(f"clew.plots.with_{backend}").figure(chart, dark)


class Look(NamedTuple):
    """The colours of a theme. Those of the palette have a contrast of at least 3 against the paper.

    The last one is for groups without their own colour.
    """

    paper: str
    ink: str
    soft: str  # for secondary text
    faint: str  # for orientation: grids, edges of a drawing
    palette: tuple[str, ...]
    scale: tuple[str, ...]  # from small to large


LIGHT = Look(
    paper="#ffffff",
    ink="#1f2430",
    soft="#5a6172",
    faint="#8a91a0",
    palette=("#0067a5", "#c8500a", "#00805e", "#b0478f", "#8a6d00", "#2b2f3a", "#7d8493"),
    scale=("#35b779", "#21918c", "#31688e", "#443983", "#440154"),
)
DARK = Look(
    paper="#14171f",
    ink="#e8eaf0",
    soft="#a9b0be",
    faint="#7d8595",
    palette=("#5db4ec", "#ff9350", "#2fc39a", "#e08cc4", "#e2c044", "#f4f5f7", "#8f97a6"),
    scale=("#3b528b", "#21918c", "#35b779", "#a0da39", "#fde725"),
)


def look(dark: bool) -> Look:
    """The colours of the theme."""
    return DARK if dark else LIGHT


def template(dark: bool = False) -> go.layout.Template:
    """The theme as a plotly template. A page that switches themes gives its figures the other one."""
    import plotly.graph_objects as go

    colors = look(dark)
    grid = f"rgba{(*rgb(colors.faint), 0.25)}"
    lines = {"gridcolor": grid, "linecolor": colors.faint, "tickcolor": colors.faint, "zeroline": False}
    axis = lines | {"showline": True, "ticks": "outside", "automargin": True, "title": {"standoff": 8}}
    title = {"x": 0, "xref": "container", "y": 1, "yref": "container", "yanchor": "top", "pad": {"l": 16, "t": 14}}
    subtitle = {"font": {"size": FONT_SIZE - 1, "color": colors.soft}}
    return go.layout.Template(
        data={"bar": [{"insidetextfont": {"color": colors.paper}}]},
        layout={
            "font": {"family": FONT, "size": FONT_SIZE, "color": colors.ink},
            "title": title | {"font": {"size": TITLE_SIZE}, "subtitle": subtitle},
            "paper_bgcolor": colors.paper,
            "plot_bgcolor": colors.paper,
            "colorway": list(colors.palette),
            "colorscale": {"sequential": steps(colors.scale)},
            "xaxis": axis,
            "yaxis": axis,
            "margin": {"l": 16, "r": 16, "t": 48, "b": 16},
            "legend": LEGEND,
            "hoverlabel": {"font": {"family": FONT, "size": FONT_SIZE}},
            "hovermode": "closest",
            "bargap": 0.15,
        },
    )


def steps(colors: tuple[str, ...]) -> list[list[float | str]]:
    """A colour scale in plotly's form."""
    return [[number / (len(colors) - 1), color] for number, color in enumerate(colors)]


def rgb(color: str) -> tuple[int, int, int]:
    """The three numbers of a colour written as "#rrggbb"."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
