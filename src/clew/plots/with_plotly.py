"""Charts as plotly figures."""

from __future__ import annotations

import base64
import html
import struct
import textwrap
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from clew.dtypes import Array
from clew.plots.chart import LEGEND, Axis, Chart, Panel, Series, look, steps, template
from clew.plots.values import number

if TYPE_CHECKING:
    import plotly.graph_objects as go

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
EIGHT_BITS, WITH_OPACITY = 8, 6  # of a PNG
GAP = 90  # pixels between panels, for the title of the axis
LINE_HEIGHT, LEGEND_HEIGHT = 20, 32  # pixels above the panels
FEW_NUMBERS = 8  # integers along an axis up to which each has a tick
ON_A_PHONE = 54  # letters per line


def figure(chart: Chart, dark: bool) -> go.Figure:
    """The chart as a figure; ``layout.meta["alt"]`` describes it in words."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    panels = chart.panels
    if panels:
        gap = min(GAP / chart.height, 0.9 / max(1, len(panels) - 1))
        heights = [panel.weight for panel in panels]
        drawn = make_subplots(rows=len(panels), cols=1, row_heights=heights, vertical_spacing=gap)
    else:
        drawn = go.Figure()
    shared = next((row for row, panel in enumerate(panels, 1) if panel.share), None)
    for row, panel in enumerate(panels, 1):
        for series in panel.series:
            drawn.add_trace(_trace(series, panel, dark), row=row, col=1)
        if any(series.name for series in panel.series):
            _add_legend(drawn, chart, panel, row)
        drawn.update_xaxes(_axis(panel.x, panel), row=row, col=1)
        drawn.update_yaxes(_axis(panel.y, panel) | _from_zero(panel), row=row, col=1)
        if panel.share and shared is not None and row > shared:
            drawn.update_xaxes(matches=_numbered("x", shared), row=row, col=1)
        if panel.bare:
            drawn.update_yaxes(scaleanchor=_numbered("x", row), scaleratio=1, row=row, col=1)
        if panel.image is not None:
            _add_image(drawn, panel, row)
    note = _lines(chart.note)
    named = bool(panels) and not panels[0].bare and any(series.name for series in panels[0].series)
    drawn.update_layout(
        template=template(dark),
        margin={"t": 48 + LINE_HEIGHT * len(note) + LEGEND_HEIGHT * named},
        title={"text": _plain(chart.title), "subtitle": {"text": "<br>".join(note)}},
        height=chart.height,
        meta={"alt": chart.alt},
        showlegend=any(series.name for panel in panels for series in panel.series),
    )
    if not panels:
        drawn.update_xaxes(visible=False)
        drawn.update_yaxes(visible=False)
        text = "<br>".join(_lines(chart.alt))
        drawn.add_annotation(text=text, x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False)
    return drawn


def _add_legend(drawn: go.Figure, chart: Chart, panel: Panel, row: int) -> None:
    """A separate legend for a panel, right above it; below drawings, whose legends may have many lines."""
    name = _numbered("legend", row)
    drawn.update_traces(legend=name, row=row, col=1)
    bottom, top = drawn.layout[_numbered("yaxis", row)].domain
    where = {"y": bottom, "yanchor": "top"} if panel.bare else {"y": top}
    drawn.update_layout({name: LEGEND | where | {"title": {"text": _plain(chart.legend)}}})


def _numbered(part: str, row: int) -> str:
    """Plotly's name for an axis or a legend of a panel: x, x2, x3, …"""
    return f"{part}{row if row > 1 else ''}"


def _trace(series: Series, panel: Panel, dark: bool) -> Any:
    import plotly.graph_objects as go

    colors = look(dark)
    tint: str | None = None if series.tint is None else colors.palette[series.tint % len(colors.palette)]
    if series.faint:
        tint = colors.faint
    common = {"x": series.x, "y": series.y, "name": _plain(series.name), "showlegend": bool(series.name)}
    if series.hover:
        common |= {"hovertext": [_plain(text) for text in series.hover], "hovertemplate": "%{hovertext}<extra></extra>"}
    elif panel.bare:
        common |= {"hoverinfo": "skip"}
    if series.mark in ("bars", "columns"):
        bar: dict[str, Any] = {"orientation": "v", "textposition": "none"}
        if series.mark == "bars":
            texts = [number(float(value)) for value in series.x]
            bar = {"orientation": "h", "textposition": "auto", "text": texts}
        return go.Bar(**common, **bar, marker={"color": tint}, textangle=0, cliponaxis=False)
    mode = {"line": "lines", "points": "markers", "both": "lines+markers"}[series.mark]
    marker: dict[str, Any] = {"size": series.size, "color": tint, "symbol": series.symbol + "-open" * series.ring}
    if series.values is not None:
        marker |= _colored(series, dark)
    line = {"color": tint, "dash": "dot" if series.dashed else None, "width": 1 if series.faint else 2}
    return go.Scatter(**common, mode=mode, marker=marker, line=line, connectgaps=not series.gaps)


def _plain(text: str) -> str:
    """Escaped text: plotly would take HTML tags in names as formatting."""
    return html.escape(text, quote=False)


def _lines(text: str) -> list[str]:
    """Text in lines that fit a phone."""
    return [_plain(line) for line in textwrap.wrap(text, ON_A_PHONE, break_on_hyphens=False)]


def _colored(series: Series, dark: bool) -> dict[str, Any]:
    """The marker of points with a colour each."""
    title = {"text": _plain(series.scale_title), "side": "top"}
    bar = {"title": title, "orientation": "h", "thickness": 10, "outlinewidth": 0, "y": 0, "yanchor": "top"}
    low, high = series.limits
    scale = {"colorscale": steps(look(dark).scale), "cmin": low, "cmax": high, "showscale": True, "colorbar": bar}
    return {"color": series.values} | scale


def _axis(axis: Axis, panel: Panel) -> dict[str, Any]:
    if panel.bare:
        return {"visible": False}
    spec: dict[str, Any] = {"title": {"text": _plain(axis.title)}}
    if axis.log:
        spec |= {"type": "log", "dtick": 1, "exponentformat": "power"}
    if axis.labels:
        several = len(axis.labels)
        spec |= {"tickvals": list(range(several)), "ticktext": [_plain(label) for label in axis.labels]}
        spec |= {"range": [several - 0.5, -0.5]}
    if axis.whole:
        spec |= {"tickformat": ",d"}
        span = max((np.ptp(np.asarray(series.x)) for series in panel.series if len(series.x)), default=0)
        if span < FEW_NUMBERS:
            spec |= {"dtick": 1}  # else there would be ticks between integers, rounded
    return spec


def _from_zero(panel: Panel) -> dict[str, Any]:
    """Axes start at 0, so that similar values look similar. Fractions are written out, not in thousandths."""
    if panel.bare or panel.y.log or panel.y.labels:
        return {}
    largest = max((np.nanmax(series.y, initial=0.0) for series in panel.series if len(series.y)), default=0.0)
    return {"rangemode": "tozero", "exponentformat": "none" if largest < 1 else "SI"}


def _add_image(drawn: go.Figure, panel: Panel, row: int) -> None:
    assert panel.image is not None
    left, right, bottom, top = panel.image.extent
    source = "data:image/png;base64," + base64.b64encode(_png(panel.image.colors)).decode()
    place = {"x": left, "y": top, "sizex": right - left, "sizey": top - bottom, "sizing": "stretch", "layer": "below"}
    drawn.add_layout_image(source=source, xref=_numbered("x", row), yref=_numbered("y", row), **place)
    drawn.update_xaxes(range=[left, right], row=row, col=1)
    drawn.update_yaxes(range=[bottom, top], row=row, col=1)


def _png(colors: Array) -> bytes:
    """The PNG of an array of bytes of shape (rows, columns, 4): red, green, blue, opacity."""
    height, width, _ = colors.shape
    rows = np.zeros((height, 1 + 4 * width), dtype=np.uint8)  # each row begins with its filter, 0 for none
    rows[:, 1:] = colors.reshape(height, 4 * width)
    head = struct.pack(">IIBBBBB", width, height, EIGHT_BITS, WITH_OPACITY, 0, 0, 0)
    return (
        PNG_SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + _chunk(b"IEND", b"")
    )


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
