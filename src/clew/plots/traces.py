"""Figures of traces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from clew.checks import counted, kind_of
from clew.dtypes import Array
from clew.errors import GraphError
from clew.plots.chart import Axis, Chart, Panel, Series, check, empty, render
from clew.plots.values import number, spans_powers
from clew.result import Trace

PANEL_HEIGHT = 260
MOST_ROUNDS = 500  # up to this many are shown one by one
DIRECTIONS = {"push": "circle", "pull": "square"}
SYMBOLS = ("circle", "square", "diamond", "triangle-up")
ONCE = ("frontier", "colored")  # columns that count every vertex once, so that their running total is useful
EVERYONE = "change"  # a trace with this column counts every vertex in every iteration
PLACES = ("bucket", "core")  # columns that say where the algorithm is, and have no panel


class Group(NamedTuple):
    """Columns that share a panel, each with its name in the legend."""

    title: str
    columns: Mapping[str, str]
    scale: float = 1.0


GROUPS = (
    Group("active vertices", {"frontier": "", "active": ""}),
    Group("edges read", {"edges": "in total", "edges_cpu": "CPU", "edges_gpu": "GPU"}),
    Group("bytes of edges", {"bytes": ""}),
    Group("bytes over the link", {"link_bytes": "", "bytes_up": "to the GPU", "bytes_down": "from the GPU"}),
    Group("milliseconds", {"seconds": "", "seconds_cpu": "CPU", "seconds_gpu": "GPU"}, 1e3),
    Group("share of the link's rate", {"link_share": ""}),
    Group("vertices", {"vertices": ""}),
    Group("vertices changed", {"changed": ""}),
    Group("vertices coloured", {"colored": ""}),
    Group("vertices left", {"left": ""}),
    Group("paths found", {"paths": ""}),
    Group("sum of changes", {"change": ""}),
)


def trace(trace: Trace, title: str | None = None, *, dark: bool = False, backend: str = "plotly") -> Any:
    """Plot the columns of a trace over its iterations.

    The panels show active vertices (and their running total), edges, bytes, time and other columns of the trace. For a
    search, another panel shows the number of reached vertices over time. Push and pull iterations have different marks.
    If there are more than 500 iterations, means of several are shown.
    """
    if not isinstance(trace, Trace):
        raise GraphError(f"the trace is {kind_of(trace)}; expected that of a result, such as clew.bfs(graph).trace.")
    check(backend, title)
    return render(_chart(trace, title or "Iterations"), dark=dark, backend=backend)


def _chart(trace: Trace, title: str) -> Chart:
    columns = {name: np.asarray(column) for name, column in trace.columns.items()}
    numbers = {name: found.astype(np.float64) for name, found in columns.items() if found.dtype.kind in "iuf"}
    rounds = len(trace)
    if not rounds:
        return empty(title, "The trace is empty: there were no iterations, or the algorithm records no trace.")
    rows = _Rows(rounds, columns.get("direction"), numbers.get("core"))
    if "bytes" in numbers:
        numbers.pop("edges", None)  # bytes show the same curve
    known = {name for group in GROUPS for name in group.columns} | set(PLACES)
    others = [Group(name, {name: ""}) for name in numbers if name not in known]
    panels = [panel for group in (*GROUPS, *others) if (panel := _panel(group, numbers, rows, not rows.has_legend))]
    panels += _over_time(numbers)
    if not panels:
        return empty(title, "The trace has no columns of numbers.")
    alt = f"{title}: {', '.join(panel.y.title for panel in panels)} in {counted(rounds, 'iteration')}."
    note = f"Means of {rows.width} iterations each, {rounds:,} in total." if rows.width > 1 else ""
    if any((numbers.get(name, np.zeros(1)) < 0).any() for name in ("edges", "bytes")):
        note += f"{' ' * bool(note)}Edges are not counted in iterations that pulled."
    return Chart(title, panels, alt, height=100 + PANEL_HEIGHT * len(panels), note=note)


class _Rows:
    """The points of a trace: an iteration each, or the mean of several consecutive ones."""

    def __init__(self, rounds: int, direction: Array | None, core: Array | None) -> None:
        self.width = -(-rounds // MOST_ROUNDS)
        self.first = np.arange(0, rounds, self.width)
        self.last = np.minimum(self.first + self.width, rounds) - 1
        self.unit = "iteration" if core is None else "core"
        self.at = (self.first + self.last) / 2 if self.width > 1 else self.first
        if core is not None:
            self.at = self.means(core)
        self.direction = None if direction is None else direction[self.first]
        self.has_legend = False  # whether an earlier panel explains the marks

    def hover_of(self, values: Array, what: str, chosen: Array | slice = slice(None)) -> list[str]:
        """The hover texts of the chosen points."""
        pairs = zip(self.at[chosen].tolist(), values[chosen].tolist(), strict=True)
        return [f"{self.unit} {number(x)}: {number(y)} {what}" for x, y in pairs]

    def means(self, column: Array) -> Array:
        """The mean over the known iterations of every point."""
        known = np.isfinite(column)
        sums = np.add.reduceat(np.where(known, column, 0.0), self.first)
        many = np.add.reduceat(known.astype(np.int64), self.first)
        return np.where(many > 0, sums / np.maximum(many, 1), np.nan)


def _panel(group: Group, numbers: Mapping[str, Array], rows: _Rows, legend: bool) -> Panel | None:
    """The panel of a group, or None if the trace has none of its columns."""
    found = {name: label for name, label in group.columns.items() if name in numbers and numbers[name].size}
    series: list[Series] = []
    for tint, (name, label) in enumerate(found.items()):
        column = np.where(numbers[name] < 0, np.nan, numbers[name] * group.scale)  # negative means not counted
        shown = rows.means(column)
        if len(found) > 1:
            hover = rows.hover_of(shown, f"{group.title}, {label}")
            series.append(Series("both", rows.at, shown, label, hover, tint=tint, symbol=SYMBOLS[tint % 4], gaps=True))
        elif rows.direction is not None:
            series += _by_direction(group.title, shown, rows, legend)
            rows.has_legend = True
        else:
            hover = rows.hover_of(shown, group.title)
            series.append(Series("both", rows.at, shown, "", hover, tint=0, gaps=True))
        if name in ONCE and EVERYONE not in numbers and rows.first.size > 1:
            total = np.nancumsum(column)[rows.last]
            hover = rows.hover_of(total, f"{group.title} so far")
            series.append(Series("line", rows.at, total, "so far", hover, tint=2, dashed=True))
    if not series:
        return None
    heights = np.concatenate([np.asarray(one.y) for one in series])
    vertical = Axis(group.title, log=spans_powers(heights[heights > 0]))
    return Panel(series, Axis(rows.unit, whole=True), vertical, share=True)


def _by_direction(title: str, shown: Array, rows: _Rows, legend: bool) -> list[Series]:
    """A thin line, with different marks for push and pull iterations."""
    assert rows.direction is not None
    series = [Series("line", rows.at, shown, faint=True, gaps=True)]
    for tint, (direction, symbol) in enumerate(DIRECTIONS.items()):
        chosen = rows.direction == direction
        if chosen.any():
            name = direction if legend else ""
            hover = rows.hover_of(shown, f"{title}, {direction}", chosen)
            series.append(Series("points", rows.at[chosen], shown[chosen], name, hover, tint=tint, symbol=symbol))
    return series


def _over_time(numbers: Mapping[str, Array]) -> list[Panel]:
    """The number of reached vertices over time, if the trace has both."""
    reached = next((name for name in ONCE if name in numbers), None)
    if "seconds" not in numbers or reached is None or EVERYONE in numbers:
        return []
    time, total = np.cumsum(numbers["seconds"]) * 1e3, np.cumsum(numbers[reached])
    kept = np.unique(np.linspace(0, time.size - 1, min(time.size, MOST_ROUNDS)).astype(np.int64))
    hover = [f"after {number(x)} ms: {number(y)} vertices" for x, y in zip(time[kept], total[kept], strict=True)]
    series = Series("both", time[kept], total[kept], "", hover, tint=0)
    return [Panel([series], Axis("milliseconds since the start"), Axis("vertices reached"))]
