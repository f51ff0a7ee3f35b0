"""The content of a report: sections of facts, tables, plots and sentences, and the charts that only the report has.

Nothing here is HTML. `page` makes it, and escapes all text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from clew.dtypes import Array
from clew.plots.chart import Axis, Chart, Panel, Series, render
from clew.plots.values import Bins, spans_powers
from clew.reporting import words

#: The remedy for a part that was skipped because it takes long.
EVERYTHING = "Compute it with --everything, or in Python with everything=True."
BAR, GAP = 22, 12  # pixels: the width of a horizontal bar, and the gap to the next
MARGINS = 110
SYMBOLS = ("circle", "diamond")
Show = Callable[[Any], str]


class Column(NamedTuple):
    """A column of a table: its title, and how its values are shown. ``bar`` draws a bar as long as the value."""

    title: str
    show: Show = str
    bar: bool = False
    name: bool = False  # the values are names of vertices

    @property
    def numeric(self) -> bool:
        """Whether values are right-aligned, and sorted as numbers."""
        return self.show is not str


def columns(shown: Mapping[str, Show]) -> list[Column]:
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


class Map(NamedTuple):
    """The picture of a graph that the page draws: its data (see ``graph_map``), a description, and landmarks."""

    key: str
    title: str
    packed: str
    alt: str
    table: Table


class Folded(NamedTuple):
    """A part that is collapsed at first."""

    title: str
    blocks: Sequence[Block]


Block = Table | Facts | Tiles | Text | Skipped | Plot | Map | Folded


class Section(NamedTuple):
    """A part of the page; ``key`` is its address within it."""

    key: str
    title: str
    lead: str
    blocks: Sequence[Block] = ()


def plot(key: str, title: str, draw: Callable[[bool], Any], table: Table) -> Plot:
    """A plot from a function that draws it for a light or a dark page."""
    light, dark = draw(False), draw(True)
    return Plot(key, title, light, dark, str(light.layout.meta["alt"]), table)


def charted(key: str, chart: Chart, table: Table) -> Plot:
    """A plot of a chart."""
    return plot(key, chart.title, lambda dark: render(chart, dark=dark, backend="plotly"), table)


def times(title: str, labels: Sequence[str], series: Mapping[str, Array], alt: str) -> Chart:
    """Horizontal bars of seconds, in a unit that fits the longest: a label each, a colour per series."""
    factor, unit = words.unit_of(max((float(np.nanmax(one, initial=0)) for one in series.values()), default=0.0))
    bars = []
    for name, values in series.items():
        hover = _hover(labels, values, f"{{}}, {name}" if name else "{}", words.duration)
        bars.append(Series("bars", values * factor, np.arange(len(labels)), name, hover))
    panel = Panel(bars, Axis(unit), Axis(labels=tuple(labels)))
    return Chart(title, [panel], alt, height=MARGINS + (GAP + BAR * len(series)) * len(labels))


def spread(key: str, title: str, what: str, values: Array) -> Plot:
    """The distribution of a number per vertex: columns, or points on log-log axes if fractions span magnitudes."""
    points = values.dtype.kind == "f" and spans_powers(values)
    bins = Bins.by_powers(values) if points else Bins.by_steps(values)
    labels, hover = bins.labels(), _hover(bins.labels(), bins.count, f"{what} {{}}")
    if points:
        series = Series("points", bins.log_middle, bins.count, hover=hover, tint=0)
    else:
        series = Series("columns", bins.middle, bins.count, hover=hover, tint=0)
    smallest, largest = words.scientific(values.min()), words.scientific(values.max())
    alt = f"Vertices by {what}: from {smallest} to {largest}, most have {labels[int(bins.count.argmax())]}."
    uneven = points or spans_powers(bins.count[bins.count > 0])
    chart = Chart(title, [Panel([series], Axis(what, log=points), Axis("vertices", log=uneven))], alt)
    rows = list(zip(labels, bins.count.tolist(), strict=True))
    return charted(key, chart, Table(title, [Column(what.capitalize()), Column("Vertices", words.whole)], rows))


def sizes(title: str, groups: Mapping[str, Array], alt: str) -> Chart:
    """The number of components of each size on log-log axes, with a colour per definition of components."""
    series = []
    for (group, found), symbol in zip(groups.items(), SYMBOLS, strict=False):
        bins = Bins.of_counts(np.bincount(found))
        hover = _hover(bins.labels(), bins.count, f"{group} of {{}} vertices")
        name = group if len(groups) > 1 else ""
        series.append(Series("points", bins.log_middle, bins.count, name, hover, symbol=symbol, size=9.0))
    panel = Panel(series, Axis("vertices in the component", log=True), Axis("components of that size", log=True))
    return Chart(title, [panel], alt)


def _hover(
    labels: Sequence[str], values: Array, template: str, show: Callable[[float], str] = words.number
) -> list[str]:
    """``template`` with each label, and the value."""
    numbers = np.asarray(values).tolist()
    return [f"{template.format(label)}: {show(value)}" for label, value in zip(labels, numbers, strict=True)]
