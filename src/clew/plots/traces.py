"""Figures of traces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.checks import counted, kind_of
from clew.dtypes import Array
from clew.errors import GraphError
from clew.plots.binning import number, spans_powers
from clew.plots.chart import Axis, Chart, Panel, Series, empty
from clew.plots.render import check, render
from clew.result import Trace

PANEL_HEIGHT = 260
MOST_ROUNDS = 500  # shown one by one
DIRECTIONS = {"push": "circle", "pull": "square"}
SYMBOLS = ("circle", "square", "diamond", "triangle-up")
ONCE = ("frontier", "colored")  # a vertex is in them once, so that their sum means something,
EVERYONE = "change"  # unless all are in them, round by round, until little changes
PLACES = ("bucket", "core")  # where the algorithm is rather than what it does


@dataclass(frozen=True)
class Kind:
    """Columns that are shown together, each with its name in the legend."""

    title: str
    columns: Mapping[str, str]
    scale: float = 1.0


KINDS = (
    Kind("active vertices", {"frontier": "", "active": ""}),
    Kind("edges read", {"edges": "in total", "edges_cpu": "CPU", "edges_gpu": "GPU"}),
    Kind("bytes of edges", {"bytes": ""}),
    Kind("bytes over the link", {"link_bytes": "", "bytes_up": "to the GPU", "bytes_down": "from the GPU"}),
    Kind("milliseconds", {"seconds": "", "seconds_cpu": "CPU", "seconds_gpu": "GPU"}, 1e3),
    Kind("share of the link's rate", {"link_share": ""}),
    Kind("vertices", {"vertices": ""}),
    Kind("vertices changed", {"changed": ""}),
    Kind("vertices coloured", {"colored": ""}),
    Kind("vertices left", {"left": ""}),
    Kind("paths found", {"paths": ""}),
    Kind("sum of changes", {"change": ""}),
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
        numbers.pop("edges", None)  # the same curve in another unit
    panels = [panel for kind in _kinds(numbers) if (panel := _panel(kind, numbers, rows, not rows.has_legend))]
    panels += _over_time(numbers)
    if not panels:
        return empty(title, "The trace has no columns of numbers.")
    alt = f"{title}: {', '.join(panel.y.title for panel in panels)} in {counted(rounds, 'iteration')}."
    note = f"Means of {rows.width} iterations each, {rounds:,} in total." if rows.width > 1 else ""
    if any((numbers.get(name, np.zeros(1)) < 0).any() for name in ("edges", "bytes")):
        note += f"{' ' * bool(note)}Edges are not counted in iterations that pulled."
    return Chart(title, panels, alt, height=100 + PANEL_HEIGHT * len(panels), note=note)


class _Rows:
    """Which iterations stand together for a point: each for itself, or several in a row."""

    def __init__(self, rounds: int, direction: Array | None, core: Array | None) -> None:
        self.width = -(-rounds // MOST_ROUNDS)
        self.first = np.arange(0, rounds, self.width)
        self.last = np.minimum(self.first + self.width, rounds) - 1
        self.unit = "iteration" if core is None else "core"
        self.at = (self.first + self.last) / 2 if self.width > 1 else self.first
        if core is not None:
            self.at = self.means(core)
        self.direction = None if direction is None else direction[self.first]
        self.has_legend = False  # whether a legend explains the marks already

    def hover_of(self, values: Array, what: str, chosen: Array | slice = slice(None)) -> list[str]:
        """What to say where one points at some of the points."""
        pairs = zip(self.at[chosen].tolist(), values[chosen].tolist(), strict=True)
        return [f"{self.unit} {number(x)}: {number(y)} {what}" for x, y in pairs]

    def means(self, column: Array) -> Array:
        """The mean of every point's iterations, as far as they are known."""
        known = np.isfinite(column)
        sums = np.add.reduceat(np.where(known, column, 0.0), self.first)
        many = np.add.reduceat(known.astype(np.int64), self.first)
        return np.where(many > 0, sums / np.maximum(many, 1), np.nan)


def _kinds(numbers: Mapping[str, Array]) -> list[Kind]:
    """The panels to draw, in order."""
    known = {name for kind in KINDS for name in kind.columns}
    others = [name for name in numbers if name not in known and name not in PLACES]
    return [*KINDS, *(Kind(name, {name: ""}) for name in others)]


def _panel(kind: Kind, numbers: Mapping[str, Array], rows: _Rows, legend: bool) -> Panel | None:
    """One panel, or none where the trace has none of its columns."""
    found = {name: label for name, label in kind.columns.items() if name in numbers and numbers[name].size}
    series: list[Series] = []
    for tint, (name, label) in enumerate(found.items()):
        column = np.where(numbers[name] < 0, np.nan, numbers[name] * kind.scale)  # negative: not counted
        shown = rows.means(column)
        if len(found) > 1:
            hover = rows.hover_of(shown, f"{kind.title}, {label}")
            series.append(Series("both", rows.at, shown, label, hover, tint=tint, symbol=SYMBOLS[tint % 4], gaps=True))
        elif rows.direction is not None:
            series += _by_direction(kind.title, shown, rows, legend)
            rows.has_legend = True
        else:
            hover = rows.hover_of(shown, kind.title)
            series.append(Series("both", rows.at, shown, "", hover, tint=0, gaps=True))
        if name in ONCE and EVERYONE not in numbers and rows.first.size > 1:
            total = np.nancumsum(column)[rows.last]
            hover = rows.hover_of(total, f"{kind.title} so far")
            series.append(Series("line", rows.at, total, "so far", hover, tint=2, dashed=True))
    if not series:
        return None
    heights = np.concatenate([np.asarray(one.y) for one in series])
    return Panel(
        series, Axis(rows.unit, whole=True), Axis(kind.title, log=spans_powers(heights[heights > 0])), share=True
    )


def _by_direction(title: str, shown: Array, rows: _Rows, legend: bool) -> list[Series]:
    """A thin line through marks that differ for iterations that pushed and that pulled."""
    assert rows.direction is not None
    series = [Series("line", rows.at, shown, faint=True, gaps=True)]
    for tint, (way, symbol) in enumerate(DIRECTIONS.items()):
        chosen = rows.direction == way
        if chosen.any():
            name = way if legend else ""
            hover = rows.hover_of(shown, f"{title}, {way}", chosen)
            series.append(Series("points", rows.at[chosen], shown[chosen], name, hover, tint=tint, symbol=symbol))
    return series


def _over_time(numbers: Mapping[str, Array]) -> list[Panel]:
    """How the number of vertices reached grew with time, where the trace knows both."""
    reached = next((name for name in ONCE if name in numbers), None)
    if "seconds" not in numbers or reached is None or EVERYONE in numbers:
        return []
    time, total = np.cumsum(numbers["seconds"]) * 1e3, np.cumsum(numbers[reached])
    kept = np.unique(np.linspace(0, time.size - 1, min(time.size, MOST_ROUNDS)).astype(np.int64))
    hover = [f"after {number(x)} ms: {number(y)} vertices" for x, y in zip(time[kept], total[kept], strict=True)]
    series = Series("both", time[kept], total[kept], "", hover, tint=0)
    return [Panel([series], Axis("milliseconds since the start"), Axis("vertices reached"))]
