"""The degree distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.checks import counted
from clew.dtypes import Array
from clew.graph import Graph, check_graph
from clew.plots.binning import whole_by_powers
from clew.plots.chart import Axis, Chart, Panel, Series, empty
from clew.plots.render import check, render

TITLE = "Degree distribution"


def degrees(graph: Graph, *, dark: bool = False, backend: str = "plotly") -> Any:
    """Plot the degree distribution on log-log axes; out- and in-degrees if the graph is directed.

    Each point is the number of vertices with that degree. Large degrees are binned, and the point is the mean of its
    bin, so a power law is a straight line. Vertices without edges do not fit on such axes: a line below the title
    counts them.
    """
    check_graph(graph)
    check(backend)
    return render(_chart(graph), dark=dark, backend=backend)


def _chart(graph: Graph) -> Chart:
    if graph.num_vertices == 0:
        return empty(TITLE, "The graph has no vertices.")
    kinds = {"out": graph.degrees("out"), "in": graph.degrees("in")} if graph.directed else {"": graph.degrees()}
    counts = {kind: np.bincount(found) for kind, found in kinds.items()}
    if graph.num_arcs == 0:
        text = "The vertex has no edge." if graph.num_vertices == 1 else "None of the vertices has an edge."
        return empty(TITLE, text)
    symbols = ("circle", "diamond")
    series = [_series(kind, count, symbols[i]) for i, (kind, count) in enumerate(counts.items())]
    without = [f"{counted(count[0], 'has', 'have')} no {_edges(kind)}" for kind, count in counts.items() if count[0]]
    largest = [f"the largest {_degree(kind)} is {count.size - 1:,}" for kind, count in counts.items()]
    alt = f"{TITLE} of {counted(graph.num_vertices, 'vertex')}: {', '.join(largest + without)}."
    panel = Panel(series, Axis("degree", log=True), Axis("vertices per degree", log=True))
    note = f"Of {counted(graph.num_vertices, 'vertex')} {' and '.join(without)}." if without else ""
    return Chart(TITLE, [panel], alt, note=note)


def _series(kind: str, count: Array, symbol: str) -> Series:
    bins = whole_by_powers(count)
    mean = bins.count / (bins.high - bins.low + 1)
    hover = [
        f"{_degree(kind)} {label}: {counted(found, 'vertex')}"
        for label, found in zip(bins.labels(), bins.count.tolist(), strict=True)
    ]
    return Series("points", bins.log_middle, mean, _degree(kind) if kind else "", hover, symbol=symbol)


def _degree(kind: str) -> str:
    return f"{kind}-degree" if kind else "degree"


def _edges(kind: str) -> str:
    return f"{kind}-edges" if kind else "edges"
