"""Breadth-first search from many sources, against its checker and against one search after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError, ResourceError, Result, VerificationError
from clew.engines import base
from tests.algorithms.graphs import LARGE, graphs, thread_count


@settings(max_examples=60, deadline=None)
@given(graphs(min_vertices=1), st.data())
def test_small_graphs(graph, data):
    sources = data.draw(st.lists(st.integers(0, graph.num_vertices - 1), max_size=70))
    result = clew.multi_source_bfs(graph, sources)
    clew.verify.multi_source_bfs(graph, sources, result)
    for column, source in enumerate(sources):
        alone = clew.bfs(graph, source)
        np.testing.assert_array_equal(result.depth[:, column], alone.depth)
        assert result.num_reached[column] == alone.num_reached
    assert result.iterations == max((clew.bfs(graph, source).iterations for source in sources), default=0)


@pytest.mark.parametrize(("threads", "count"), [(1, 70), (2, 70), (5, 30), (2, 300)])
@pytest.mark.parametrize("name", LARGE)
def test_large_graphs(name, threads, count):
    graph = LARGE[name]()
    sources = np.random.default_rng(1).integers(0, graph.num_vertices, count if name != "grid" else count // 4)
    with thread_count(threads):
        result = clew.multi_source_bfs(graph, sources)
    np.testing.assert_array_equal(result.num_reached, (result.depth >= 0).sum(axis=0))
    chosen = slice(None, None, 41)
    clew.verify.multi_source_bfs(graph, sources[chosen], Result("multi_source_bfs", {"depth": result.depth[:, chosen]}))
    for column in range(0, sources.size, 13):
        np.testing.assert_array_equal(result.depth[:, column], clew.bfs(graph, sources[column]).depth)


def test_by_name():
    graph = clew.Graph.from_edges(["a", "b"], ["b", "c"])
    result = clew.multi_source_bfs(graph, ["b", "a", "b"])
    assert result.depth.dtype == np.int32
    assert result.depth.tolist() == [[-1, 0, -1], [0, 1, 0], [1, 2, 1]]
    assert list(result.sources) == ["b", "a", "b"]
    assert result.num_reached.tolist() == [2, 3, 2]
    assert clew.multi_source_bfs(graph, []).depth.shape == (3, 0)


def test_errors(monkeypatch):
    graph = clew.generate.path(4)
    with pytest.raises(GraphError, match="expected several vertices"):
        clew.multi_source_bfs(graph, 0)
    with pytest.raises(GraphError, match="4 is not a vertex"):
        clew.multi_source_bfs(graph, [0, 4])
    with pytest.raises(GraphError, match="device is 'tpu'"):
        clew.multi_source_bfs(graph, [0], device="tpu")
    monkeypatch.setattr(base, "UNCHECKED", 0)
    monkeypatch.setattr(base, "available_bytes", lambda: 100)
    with pytest.raises(ResourceError, match=r"4 vertices from 10 sources needs 160 bytes, but 100 bytes"):
        clew.multi_source_bfs(graph, [0] * 10)


@pytest.mark.parametrize(
    ("place", "value", "rule"),
    [
        ((0, 0), 1, "no other vertex has depth 0"),
        ((2, 1), 0, "no other vertex has depth 0"),
        ((3, 1), -1, "is reached"),
        ((3, 0), 4, "grows by at most one"),
        ((3, 0), 2, "one that is a step closer"),
        ((0, 1), 5, "one that is a step closer"),
        ((0, 1), -2, "-1 or more"),
    ],
)
def test_the_checker_finds_what_is_wrong(place, value, rule):
    graph = clew.Graph.from_edges([0, 1, 2], [1, 2, 3])
    depth = clew.multi_source_bfs(graph, [0, 1]).depth.copy()
    depth[place] = value
    with pytest.raises(VerificationError, match=rule):
        clew.verify.multi_source_bfs(graph, [0, 1], Result("multi_source_bfs", {"depth": depth}))
    with pytest.raises(VerificationError, match="a column per source"):
        clew.verify.multi_source_bfs(graph, [0], Result("multi_source_bfs", {"depth": depth}))
