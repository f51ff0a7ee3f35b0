"""Figures in their light and dark versions, and the charts that only the report has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.plots.chart import Axis, Chart, Panel, Series, render
from clew.plots.values import by_powers, by_steps, spans_powers, whole_by_powers
from clew.reporting import words
from clew.reporting.content import Column, Plot, Table

BAR, GAP = 22, 12  # pixels: the width of a horizontal bar, and the gap to the next
MARGINS = 110
SYMBOLS = ("circle", "diamond")
BYTES = {"GiB": 1 << 30, "MiB": 1 << 20, "KiB": 1 << 10}


def plot(key: str, title: str, draw: Callable[[bool], Any], table: Table) -> Plot:
    """A plot from a function that draws it for a light or a dark page."""
    light, dark = draw(False), draw(True)
    return Plot(key, title, light, dark, str(light.layout.meta["alt"]), table)


def charted(key: str, chart: Chart, table: Table) -> Plot:
    """A plot of a chart."""
    return plot(key, chart.title, lambda dark: render(chart, dark=dark, backend="plotly"), table)


def times(title: str, labels: Sequence[str], kinds: Mapping[str, Array], alt: str) -> Chart:
    """Horizontal bars of seconds, in a unit that fits the longest."""
    longest = max((float(np.nanmax(seconds, initial=0)) for seconds in kinds.values()), default=0.0)
    factor, unit = words.unit_of(longest)
    hover = [_hover(labels, seconds, _named(kind), words.duration) for kind, seconds in kinds.items()]
    return _horizontal(title, unit, labels, {kind: seconds * factor for kind, seconds in kinds.items()}, hover, alt)


def amounts(title: str, labels: Sequence[str], kinds: Mapping[str, Array], alt: str) -> Chart:
    """Horizontal bars of bytes."""
    longest = max((float(sizes.max()) for sizes in kinds.values() if sizes.size), default=1.0)
    size, unit = next(((size, unit) for unit, size in BYTES.items() if longest >= size), (1, "bytes"))
    hover = [_hover(labels, sizes, _named(kind), words.octets) for kind, sizes in kinds.items()]
    return _horizontal(title, unit, labels, {kind: sizes / size for kind, sizes in kinds.items()}, hover, alt)


def _horizontal(
    title: str, axis: str, labels: Sequence[str], kinds: Mapping[str, Array], hover: Sequence[Sequence[str]], alt: str
) -> Chart:
    """Bars with a label each, the first at the top, and a colour per series."""
    at = np.arange(len(labels))
    series = [
        Series("bars", values, at, kind, texts) for (kind, values), texts in zip(kinds.items(), hover, strict=True)
    ]
    panel = Panel(series, Axis(axis), Axis(labels=tuple(labels)))
    return Chart(title, [panel], alt, height=MARGINS + (GAP + BAR * len(kinds)) * len(labels))


def _named(kind: str) -> str:
    return f"{{}}, {kind}" if kind else "{}"


def spread(key: str, title: str, what: str, values: Array) -> Plot:
    """The distribution of a number per vertex: columns, or points on log-log axes if fractions span magnitudes."""
    points = values.dtype.kind == "f" and spans_powers(values)
    bins = by_powers(values) if points else by_steps(values)
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


def sizes(title: str, kinds: Mapping[str, Array], alt: str) -> Chart:
    """The number of components of each size on log-log axes, with a colour per definition of components."""
    series = []
    for (kind, found), symbol in zip(kinds.items(), SYMBOLS, strict=False):
        bins = whole_by_powers(np.bincount(found))
        hover = _hover(bins.labels(), bins.count, f"{kind} of {{}} vertices")
        name = kind if len(kinds) > 1 else ""
        series.append(Series("points", bins.log_middle, bins.count, name, hover, symbol=symbol, size=9.0))
    panel = Panel(series, Axis("vertices in the component", log=True), Axis("components of that size", log=True))
    return Chart(title, [panel], alt)


def _hover(
    labels: Sequence[str], values: Array, template: str, show: Callable[[float], str] = words.number
) -> list[str]:
    """``template`` with each label, and the value."""
    numbers = np.asarray(values).tolist()
    return [f"{template.format(label)}: {show(value)}" for label, value in zip(labels, numbers, strict=True)]
