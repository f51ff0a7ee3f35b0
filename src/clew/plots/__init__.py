"""Figures of graphs, results and traces: plotly by default, matplotlib where asked.

Every function returns a figure that can be shown, saved or put into a page; ``figure.layout.meta["alt"]`` of a plotly
figure says in words what is to be seen. ``dark=True`` draws for a dark page. Figures hold sums and samples, not the
graph: they stay small however large it is.
"""

from clew.plots.degrees import degrees
from clew.plots.layout import layout
from clew.plots.picture import picture
from clew.plots.results import distances, result
from clew.plots.traces import trace

__all__ = ["degrees", "distances", "layout", "picture", "result", "trace"]
