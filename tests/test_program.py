"""Vertex programs: the examples against the tuned algorithms, and what a wrong program is told."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError
from clew.errors import OperatorError
from examples.vertex_programs import BreadthFirst, Components, PageRank, ShortestPaths
from tests.algorithms.graphs import LARGE, graphs, thread_count

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "vertex_programs.py"


@settings(max_examples=60, deadline=None)
@given(graphs(min_vertices=1), st.data())
def test_small_graphs(graph, data):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    np.testing.assert_array_equal(clew.run(BreadthFirst(source), graph).depth, clew.bfs(graph, source).depth)
    weighted = clew.generate.random_weights(graph, 1, 9, 1, "float64")
    distance = clew.run(ShortestPaths(source), weighted).distance
    np.testing.assert_array_equal(distance, clew.sssp(weighted, source).distance)
    np.testing.assert_array_equal(clew.run(Components(), graph).label, clew.connected_components(graph).label)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", ["kronecker", "rmat, directed", "grid"])
def test_large_graphs(name, threads):
    graph = clew.generate.random_weights(LARGE[name](), 1, 255, 1, "float64")
    source = int(np.argmax(graph.degrees()))
    with thread_count(threads):
        search = clew.run(BreadthFirst(source), graph)
        np.testing.assert_array_equal(search.depth, clew.bfs(graph, source).depth)
        assert search.trace["active"].sum() == (search.depth >= 0).sum()
        paths = clew.run(ShortestPaths(source), graph)
        np.testing.assert_array_equal(paths.distance, clew.sssp(graph, source).distance)
        np.testing.assert_array_equal(clew.run(Components(), graph).label, clew.connected_components(graph).label)
    assert search.converged
    assert paths.converged


def test_page_rank_where_every_vertex_has_an_edge():
    graph = clew.generate.delaunay(2_000, seed=1)
    result = clew.run(PageRank(), graph)
    assert result.converged
    np.testing.assert_allclose(result.rank, clew.pagerank(graph, tolerance=1e-9).rank, rtol=1e-3)
    with thread_count(1):
        np.testing.assert_array_equal(clew.run(PageRank(), graph).rank, result.rank)


def test_both_ways_of_moving_messages_are_used():
    graph = LARGE["kronecker"]()
    used = set(clew.run(BreadthFirst(int(np.argmax(graph.degrees()))), graph).trace["direction"].tolist())
    assert used == {"push", "pull"}


def test_direction_and_limits():
    graph = clew.generate.path(6, directed=True)

    class Backwards(BreadthFirst):
        direction = "in"

    class Short(BreadthFirst):
        max_iterations = 2

    assert clew.run(Backwards(3), graph).depth.tolist() == [3, 2, 1, 0, -1, -1]
    result = clew.run(Short(0), graph)
    assert result.depth.tolist() == [0, 1, 2, -1, -1, -1]
    assert not result.converged


def test_every_example_is_short():
    for node in ast.parse(EXAMPLES.read_text()).body:
        if isinstance(node, ast.ClassDef):
            assert node.end_lineno - node.lineno + 1 <= 30, node.name


def test_wrong_programs_get_a_sentence():
    graph = clew.generate.path(3)

    class Nothing(clew.VertexProgram):
        pass

    class BadField(BreadthFirst):
        send = staticmethod(lambda vertex: vertex.height)

    class BadReduce(BreadthFirst):
        reduce = min

    class BadStart(BreadthFirst):
        def start(self, graph):
            return {"height": 0}, None

    class BadActive(BreadthFirst):
        def start(self, graph):
            return {"depth": 0}, [77]

    class BadDirection(BreadthFirst):
        direction = "sideways"

    class BadMessage(BreadthFirst):
        message = "int8"

    for program, message in (
        (Nothing, "Nothing has no send"),
        (BadReduce, "expected a clew.Monoid"),
        (BadStart, r"start gives \['height'\]"),
        (BadActive, "neither a mask"),
        (BadDirection, "direction is 'sideways'"),
        (BadMessage, "4 or 8 bytes"),
    ):
        with pytest.raises(GraphError, match=message):
            clew.run(program(), graph)
    with pytest.raises(OperatorError, match="BadField cannot be compiled"):
        clew.run(BadField(), graph)
    with pytest.raises(GraphError, match="device is 'tpu'"):
        clew.run(BreadthFirst(), graph, device="tpu")
