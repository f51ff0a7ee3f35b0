"""Traces: which panels there are, and what is in them."""

from __future__ import annotations

import numpy as np

import clew
from clew.result import Trace


def test_a_search_shows_its_frontier_by_direction_and_in_all():
    trace = Trace(
        {
            "frontier": np.array([1, 20, 3000, 5]),
            "edges": np.array([20, 4000, -1, 9]),
            "direction": np.array(["push", "push", "pull", "push"]),
        }
    )
    figure = trace.plot("bfs")
    line, push, pull, total, edge_line, edge_push, edge_pull = figure.data
    assert np.asarray(line.y).tolist() == [1, 20, 3000, 5]
    assert (push.name, np.asarray(push.x).tolist(), np.asarray(push.y).tolist()) == ("push", [0, 1, 3], [1, 20, 5])
    assert (pull.name, np.asarray(pull.x).tolist(), np.asarray(pull.y).tolist()) == ("pull", [2], [3000])
    assert (total.name, np.asarray(total.y).tolist()) == ("so far", [1, 21, 3021, 3026])
    assert np.isnan(np.asarray(edge_line.y)[2])
    assert np.asarray(edge_push.y).tolist() == [20, 4000, 9]
    assert np.isnan(np.asarray(edge_pull.y)).all()
    assert figure.layout.yaxis.title.text == "active vertices"
    assert figure.layout.yaxis2.title.text == "edges read"
    assert figure.layout.yaxis.type == "log"
    assert figure.layout.xaxis2.matches == "x"
    assert "not counted in iterations that pulled" in figure.layout.title.subtitle.text.replace("<br>", " ")
    assert figure.layout.title.text == "bfs"


def test_bytes_and_times_have_panels_and_vertices_are_shown_over_time():
    trace = Trace(
        {
            "bucket": np.array([0, 1]),
            "frontier": np.array([1, 3]),
            "edges": np.array([2, 6]),
            "bytes": np.array([8, 24]),
            "link_bytes": np.array([8, 0]),
            "seconds": np.array([0.001, 0.003]),
            "edges_cpu": np.array([2, 0]),
            "edges_gpu": np.array([0, 6]),
        }
    )
    figure = trace.plot()
    assert titles(figure) == [
        "active vertices",
        "edges read",
        "bytes of edges",
        "bytes over the link",
        "milliseconds",
        "vertices reached",
    ]
    assert [trace.name for trace in figure.data[2:4]] == ["CPU", "GPU"]
    assert figure.data[2].legend == "legend2"
    assert [np.asarray(figure.data[row].y).tolist() for row in (4, 5, 6)] == [[8, 24], [8, 0], [1, 3]]
    over_time = figure.data[7]
    assert (np.asarray(over_time.x).tolist(), np.asarray(over_time.y).tolist()) == ([1, 4], [1, 4])


def titles(figure):
    rows = sum(axis.startswith("yaxis") for axis in figure.layout)
    return [figure.layout[f"yaxis{row if row > 1 else ''}"].title.text for row in range(1, rows + 1)]


def test_traces_of_algorithms_have_a_panel_for_each_column():
    graph = clew.generate.kronecker(8, seed=1)
    ranks = clew.pagerank(graph)
    shown = ranks.trace.plot()
    assert titles(shown) == ["active vertices", "bytes of edges", "milliseconds", "sum of changes"]
    assert [len(trace.y) for trace in shown.data] == [ranks.iterations] * 4  # and no sum of the same vertices
    (vertices,) = clew.k_core(graph).trace.plot().data
    assert np.asarray(vertices.x).tolist() == clew.k_core(graph).trace["core"].tolist()
    assert np.asarray(vertices.y).sum() == graph.num_vertices


def test_a_search_shows_size_direction_bytes_and_time():
    four = ["active vertices", "bytes of edges", "milliseconds", "vertices reached"]
    graph = clew.generate.kronecker(8, seed=1)
    figure = clew.bfs(graph, int(np.argmax(graph.degrees()))).trace.plot()
    assert titles(figure) == four
    assert {"push", "pull"} <= {trace.name for trace in figure.data}
    for vertices in (1, 2, 5000):
        assert titles(clew.bfs(clew.generate.path(vertices), 0).trace.plot()) == four


def test_of_many_iterations_means_are_shown():
    rounds = 100_000
    figure = Trace({"frontier": np.arange(rounds), "direction": np.full(rounds, "push")}).plot()
    assert all(len(trace.x) <= 500 for trace in figure.data)
    assert np.asarray(figure.data[0].y)[0] == np.arange(200).mean()
    assert np.asarray(figure.data[-1].y)[-1] == np.arange(rounds).sum()
    assert figure.layout.title.subtitle.text == "Means of 200 iterations each, 100,000 in total."


def test_traces_of_nothing_say_so():
    for trace in (Trace(), Trace({"change": np.empty(0)})):
        assert "The trace is empty" in trace.plot().layout.meta["alt"]
    assert "no columns of numbers" in Trace({"form": np.array(["a"])}).plot().layout.meta["alt"]
    (alone,) = Trace({"change": np.array([0.5])}).plot().data
    assert np.asarray(alone.y).tolist() == [0.5]
