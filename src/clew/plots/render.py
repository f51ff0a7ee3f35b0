"""Charts as figures of the requested library."""

from __future__ import annotations

import importlib
from typing import Any

from clew.checks import text
from clew.errors import GraphError, MissingDependencyError
from clew.plots.chart import Chart

BACKENDS = ("plotly", "matplotlib")


def check(backend: str, title: str | None = None) -> None:
    """Reject an unknown or missing library, and an invalid title, before any work is done."""
    if title is not None:
        text("title", title)
    if backend not in BACKENDS:
        raise GraphError(f"backend is {backend!r}; expected 'plotly' or 'matplotlib'.")
    try:
        importlib.import_module(backend)
    except ImportError:
        remedy = 'pip install "clew[plots]"' if backend == "plotly" else "pip install matplotlib"
        raise MissingDependencyError(f"{backend} is not installed; install it with: {remedy}") from None


def render(chart: Chart, *, dark: bool, backend: str) -> Any:
    """The chart as a ``plotly.graph_objects.Figure`` or a ``matplotlib.figure.Figure``."""
    check(backend)
    if backend == "matplotlib":
        from clew.plots import with_matplotlib

        return with_matplotlib.figure(chart, dark)
    from clew.plots import with_plotly

    return with_plotly.figure(chart, dark)
