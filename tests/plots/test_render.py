"""Which library draws, and what is said where there is none."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import clew
from clew.plots import chart
from clew.result import Trace


def test_without_plotly_the_error_names_the_extra(monkeypatch):
    graph = clew.generate.path(3)
    monkeypatch.setitem(sys.modules, "plotly", None)
    calls = [graph.plot, graph.plot_degrees, clew.bfs(graph).plot, clew.bfs(graph).trace.plot]
    for call in calls:
        with pytest.raises(clew.MissingDependencyError, match=r"pip install 'clew\[plots\]'"):
            call()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(clew.MissingDependencyError, match="pip install matplotlib"):
        graph.plot(backend="matplotlib")


def test_an_unknown_backend_is_an_error():
    with pytest.raises(clew.GraphError, match="backend is 'bokeh'; expected 'plotly' or 'matplotlib'"):
        clew.generate.path(3).plot_degrees(backend="bokeh")


def test_plots_load_neither_library_before_they_draw():
    code = "import sys, clew; clew.plots.degrees; print({'plotly', 'matplotlib'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "set()"


def test_matplotlib_draws_the_same():
    graph = clew.generate.star(6)
    figure = graph.plot_degrees(backend="matplotlib")
    (axes,) = figure.axes
    assert axes.collections[0].get_offsets().tolist() == [[1, 6], [5, 1]]
    assert axes.get_xscale() == axes.get_yscale() == "log"
    profile = clew.bfs(graph).plot(backend="matplotlib", dark=True).axes[0]
    assert [bar.get_height() for bar in profile.patches] == [1, 5]
    top = clew.pagerank(graph).plot(backend="matplotlib").axes[1]
    assert [label.get_text() for label in top.get_yticklabels()] == list("012345")
    assert len(clew.bfs(graph).trace.plot(backend="matplotlib").axes) == 4


def test_what_stays_the_same_looks_so():
    """Panels begin at 0, and times of less than a thousandth are written out: not as "100µ" of a millisecond."""
    trace = Trace({"frontier": np.full(3, 63_857), "seconds": np.array([1e-7, 2e-7, 1e-7])})
    figure = trace.plot()
    assert figure.layout.yaxis.rangemode == figure.layout.yaxis2.rangemode == "tozero"
    assert (figure.layout.yaxis.exponentformat, figure.layout.yaxis2.exponentformat) == ("SI", "none")
    assert all(axes.get_ylim()[0] == 0 for axes in trace.plot(backend="matplotlib").axes)


def test_matplotlib_draws_pictures_and_odd_names(tmp_path):
    small = clew.Graph.from_edges(["$a", "$b"], ["$b", "<i>c"]).plot(color=[1, 2, 3], backend="matplotlib")
    large = clew.generate.star(3000).plot(color=np.arange(3000) % 9 > 3, backend="matplotlib")
    empty = clew.Graph.from_edges([], [], num_vertices=0).plot(backend="matplotlib")
    for number, figure in enumerate((small, large, empty)):
        figure.savefig(tmp_path / f"{number}.png", dpi=20)
        assert (tmp_path / f"{number}.png").stat().st_size > 500
    assert len(large.axes[0].images) == 1


def test_names_are_shown_as_they_are():
    graph = clew.Graph.from_edges(["<b>bold</b>"], ["a&b"], directed=False)
    dots = graph.plot().data[-1]
    assert list(dots.hovertext) == ["&lt;b&gt;bold&lt;/b&gt; (1 edge)", "a&amp;b (1 edge)"]


def luminance(color: str) -> float:
    parts = np.array(chart.rgb(color)) / 255
    linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("look", [chart.LIGHT, chart.DARK], ids=["light", "dark"])
def test_colours_stand_out_from_the_paper(look):
    def contrast(color: str) -> float:
        one, other = sorted((luminance(color), luminance(look.paper)))
        return (other + 0.05) / (one + 0.05)

    assert contrast(look.ink) > 7
    assert contrast(look.soft) > 4.5
    assert all(contrast(color) >= 3 for color in look.palette)
