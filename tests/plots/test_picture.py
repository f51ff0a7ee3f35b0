"""Pictures: every vertex at its place, in its colour, with its name; or an image of all."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
import pytest

import clew
from clew.plots import layout
from clew.plots.chart import DARK, LIGHT


def pixels(figure) -> np.ndarray:
    """The image of a figure, decoded by hand: (rows, columns, 4)."""
    (image,) = figure.layout.images
    data = base64.b64decode(image.source.removeprefix("data:image/png;base64,"))
    assert data.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", data[16:24])
    begin = data.index(b"IDAT")
    (length,) = struct.unpack(">I", data[begin - 4 : begin])
    rows = np.frombuffer(zlib.decompress(data[begin + 4 : begin + 4 + length]), np.uint8).reshape(height, -1)
    assert not rows[:, 0].any()  # no filter
    return rows[:, 1:].reshape(height, width, 4)


def test_a_small_graph_is_dots_and_lines_with_names():
    graph = clew.Graph.from_edges(["a", "a"], ["b", "c"], directed=False)
    figure = graph.plot(seed=1)
    lines, dots = figure.data
    place = layout(graph, seed=1)
    assert np.array_equal(np.column_stack([dots.x, dots.y]), place)
    assert list(dots.hovertext) == ["a (2 edges)", "b (1 edge)", "c (1 edge)"]
    ends = np.column_stack([lines.x, lines.y]).reshape(2, 3, 2)
    assert np.isnan(ends[:, 2]).all()
    assert {(tuple(one), tuple(two)) for one, two in ends[:, :2].tolist()} == {
        (tuple(place[0].tolist()), tuple(place[other].tolist())) for other in (1, 2)
    }
    assert np.argmax(dots.marker.size) == 0
    assert figure.layout.yaxis.scaleanchor == "x"
    assert figure.layout.meta["alt"] == "A picture of 3 vertices and 2 edges."


def test_vertices_are_coloured_by_numbers():
    graph = clew.generate.path(5)
    _, dots = graph.plot(color=clew.bfs(graph, 0)).data
    assert dots.marker.color.tolist() == [0, 1, 2, 3, 4]
    assert (dots.marker.cmin, dots.marker.cmax) == (0, 4)
    assert dots.marker.colorbar.title.text == "depth"
    assert dots.hovertext[4] == "4 (1 edge), depth 4"
    apart = clew.Graph.from_edges([0], [1], num_vertices=3)
    *_, dots = apart.plot(color=clew.bfs(apart, 0)).data
    assert np.isnan(dots.marker.color[2])
    assert dots.hovertext[2] == "2 (0 edges), depth none"
    *_, dots = graph.plot(color=np.array([1e-6, 1e-6, 1e-6, 1e-6, 1.0])).data
    assert dots.marker.color.tolist() == [-6, -6, -6, -6, 0]
    assert dots.marker.colorbar.title.text == "log₁₀ value"


def test_vertices_are_coloured_by_groups_with_a_legend():
    graph = clew.Graph.from_edges(["a", "b", "x"], ["b", "c", "y"])
    figure = graph.plot(color=clew.connected_components(graph))
    _, one, two = figure.data
    assert (one.name, len(one.x), two.name, len(two.x)) == ("a", 3, "x", 2)
    assert (one.marker.color, two.marker.color) == LIGHT.palette[:2]
    assert figure.layout.legend.title.text == "group"
    many = clew.generate.path(40)
    figure = many.plot(color=np.repeat(np.arange(10), 4).astype(str))
    assert [trace.name for trace in figure.data[1:]] == ["0", "1", "2", "3", "4", "5", "others"]
    assert len(figure.data[-1].x) == 16
    assert figure.data[-1].marker.color == LIGHT.palette[-1]


def test_many_edges_among_few_vertices_become_an_image():
    figure = clew.generate.complete(80).plot(dark=True)
    (dots,) = figure.data
    assert len(dots.x) == 80
    image = pixels(figure)
    assert image[..., 3].any()
    assert (image[image[..., 3] > 0][:, :3] // 8 == np.array([0x7D, 0x85, 0x95]) // 8).all()
    assert DARK.faint == "#7d8595"


def test_a_large_graph_is_an_image_of_where_its_vertices_are_and_marks_hubs():
    graph = clew.Graph.from_edges(np.arange(3000) // 1000, np.arange(3, 3003), num_vertices=3003)
    place = np.zeros((3003, 2), dtype=np.float32)
    place[:, 0] = np.arange(3003) % 3
    place[:1500, 1] = 1
    figure = graph.plot(places=place, color=np.arange(3003) < 1500)
    image = pixels(figure)
    rows, columns = np.nonzero(image[..., 3] > 200)
    assert len({(row // 100, column // 100) for row, column in zip(rows, columns, strict=True)}) == 6
    upper, lower = image[rows.min(), columns[0], :3], image[rows.max(), columns[-1], :3]
    assert not np.array_equal(upper, lower)
    no, yes = figure.data
    assert (no.name, yes.name) == ("no", "yes")
    assert sorted(yes.hovertext) == [f"{hub} (1,000 edges), value yes" for hub in range(3)]
    left, right = figure.layout.xaxis.range
    assert left < 0 < 2 < right


@pytest.mark.parametrize("vertices", [0, 1, 5, 2500])
def test_sizes_without_edges(vertices):
    figure = clew.Graph.from_edges([], [], num_vertices=vertices).plot()
    if vertices == 0:
        assert figure.layout.annotations[0].text == "The graph has no vertices."
    elif vertices <= 2000:
        assert len(figure.data[-1].x) == vertices
    else:
        assert (pixels(figure)[..., 3] > 0).sum() >= vertices


def test_a_picture_stays_small():
    graph = clew.generate.kronecker(12, seed=1)
    figure = graph.plot(color=clew.pagerank(graph))
    assert len(figure.data[0].x) <= 20
    assert len(figure.to_json()) < 400_000


def test_vertex_columns_are_colours_by_name():
    graph = clew.generate.path(4).with_vertex_columns({"team": ["a", None, "b", "a"], "age": [1, None, 3, 4]})
    series = graph.plot("team").to_plotly_json()["data"]
    groups = {one["name"]: len(one["hovertext"]) for one in series if "hovertext" in one}
    assert groups == {"a": 2, "b": 1, "missing": 1}
    assert "age" in graph.plot("age").to_json()
    with pytest.raises(clew.GraphError, match="there is no vertex column 'size'; this graph has 'team', 'age'"):
        graph.plot("size")


def test_wrong_colours_and_places_are_errors():
    graph = clew.generate.path(3)
    with pytest.raises(clew.GraphError, match=r"color has shape \(2,\); expected a value per vertex"):
        graph.plot(color=[1, 2])
    with pytest.raises(clew.GraphError, match="color has dtype complex128"):
        graph.plot(color=np.array([1j, 2, 3]))
    with pytest.raises(clew.GraphError, match=r"places has shape \(3,\)"):
        graph.plot(places=[1, 2, 3])
    for wrong, message in (("here", "places has dtype <U4"), ([[1], [2, 3]], "places is a list whose rows differ")):
        with pytest.raises(clew.GraphError, match=message):
            graph.plot(places=wrong)
    with pytest.raises(clew.GraphError, match=r"seed is 1\.5; expected an integer"):
        graph.plot(seed=1.5)
    with pytest.raises(clew.GraphError, match="seed is -1; expected 0 or more"):
        layout(graph, seed=-1)
    with pytest.raises(clew.GraphError, match="title is 3; expected a string"):
        graph.plot(title=3)


@pytest.mark.parametrize("draw", [clew.plots.picture, clew.plots.degrees, clew.plots.layout])
def test_what_is_no_graph_is_not_drawn(draw):
    with pytest.raises(clew.GraphError, match=r"the graph is of type str; expected a clew.Graph: read the file"):
        draw("graph.csv")
