"""What is drawn of a result, number by number."""

from __future__ import annotations

import numpy as np
import pytest

import clew
from clew import plots
from clew.result import Result


def numbers(values) -> list[float]:
    return np.asarray(values, dtype=np.float64).tolist()


def note_of(figure) -> str:
    return figure.layout.title.subtitle.text.replace("<br>", " ")


@pytest.mark.quick
def test_depths_become_a_profile():
    graph = clew.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 4], num_vertices=7)
    figure = clew.bfs(graph, 0).plot()
    here, within = figure.data
    assert (numbers(here.x), numbers(here.y)) == ([0, 1, 2], [1, 2, 2])
    assert numbers(within.y) == [1, 3, 5]
    assert note_of(figure) == "2 of 7 are unreached."
    assert figure.layout.title.text == "bfs: depth"
    assert "5 of 7 are reached, the farthest at 2" in figure.layout.meta["alt"]


def test_distances_leave_out_what_is_out_of_reach():
    whole = np.array([0, 3, 7, np.iinfo(np.int64).max])
    fractions = np.array([0.0, 0.5, np.inf, np.nan])
    for column, reached in ((whole, 3), (fractions, 2), (np.array([0, 1, -1]), 2)):
        here, within = plots.distances(column).data
        assert sum(numbers(here.y)) == numbers(within.y)[-1] == reached
    negative = Result("bellman_ford", {"distance": np.array([0, -5, 2])}).plot()
    assert sum(numbers(negative.data[0].y)) == 3
    assert "No vertex is reached" in plots.distances([-1, -1]).layout.meta["alt"]


def test_labels_become_sizes_of_groups_by_name():
    graph = clew.Graph.from_edges(["a", "b", "x"], ["b", "c", "y"])
    figure = clew.connected_components(graph).plot()
    (bars,) = figure.data
    assert numbers(bars.x) == [3, 2]
    assert list(figure.layout.yaxis.ticktext) == ["a", "x"]
    assert list(bars.hovertext) == ["group a: 3 vertices", "group x: 2 vertices"]
    assert note_of(figure) == "2 groups; the largest has 3 of 5 vertices (60%)."


def test_of_many_groups_the_largest_and_the_distribution_are_shown():
    labels = np.repeat(np.arange(50), np.arange(1, 51))
    figure = Result("label_propagation", {"label": labels}).plot()
    largest, sizes = figure.data
    assert numbers(largest.x) == list(range(50, 40, -1))
    assert numbers(largest.y) == list(range(10))
    assert sum(int(text.split(": ")[1].split(" ")[0]) for text in sizes.hovertext) == 50
    assert figure.layout.xaxis2.type == "log"


def test_truth_values_become_two_bars():
    figure = clew.maximal_independent_set(clew.generate.star(5)).plot()
    assert sorted(numbers(figure.data[0].x)) == [1, 4]
    assert set(figure.layout.yaxis.ticktext) == {"yes", "no"}


def test_other_numbers_become_their_distribution_and_the_top_by_name():
    values = np.array([0.25, 0.5, 0.75, 0.5, 0.5])
    names = clew.Graph.from_edges(list("abcd"), list("bcde")).names
    figure = Result("test", {"score": values}, names=names).plot("score")
    columns, top = figure.data
    assert sum(numbers(columns.y)) == 5
    assert numbers(top.x) == [0.75, 0.5, 0.5, 0.5, 0.25]
    assert list(figure.layout.yaxis2.ticktext) == ["c", "b", "d", "e", "a"]
    assert figure.layout.xaxis.type is None
    assert figure.layout.meta["alt"] == "test: score: from 0.25 to 0.75. The largest: c, b, d."


def test_what_is_infinite_has_no_bar():
    figure = clew.sswp(clew.Graph.from_edges(list("ab"), list("bc"), [2.0, 1.0]), "a").plot()
    assert numbers(figure.data[1].x) == [2, 1]
    assert list(figure.layout.yaxis2.ticktext) == ["b", "c"]


def test_narrow_whole_numbers_do_not_overflow():
    widths = np.array([255, 1, 2, 250], dtype=np.uint8)
    assert numbers(Result("sswp", {"width": widths}).plot().data[1].x) == [250, 2, 1]


def test_skewed_numbers_are_shown_by_powers_and_zeros_are_counted():
    counts = np.concatenate([np.zeros(10, int), np.ones(1000, int), np.full(5, 2), [5000]])
    figure = Result("triangles", {"count": counts}).plot()
    points = dict(zip(numbers(figure.data[0].x), numbers(figure.data[0].y), strict=True))
    assert points[1.0] == 1000
    assert points[2.0] == 5
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert note_of(figure) == "10 of 1,016 vertices have 0."
    ranks = 10.0 ** -(np.linspace(1, 6, 3000) ** 1.02)
    spread, _ = Result("pagerank", {"rank": ranks}).plot().data
    assert sum(int(text.split(": ")[1].split(" ")[0].replace(",", "")) for text in spread.hovertext) == 3000


@pytest.mark.parametrize("vertices", [0, 1])
def test_every_algorithm_draws_small_graphs(vertices):
    graph = clew.Graph.from_edges([], [], [], num_vertices=vertices, directed=False)
    for name, each in clew.algorithms.ALGORITHMS.items():
        if each.needs_sink or ((each.needs_source or each.needs_sources) and not vertices):
            continue
        given = ([0],) if each.needs_sources else (0,) if each.needs_source else ()
        result = each.function(graph, *given)
        for value in result.values:
            figure = result.plot(value)
            assert figure.layout.meta["alt"], (name, value)
            assert all(len(trace.x) <= 2000 for trace in figure.data)


def test_large_results_make_small_figures():
    random = np.random.default_rng(1)
    many = 200_000
    values = {
        "label": random.zipf(1.5, many) % 50_000,
        "depth": random.integers(-1, 3000, many).astype(np.int32),
        "distance": random.random(many),
        "rank": random.pareto(1.0, many),
        "count": random.zipf(1.5, many),
    }
    result = Result("test", values)
    for value in values:
        assert len(result.plot(value).to_json()) < 40_000, value


def test_results_without_values_and_unknown_values_are_errors():
    with pytest.raises(clew.GraphError, match="no value per vertex"):
        Result("triangles", {}, facts={"total": 3}).plot()
    with pytest.raises(clew.GraphError, match="there is no value 'size'; expected one of depth, parent"):
        clew.bfs(clew.generate.path(3)).plot("size")
    with pytest.raises(clew.GraphError, match=r"the result is clew.Graph; expected a clew.Result"):
        plots.result(clew.generate.path(3))
    with pytest.raises(clew.GraphError, match=r"the trace is clew.Result; expected that of a result"):
        plots.trace(clew.bfs(clew.generate.path(3)))
    with pytest.raises(clew.GraphError, match=r"depths has shape \(\) and dtype <U3; expected a number per vertex"):
        plots.distances("far")
