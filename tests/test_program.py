"""Vertex programs: the examples against the tuned algorithms, and what a wrong program is told."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError
from clew.engines.cpu import compiler
from clew.errors import OperatorError
from examples.vertex_programs import BreadthFirst, Components, LabelPropagation, PageRank, ShortestPaths
from tests.algorithms.graphs import LARGE, graphs, thread_count

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "vertex_programs.py"


@settings(max_examples=30, deadline=None)
@given(graphs(min_vertices=1), st.data())
def test_small_graphs(graph, data):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    np.testing.assert_array_equal(clew.run(BreadthFirst(source), graph).depth, clew.bfs(graph, source).depth)
    weighted = clew.generate.random_weights(graph, 1, 9, 1, "float64")
    distance = clew.run(ShortestPaths(source), weighted).distance
    np.testing.assert_array_equal(distance, clew.sssp(weighted, source).distance)
    np.testing.assert_array_equal(clew.run(Components(), graph).label, clew.connected_components(graph).label)
    found, expected = clew.run(LabelPropagation(), graph), clew.label_propagation(graph)
    np.testing.assert_array_equal(found.label, expected.label)
    assert found.iterations - found.converged <= expected.iterations <= found.iterations + 1


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", ["kronecker", "rmat, directed", "grid", "uniform"])
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
        np.testing.assert_array_equal(clew.run(LabelPropagation(), graph).label, clew.label_propagation(graph).label)
    assert search.converged
    assert paths.converged


@pytest.mark.quick
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


def test_weights_that_are_not_looked_at_have_no_kernels_of_their_own():
    def compiled():
        made = (kernel.dispatcher for kernel in compiler._kernels.values())  # of products they are several
        return sum(len(dispatcher.signatures) for dispatcher in made if hasattr(dispatcher, "signatures"))

    tiny = clew.generate.path(2, directed=True)
    assert clew.run(BreadthFirst(), tiny).depth.tolist() == [0, 1]
    before = compiled()
    assert before > 0
    for dtype in ("int16", "float64"):
        graph = clew.generate.random_weights(clew.generate.grid(5, 9), 1, 9, 1, dtype)
        np.testing.assert_array_equal(clew.run(BreadthFirst(), graph).depth, clew.bfs(graph, 0).depth)
    assert clew.run(BreadthFirst(), clew.generate.path(3)).depth.tolist() == [0, 1, 2]
    assert compiled() == before


class Unordered(ShortestPaths):
    """Without buckets and without a filter: every iteration sends all that changed."""

    priority = None
    matters = staticmethod(lambda value, vertex: True)

    @staticmethod
    def apply(total, vertex):
        if total >= vertex.distance:
            return False
        vertex.distance = total
        return True


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", ["kronecker", "grid", "path", "star"])
def test_order_and_filter_change_the_work_and_not_the_result(name, threads):
    graph = clew.generate.random_weights(LARGE[name](), 1, 255, 1, "float64")
    with thread_count(threads):
        plain, ordered = clew.run(Unordered(1), graph), clew.run(ShortestPaths(1), graph)
    np.testing.assert_array_equal(plain.distance, ordered.distance)
    np.testing.assert_array_equal(plain.distance, clew.sssp(graph, 1).distance)
    if name == "grid":
        assert ordered.trace["edges"].sum() < plain.trace["edges"].sum() / 2


def test_iterations_do_not_depend_on_the_number_of_threads():
    graph = clew.generate.random_weights(LARGE["uniform"](), 1, 255, 1, "float64")
    for program in (BreadthFirst, Components, LabelPropagation, ShortestPaths, PageRank):
        traces = []
        for threads in (1, 3):
            with thread_count(threads):
                traces.append(clew.run(program(), graph).trace.columns)
        for column in traces[0].keys() - {"seconds"}:
            np.testing.assert_array_equal(traces[0][column], traces[1][column], err_msg=f"{program.__name__}.{column}")


def test_waiting_vertices_take_turns_by_priority():
    """On a star without edges among the leaves, those of each interval are active together, the lowest first."""

    class Turns(BreadthFirst):
        fields: ClassVar = {"rank": "float64", "turn": "int32"}
        reduce = clew.monoids.plus
        direction = "both"
        width = 2.0
        send = staticmethod(lambda vertex: 1)
        accepts = staticmethod(lambda vertex: True)
        priority = staticmethod(lambda vertex: vertex.rank)

        def start(self, graph):
            return {"rank": [9.0, -3.0, 5.5, -3.9, np.inf, 4.0, 0.0], "turn": 0}, [1, 2, 3, 4, 5, 6]

        @staticmethod
        def apply(total, vertex):
            vertex.turn += total
            return False

    result = clew.run(Turns(), clew.generate.star(7))
    assert result.trace["active"].tolist() == [2, 1, 2, 1]  # [-4, -2), [0, 2), [4, 6), and infinity
    assert result.turn.tolist() == [6, 0, 0, 0, 0, 0, 0]


class Gathering(clew.VertexProgram):
    """One iteration: what a gather makes of the neighbours' numbers."""

    fields: ClassVar = {"number": "float64", "result": "float64"}
    max_iterations = 1

    def __init__(self, reduce, numbers):
        self.reduce, self.numbers = reduce, numbers

    def start(self, graph):
        return {"number": self.numbers, "result": -1.0}, None

    send = staticmethod(lambda vertex: vertex.number)
    process = staticmethod(lambda message, weight, vertex: message)

    @staticmethod
    def apply(total, vertex):
        vertex.result = total
        return True


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=2, max_size=60))
def test_gathers_see_all_messages_and_how_often_each_came(numbers):
    star = clew.generate.star(len(numbers))
    around = sorted(numbers[1:])
    counts = {x: around.count(x) for x in around}
    mode = min(counts, key=lambda x: (-counts[x], x))
    weighted = clew.Gather(lambda values, counts: (values * counts).sum() + 1000 * values[0])
    for gather, expected in (
        (clew.gathers.mode, mode),
        (clew.gathers.median, around[(len(around) - 1) // 2]),
        (clew.gathers.distinct, len(counts)),
        (weighted, sum(around) + 1000 * around[0]),
    ):
        assert clew.run(Gathering(gather, numbers), star).result[0] == expected, gather


@pytest.mark.parametrize("message", ["float32", "float64"])
@pytest.mark.parametrize("count", [16, 17, 40])
def test_both_zeros_are_one_value_however_many_there_are(count, message):
    gathering = Gathering(clew.gathers.distinct, np.where(np.arange(count + 1) % 2, 0.0, -0.0))
    gathering.message = message
    assert clew.run(gathering, clew.generate.star(count + 1)).result[0] == 1


def test_gather_of_nothing_is_what_it_says():
    class Everyone(Gathering):
        apply_to = "all"

    graph = clew.Graph.from_edges([0], [1], num_vertices=3)
    gather = clew.Gather(lambda values, counts: values[0] + counts[0], empty=7)
    assert clew.run(Everyone(gather, [1.0, 2.0, 3.0]), graph).result.tolist() == [7, 2, 7]
    assert clew.run(Gathering(gather, [1.0, 2.0, 3.0]), graph).result.tolist() == [-1, 2, -1]


def test_everyone_stays_active_while_anything_changes():
    class Countdown(Gathering):
        active_next = "all"
        max_iterations = None
        send = staticmethod(lambda vertex: vertex.number)

        @staticmethod
        def apply(total, vertex):
            vertex.result += total
            vertex.number = max(vertex.number - 1, 0)
            return vertex.number > 0

    cycle = clew.generate.cycle(3, directed=True)
    for reduce in (clew.gathers.median, clew.monoids.max, clew.monoids.any):
        result = clew.run(Countdown(reduce, [3.0, 1.0, 2.0]), cycle)
        assert result.iterations == 3
        assert result.result.tolist() == [2.0, 5.0, 0.0], reduce


@pytest.mark.quick
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
            lines = node.end_lineno - node.lineno + 1 - (node.body[1].lineno - node.body[0].lineno)
            assert lines <= 25, node.name  # without the docstring and the blank line after it


@pytest.mark.quick
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

    class BadMethod(BreadthFirst):
        def apply(self, total, vertex):
            return True

    class BadWidth(BreadthFirst):
        width = 0

    class BadOrder(Components):
        active_next = "all"

    class BadDtype(BreadthFirst):
        fields: ClassVar = {"depth": "number"}

    class BadPair(BreadthFirst):
        def start(self, graph):
            return {"depth": 0}

    for program, message in (
        (Nothing, "Nothing has no start; a vertex program needs start, send, process, reduce and apply"),
        (BadReduce, "expected a clew.Monoid or clew.Gather"),
        (BadStart, r"start returned \['height'\]"),
        (BadActive, "neither a mask"),
        (BadDirection, "direction is 'sideways'"),
        (BadMessage, "4 or 8 bytes"),
        (BadMethod, "BadMethod.apply is a method"),
        (BadWidth, "width is 0"),
        (BadOrder, "has a priority"),
        (BadDtype, r"fields\['depth'\] is 'number'; expected a dtype"),
        (BadPair, "BadPair.start returned a dict; expected a pair"),
        (lambda: BreadthFirst, r"the program is the class BreadthFirst; expected an instance"),
    ):
        with pytest.raises(GraphError, match=message):
            clew.run(program(), graph)
    with pytest.raises(OperatorError, match=r"BadField\.send cannot be compiled: a vertex has no field 'height'"):
        clew.run(BadField(), graph)
    with pytest.raises(OperatorError, match="does not take two arguments"):
        clew.Gather(lambda values: values[0])
    with pytest.raises(OperatorError, match="expected a Python function"):
        clew.Gather(3)
    with pytest.raises(GraphError, match="device is 'tpu'"):
        clew.run(BreadthFirst(), graph, device="tpu")
