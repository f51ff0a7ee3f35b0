"""Figures of results, degrees and traces: distributions, groups, the vertices with the largest values, iterations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from clew.checks import array, counted, kind_of
from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph, check_graph
from clew.plots.chart import Axis, Chart, Panel, Series, check, empty, render
from clew.plots.values import MOST_COUNTED, WORDS, Bins, answered, is_skewed, labels_of, number, short, spans_powers
from clew.result import Result, Trace

TOP = 10
HOPS = ("depth", "distance")  # distances from a vertex
FEW_GROUPS = 24  # up to this many are shown one by one
TITLE = "Degree distribution"
PANEL_HEIGHT = 260
MOST_ROUNDS = 500  # up to this many are shown one by one
DIRECTIONS = {"push": "circle", "pull": "square"}
SYMBOLS = ("circle", "square", "diamond", "triangle-up")
ONCE = ("frontier", "colored")  # columns that count every vertex once, so that their running total is useful
EVERYONE = "change"  # a trace with this column counts every vertex in every iteration
PLACES = ("bucket", "core")  # columns that say where the algorithm is, and have no panel


def result(
    result: Result, value: str | None = None, *, title: str | None = None, dark: bool = False, backend: str = "plotly"
) -> Any:
    """Plot one value of a result, by default the first.

    Depths and distances become a profile: the number of vertices per distance. Labels, colours and other shared values
    become group sizes. Other numbers become their distribution, with the names of the vertices with the largest values.
    """
    if not isinstance(result, Result):
        raise GraphError(f"the result is {kind_of(result)}; expected a clew.Result, such as clew.bfs(graph).")
    check(backend, title)
    host = result.numpy()
    name = value or next(iter(host.values), None)
    column = np.asarray(host._column(name))
    heading = title or f"{host.algorithm}: {name}"
    if column.size == 0:
        chart = empty(heading, "The graph has no vertices.")
    elif name in HOPS:
        chart = _profile(str(name), column, heading, host)
    elif name in WORDS or column.dtype.kind == "b":
        chart = _groups(host, str(name), column, heading)
    else:
        chart = _spread(host, str(name), column, heading)
    return render(chart, dark=dark, backend=backend)


def distances(depths: Any, *, title: str | None = None, dark: bool = False, backend: str = "plotly") -> Any:
    """Plot the number of vertices at each distance, and within it.

    ``depths`` has a number per vertex; negative, infinite and NaN mean unreached.
    """
    check(backend, title)
    heading = title or "Distances"
    column = array("depths", depths)
    if column.ndim != 1 or (column.size and column.dtype.kind not in "iuf"):
        raise GraphError(f"depths has shape {column.shape} and dtype {column.dtype}; expected a number per vertex.")
    chart = _profile("depth", column, heading) if column.size else empty(heading, "The graph has no vertices.")
    return render(chart, dark=dark, backend=backend)


def _profile(name: str, column: Array, title: str, result: Result | None = None) -> Chart:
    """Columns for the vertices at each distance, and a line for those within it."""
    known = column[answered(name, column, result)]
    if not known.size:
        return empty(title, "No vertex is reached.")
    unreached = column.size - known.size
    note = f"{number(unreached)} of {number(column.size)} are unreached." if unreached else ""
    bins = Bins.by_steps(known)
    within = np.cumsum(bins.count)
    unit = "hops" if name == "depth" and known.dtype.kind != "f" else "distance"
    far = [
        f"{unit} {label}: {here:,}; within: {so_far:,} ({so_far / column.size:.1%} of all)"
        for label, here, so_far in zip(bins.labels(), bins.count.tolist(), within.tolist(), strict=True)
    ]
    series = [
        Series("columns", bins.middle, bins.count, "at this distance", far, tint=0),
        Series("both", bins.middle, within, "within it", far, tint=1, dashed=True),
    ]
    reached = f"{number(known.size)} of {number(column.size)} are reached"
    most = bins.labels()[int(bins.count.argmax())]
    alt = f"{title}: {reached}, the farthest at {number(known.max())}, most at {most}."
    panel = Panel(series, Axis("distance", whole=known.dtype.kind != "f"), Axis("vertices"))
    return Chart(title, [panel], alt, note=note)


def _groups(result: Result, name: str, column: Array, title: str) -> Chart:
    """The sizes of the groups of vertices with the same value."""
    word, known = WORDS.get(name, name), column[answered(name, column, result)]
    column = column.ravel()
    if not known.size:
        return empty(title, f"No vertex has a {word}.")
    values, sizes = np.unique(known, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    few = order[: FEW_GROUPS if order.size <= FEW_GROUPS else TOP]
    labels = labels_of(result, name, values[few])
    pairs = zip(labels, sizes[few].tolist(), strict=True)
    hover = [f"{word} {label}: {counted(size, 'vertex')}" for label, size in pairs]
    bars = Series("bars", sizes[few], np.arange(few.size), "", hover, tint=0)
    named = Axis(f"largest {word}s" if few.size < order.size else word, labels=tuple(map(short, labels)))
    panels = [Panel([bars], Axis("vertices"), named, weight=0.5 + few.size / 20)]
    if few.size < order.size:
        panels.append(_by_powers(np.bincount(sizes), f"{word} size", f"{word}s per size", word))
    most, all_of_them = sizes.max(), f"of {counted(column.size, 'vertex')}"
    if column.dtype.kind == "b":
        note = f"{int(column.sum()):,} {all_of_them}: yes."
    else:
        note = f"{counted(values.size, word)}; the largest has {most:,} {all_of_them} ({most / column.size:.0%})."
    return Chart(title, panels, f"{title}. {note}", height=140 + 28 * few.size + 300 * (len(panels) - 1), note=note)


def _spread(result: Result, name: str, column: Array, title: str) -> Chart:
    """The distribution of the numbers, and the vertices with the largest ones."""
    known = column[answered(name, column, result)]
    if not known.size:
        return empty(title, f"No vertex has a finite {name}.")
    positive = known[known > 0]
    note = ""
    if is_skewed(positive) and known.min() >= 0:
        if known.dtype.kind != "f" and known.max() < MOST_COUNTED:
            spread = _by_powers(np.bincount(known), name, f"vertices per {name}", "vertex")
        else:
            bins = Bins.by_powers(positive)
            spread = _points(bins, bins.count, name, "vertices", "vertex")
        if zeros := known.size - positive.size:
            note = f"{zeros:,} of {counted(column.size, 'vertex')} {'has' if zeros == 1 else 'have'} 0."
    else:
        bins = Bins.by_steps(known)
        series = Series("columns", bins.middle, bins.count, "", bins.hover(name), tint=0)
        spread = Panel([series], Axis(name, whole=known.dtype.kind != "f"), Axis("vertices"))
    panels, alt = [spread], f"{title}: from {number(known.min())} to {number(known.max())}."
    if column.ndim == 1:
        reached = column if result.unreached is None else column[result.reached]
        marks = int((reached > known.max()).sum())  # infinite values, which have no bar
        first = [each for each in result.top(TOP + marks, by=name)[marks:] if each[1] is not None]
        panels.append(_top(first, name))
        alt += f" The largest: {', '.join(str(vertex) for vertex, _ in first[:3])}."
    return Chart(title, panels, alt, height=420 + 260 * (len(panels) - 1), note=note)


def _top(first: list[tuple[Any, Any]], name: str) -> Panel:
    """Bars for the vertices with the largest values, by name."""
    labels = [str(vertex) for vertex, _ in first]
    values = np.array([value for _, value in first], dtype=np.float64)
    hover = [f"{label}: {number(value)}" for label, value in zip(labels, values.tolist(), strict=True)]
    bars = Series("bars", values, np.arange(values.size), "", hover, tint=0)
    return Panel([bars], Axis(name), Axis("top vertices", labels=tuple(map(short, labels))))


def _by_powers(count: Array, x: str, y: str, what: str) -> Panel:
    """The number of occurrences of each integer from 1 on, on log-log axes."""
    bins = Bins.of_counts(count)
    return _points(bins, bins.count / (bins.high - bins.low + 1), x, y, what)


def _points(bins: Bins, height: Array, x: str, y: str, what: str) -> Panel:
    series = Series("points", bins.log_middle, height, "", bins.hover(x, what), tint=0)
    return Panel([series], Axis(x, log=True), Axis(y, log=True))


def degrees(graph: Graph, *, dark: bool = False, backend: str = "plotly") -> Any:
    """Plot the degree distribution on log-log axes; out- and in-degrees if the graph is directed.

    Each point is the number of vertices with that degree or a higher one, so a power law is a straight line. Vertices
    without edges do not fit on such axes: a line below the title counts them.
    """
    check_graph(graph)
    check(backend)
    return render(_degree_chart(graph), dark=dark, backend=backend)


def _degree_chart(graph: Graph) -> Chart:
    if graph.num_vertices == 0:
        return empty(TITLE, "The graph has no vertices.")
    if graph.num_arcs == 0:
        text = "The vertex has no edge." if graph.num_vertices == 1 else "None of the vertices has an edge."
        return empty(TITLE, text)
    series, without, largest = [], [], []
    for prefix, symbol in (("out-", "circle"), ("in-", "diamond")) if graph.directed else (("", "circle"),):
        count = np.bincount(graph.degrees("in" if prefix == "in-" else "out"))
        bins, degree = Bins.of_counts(count), f"{prefix}degree"
        at_least, name = np.cumsum(bins.count[::-1])[::-1], degree if prefix else ""
        pairs = zip(bins.low.tolist(), at_least.tolist(), strict=True)
        hover = [f"{degree} {least:,} or more: {counted(many, 'vertex')}" for least, many in pairs]
        series.append(Series("points", bins.low, at_least, name, hover, symbol=symbol))
        largest.append(f"the largest {degree} is {count.size - 1:,}")
        if count[0]:
            without.append(f"{counted(count[0], 'has', 'have')} no {prefix}edges")
    alt = f"{TITLE} of {counted(graph.num_vertices, 'vertex')}: {', '.join(largest + without)}."
    panel = Panel(series, Axis("degree", log=True), Axis("vertices of that degree or more", log=True))
    note = f"Of {counted(graph.num_vertices, 'vertex')} {' and '.join(without)}." if without else ""
    return Chart(TITLE, [panel], alt, note=note)


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
    return render(_trace_chart(trace, title or "Iterations"), dark=dark, backend=backend)


def _trace_chart(trace: Trace, title: str) -> Chart:
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
    panels = [
        panel for group in (*GROUPS, *others) if (panel := _trace_panel(group, numbers, rows, not rows.has_legend))
    ]
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


def _trace_panel(group: Group, numbers: Mapping[str, Array], rows: _Rows, legend: bool) -> Panel | None:
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
