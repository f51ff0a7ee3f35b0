"""Figures of graphs, results and traces, drawn by plotly or matplotlib.

Every function returns a figure to show, save or embed. ``figure.layout.meta["alt"]`` of a plotly figure describes it in
words. ``dark=True`` draws for a dark page. Figures hold sums and samples, not the graph, so they stay small for any
graph.
"""

from clew.plots.layout import layout
from clew.plots.picture import picture
from clew.plots.results import degrees, distances, result, trace

__all__ = ["degrees", "distances", "layout", "picture", "result", "trace"]
