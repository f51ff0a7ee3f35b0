"""The degree distribution, point by point."""

from __future__ import annotations

import numpy as np
import pytest

import clew
from clew import plots

pytestmark = pytest.mark.quick


def points(trace) -> dict[float, float]:
    return dict(zip(np.asarray(trace.x).round(6).tolist(), np.asarray(trace.y).round(6).tolist(), strict=True))


def test_a_star_has_two_points():
    figure = clew.generate.star(9).plot_degrees()
    (trace,) = figure.data
    assert points(trace) == {1.0: 9.0, 8.0: 1.0}
    assert list(trace.hovertext) == ["degree 1 or more: 9 vertices", "degree 8 or more: 1 vertex"]
    assert figure.layout.yaxis.title.text == "vertices of that degree or more"
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert "9 vertices" in figure.layout.meta["alt"]
    assert "the largest degree is 8" in figure.layout.meta["alt"]


def test_a_directed_graph_has_out_and_in_degrees_and_counts_those_without():
    figure = clew.Graph.from_edges([0, 0, 0, 1], [1, 2, 3, 3], num_vertices=5).plot_degrees()
    out, into = figure.data
    assert (out.name, into.name) == ("out-degree", "in-degree")
    assert points(out) == {1.0: 2.0, 3.0: 1.0}
    assert points(into) == {1.0: 3.0, 2.0: 1.0}
    assert figure.layout.title.subtitle.text.replace("<br>", " ") == (
        "Of 5 vertices 3 have no out-edges and 2 have no in-edges."
    )


def test_of_many_degrees_ranges_are_taken_together_and_nobody_is_lost():
    graph = clew.generate.kronecker(13, seed=1)
    (trace,) = graph.plot_degrees().data
    assert len(trace.x) < 200
    degrees = graph.degrees()
    assert points(trace) == {least: (degrees >= least).sum() for least in trace.x}
    assert trace.y[0] == (degrees > 0).sum()


def test_graphs_without_vertices_or_edges_say_so():
    for vertices, told in (
        (0, "The graph has no vertices."),
        (1, "The vertex has no edge."),
        (3, "None of the vertices has an edge."),
    ):
        figure = plots.degrees(clew.Graph.from_edges([], [], num_vertices=vertices))
        assert len(figure.data) == 0
        assert figure.layout.annotations[0].text == told
        assert figure.layout.meta["alt"] == told


def test_the_theme_is_light_or_dark():
    graph = clew.generate.star(4)
    light, dark = (plots.degrees(graph, dark=dark).layout.template.layout for dark in (False, True))
    assert (light.paper_bgcolor, dark.paper_bgcolor) == (plots.chart.LIGHT.paper, plots.chart.DARK.paper)
    assert light.font.size >= 14
