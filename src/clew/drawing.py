"""The plot methods of graphs, results and traces; ``clew.plots``, loaded on first use, draws the figures."""

from __future__ import annotations

import importlib
from typing import Any


def _plots() -> Any:
    """The package of figures: it knows graphs and results, so that they may know it only by name."""
    return importlib.import_module("clew.plots")


class DrawnGraph:
    """The figures of a graph."""

    def plot(self, color: Any = None, *, seed: int = 0, **options: Any) -> Any:
        """Draw the graph: dots and lines, or the density of vertices if there are thousands.

        Parameters
        ----------
        color
            What to colour vertices by: a ``Result`` (its first value), or an array with an entry per vertex.
        seed
            The seed of the layout.
        **options
            As in ``clew.plots.picture``: ``value``, ``title``, ``dark``, ``backend``.
        """
        return _plots().picture(self, color, seed=seed, **options)

    def plot_degrees(self, **options: Any) -> Any:
        """Plot the degree distribution on log-log axes; ``options`` as in ``clew.plots.degrees``."""
        return _plots().degrees(self, **options)


class DrawnResult:
    """The figure of a result."""

    def plot(self, value: str | None = None, **options: Any) -> Any:
        """Plot one of its values, by default the first; ``options`` as in ``clew.plots.result``."""
        return _plots().result(self, value, **options)


class DrawnTrace:
    """The figure of a trace."""

    __slots__ = ()

    def plot(self, title: str | None = None, **options: Any) -> Any:
        """Plot every column over the iterations; ``options`` as in ``clew.plots.trace``."""
        return _plots().trace(self, title, **options)
