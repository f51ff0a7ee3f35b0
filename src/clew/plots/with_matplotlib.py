"""Charts as matplotlib figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clew.plots.chart import Axis, Chart, Look, Panel, Series, look

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PIXELS_PER_INCH = 100
WIDTH = 7.0  # inches
POINTS_PER_PIXEL = 0.6  # plotly measures the width of a mark in pixels, matplotlib its area in points
SYMBOLS = {"circle": "o", "square": "s", "diamond": "D", "triangle-up": "^"}


def figure(chart: Chart, dark: bool) -> Figure:
    """The chart as a figure that is not shown in a window."""
    from matplotlib.figure import Figure

    colors = look(dark)
    drawn = Figure(figsize=(WIDTH, chart.height / PIXELS_PER_INCH), layout="constrained", facecolor=colors.paper)
    drawn.suptitle(_plain(f"{chart.title}\n{chart.note}".strip()), color=colors.ink)
    if not chart.panels:
        drawn.text(0.5, 0.5, _plain(chart.alt), ha="center", color=colors.ink)
        return drawn
    heights = [panel.weight for panel in chart.panels]
    rows = drawn.subplots(len(chart.panels), 1, squeeze=False, height_ratios=heights)
    for panel, axes in zip(chart.panels, rows[:, 0], strict=True):
        _draw(panel, axes, colors)
    return drawn


def _draw(panel: Panel, axes: Any, colors: Look) -> None:
    axes.set_facecolor(colors.paper)
    if panel.image is not None:
        axes.imshow(panel.image.colors, extent=panel.image.extent, aspect="equal")
    for number, series in enumerate(panel.series):
        _add(series, axes, colors, number)
    if panel.bare:
        axes.set_aspect("equal")
        axes.axis("off")
        return
    _set_axis(axes.xaxis, axes.set_xscale, panel.x, colors)
    _set_axis(axes.yaxis, axes.set_yscale, panel.y, colors)
    if panel.y.labels:
        axes.invert_yaxis()
    elif not panel.y.log:
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]) if axes.dataLim.y0 < 0 else 0.0)
    axes.grid(True, color=colors.faint, alpha=0.25)
    axes.set_axisbelow(True)
    for spine in axes.spines.values():
        spine.set_color(colors.faint)
    if any(series.name for series in panel.series):
        axes.legend(frameon=False, labelcolor=colors.ink)


def _add(series: Series, axes: Any, colors: Look, number: int) -> None:
    chosen = series.tint if series.tint is not None else number
    color = colors.faint if series.faint else colors.palette[chosen % len(colors.palette)]
    label = _plain(series.name) or None
    if series.mark == "bars":
        axes.barh(series.y, series.x, color=color, label=label)
    elif series.mark == "columns":
        width = 0.85 * (series.x[1] - series.x[0]) if len(series.x) > 1 else 0.85
        axes.bar(series.x, series.y, width=width, color=color, label=label)
    elif series.mark == "points":
        painted: dict[str, Any] = {"facecolor": "none" if series.ring else color, "edgecolor": color}
        if series.values is not None:
            painted = _painted(series, colors)
        x, y = (np.asarray(numbers, dtype=np.float64) for numbers in (series.x, series.y))  # None becomes NaN
        area = np.square(np.multiply(series.size, POINTS_PER_PIXEL)) if np.size(series.size) else 1.0
        points = axes.scatter(x, y, s=area, marker=SYMBOLS[series.symbol], label=label, zorder=3, **painted)
        if series.values is not None:
            bar = axes.figure.colorbar(points, ax=axes, location="bottom", shrink=0.6, label=_plain(series.scale_title))
            bar.ax.xaxis.label.set_color(colors.ink)
            bar.ax.tick_params(colors=colors.ink)
    else:
        marker = "o" if series.mark == "both" else None
        width = 0.6 if series.faint else 1.6
        style = ":" if series.dashed else "-"
        axes.plot(series.x, series.y, color=color, marker=marker, markersize=4, lw=width, ls=style, label=label)


def _painted(series: Series, colors: Look) -> dict[str, Any]:
    from matplotlib.colors import LinearSegmentedColormap

    low, high = series.limits
    scale = LinearSegmentedColormap.from_list("clew", list(colors.scale))
    return {"c": series.values, "cmap": scale, "vmin": low, "vmax": high, "plotnonfinite": True}


def _set_axis(axis: Any, set_scale: Any, spec: Axis, colors: Look) -> None:
    axis.set_label_text(_plain(spec.title), color=colors.ink)
    axis.set_tick_params(colors=colors.ink)
    if spec.log:
        set_scale("log")
    if spec.whole:
        axis.get_major_locator().set_params(integer=True)
    if spec.labels:
        axis.set_ticks(range(len(spec.labels)), labels=[_plain(label) for label in spec.labels])


def _plain(text: str) -> str:
    """Escaped text: matplotlib would take names between dollar signs as mathematics."""
    return text.replace("$", r"\$")
