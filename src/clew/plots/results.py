"""Figures of results: distributions, groups, and the vertices with the largest values."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.checks import array, counted, kind_of
from clew.dtypes import Array
from clew.errors import GraphError
from clew.plots.binning import Bins, by_powers, by_steps, is_skewed, number, whole_by_powers, whole_by_steps
from clew.plots.chart import Axis, Chart, Panel, Series, empty
from clew.plots.meaning import GROUPS, HOPS, WORDS, answered, labels_of, short
from clew.plots.render import check, render
from clew.result import Result

TOP = 10
MOST_COUNTED = 1 << 24  # whole numbers up to here are counted one by one
FEW_GROUPS = 24  # shown one by one


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
    elif name in GROUPS or column.dtype.kind == "b":
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
    """Columns for the vertices at a distance, a line for those within it."""
    known = column[answered(name, column, result)]
    note = (
        f"{number(column.size - known.size)} of {number(column.size)} are unreached."
        if known.size < column.size
        else ""
    )
    if not known.size:
        return empty(title, "No vertex is reached.")
    bins = _steps(known)
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
    most = bins.labels()[int(bins.count.argmax())]
    alt = (
        f"{title}: {number(known.size)} of {number(column.size)} are reached, the farthest at "
        f"{number(known.max())}, most at {most}."
    )
    return Chart(
        title, [Panel(series, Axis("distance", whole=known.dtype.kind != "f"), Axis("vertices"))], alt, note=note
    )


def _groups(result: Result, name: str, column: Array, title: str) -> Chart:
    """The sizes of the groups of vertices with the same value."""
    known = column[answered(name, column, result)]
    column = column.ravel()
    if not known.size:
        return empty(title, f"No vertex has a {WORDS.get(name, name)}.")
    values, sizes = np.unique(known, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    few = order[: FEW_GROUPS if order.size <= FEW_GROUPS else TOP]
    word = WORDS.get(name, name)
    labels = labels_of(result, name, values[few])
    hover = [
        f"{word} {label}: {counted(size, 'vertex')}" for label, size in zip(labels, sizes[few].tolist(), strict=True)
    ]
    at = np.arange(few.size)
    bars = Series("bars", sizes[few], at, "", hover, tint=0)
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
    """The distribution of the numbers, and the vertices that have the largest."""
    known = column[answered(name, column, result)]
    if not known.size:
        return empty(title, f"No vertex has a finite {name}.")
    positive = known[known > 0]
    note = ""
    if is_skewed(positive) and known.min() >= 0:
        if known.dtype.kind != "f" and known.max() < MOST_COUNTED:
            spread = _by_powers(np.bincount(known), name, f"vertices per {name}", "vertex")
        else:
            bins = by_powers(positive)
            spread = _points(bins, bins.count, name, "vertices", "vertex")
        if zeros := known.size - positive.size:
            note = f"{zeros:,} of {counted(column.size, 'vertex')} {'has' if zeros == 1 else 'have'} 0."
    else:
        bins = _steps(known)
        hover = [
            f"{name} {label}: {counted(many, 'vertex')}"
            for label, many in zip(bins.labels(), bins.count.tolist(), strict=True)
        ]
        series = Series("columns", bins.middle, bins.count, "", hover, tint=0)
        spread = Panel([series], Axis(name, whole=known.dtype.kind != "f"), Axis("vertices"))
    panels, alt = [spread], f"{title}: from {number(known.min())} to {number(known.max())}."
    if column.ndim == 1:
        reached = column if result.unreached is None else column[result.reached]
        marks = int((reached > known.max()).sum())  # infinite, which has no bar
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
    """How often each whole number from 1 on occurs, on log-log axes."""
    bins = whole_by_powers(count)
    return _points(bins, bins.count / (bins.high - bins.low + 1), x, y, what)


def _points(bins: Bins, height: Array, x: str, y: str, what: str) -> Panel:
    hover = [
        f"{x} {label}: {counted(many, what)}" for label, many in zip(bins.labels(), bins.count.tolist(), strict=True)
    ]
    return Panel([Series("points", bins.log_middle, height, "", hover, tint=0)], Axis(x, log=True), Axis(y, log=True))


def _steps(known: Array) -> Bins:
    """Columns side by side: a whole number each where they are few."""
    if known.dtype.kind == "f":
        return by_steps(known)
    smallest = int(known.min())
    if int(known.max()) - smallest > MOST_COUNTED:
        return by_steps(known)
    return whole_by_steps(smallest, np.bincount(known.astype(np.int64) - smallest))
