# ruff: noqa: RUF012, programs are written as users write them
"""Vertex programs on the GPU's kernels, emulated: the same results and the same iterations as on the CPU."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.engines.choice import gpu_for
from clew.engines.cuda.balance.frontiers import BALANCES
from clew.engines.cuda.balance.tiling import LIMITS
from clew.engines.cuda.program.program import Tuning, run_program
from clew.errors import OperatorError
from examples.vertex_programs import BreadthFirst, Components, LabelPropagation, PageRank, ShortestPaths
from tests.algorithms.graphs import graphs

SIZES = (1, 2, 31, 32, 33, 64, 65, 1000)


def weighted(graph):
    return clew.generate.random_weights(graph, 1, 9, 1, "float64")


def check(program, graph, rtol=0.0):
    """Both engines agree, on the way too."""
    found, expected = (clew.run(program(), graph, device=device) for device in ("emulated", "cpu"))
    for name, values in expected.values.items():
        assert found.values[name].dtype == values.dtype
        if rtol:
            np.testing.assert_allclose(found.values[name], values, rtol=rtol, err_msg=name)
        else:
            np.testing.assert_array_equal(found.values[name], values, err_msg=name)
    assert (found.iterations, found.converged) == (expected.iterations, expected.converged)
    assert found.trace.columns.keys() == expected.trace.columns.keys()
    for column in expected.trace.columns.keys() - {"seconds"}:
        np.testing.assert_array_equal(found.trace[column], expected.trace[column], err_msg=column)
    return found


def check_examples(graph, source=0):
    found = check(lambda: BreadthFirst(source), graph)
    np.testing.assert_array_equal(found.depth, clew.bfs(graph, source, device="cpu").depth)
    found = check(lambda: ShortestPaths(source), graph)
    np.testing.assert_array_equal(found.distance, clew.sssp(graph, source, device="cpu").distance)
    found = check(Components, graph)
    np.testing.assert_array_equal(found.label, clew.connected_components(graph, device="cpu").label)


@settings(max_examples=5, deadline=None)
@given(graphs(min_vertices=1), st.data())
def test_any_graph(graph, data):
    check_examples(weighted(graph), data.draw(st.integers(0, graph.num_vertices - 1)))
    check(Weighing, weighted(graph), rtol=1e-12)
    check(Degrees, graph)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", ["path", "cycle", "star", "complete"])
def test_shapes(shape, size):
    if (shape == "complete" and size > 70) or (shape == "cycle" and size < 3):
        pytest.skip("too many edges, or too few vertices")
    graph = weighted(getattr(clew.generate, shape)(size))
    check_examples(graph, size // 2)
    check(Weighing, graph, rtol=1e-12)


@pytest.mark.parametrize("length", sorted({limit + more for limit in LIMITS for more in (-1, 0, 1)} | {9000}))
def test_rows_of_every_class(length):
    star = weighted(clew.generate.star(length + 1))
    check_examples(star)
    check(Weighing, star, rtol=1e-12)


@pytest.mark.quick
def test_page_rank():
    check(PageRank, clew.generate.delaunay(600, seed=1), rtol=1e-12)
    graph = clew.generate.rmat(9, 20, seed=3).symmetrized()
    everyone = clew.Graph.from_edges(*graph.edges()[:2], num_vertices=graph.num_vertices)
    loops = np.arange(graph.num_vertices)
    source, target, _ = everyone.edges()
    check(PageRank, clew.Graph.from_edges(np.append(source, loops), np.append(target, loops)), rtol=1e-12)


class Weighing(clew.VertexProgram):
    """Sums of floats, whose order must not depend on chance; everyone applies, those that changed are active."""

    fields = {"mass": "float64", "seen": "int8", "light": "bool"}
    reduce = clew.monoids.plus
    apply_to = "all"
    max_iterations = 4

    def start(self, graph):
        return {"mass": 1.0 + np.arange(graph.num_vertices) % 7, "seen": 0, "light": False}, None

    send = staticmethod(lambda vertex: vertex.mass / 3)
    process = staticmethod(lambda message, weight, vertex: message / weight if not vertex.light else 0.1)

    @staticmethod
    def apply(total, vertex):
        vertex.seen += 1
        vertex.light = total < 2
        vertex.mass = vertex.mass / 2 + total
        return vertex.seen < 3 or vertex.light


class Degrees(clew.VertexProgram):
    """In-degrees as sums of integers, which may be pushed; on an unweighted graph, weights are 1."""

    fields = {"degree": "uint32", "done": "bool"}
    message = "uint64"
    reduce = clew.monoids.plus

    def start(self, graph):
        return {"degree": 0, "done": False}, np.arange(graph.num_vertices) % 3 > 0

    send = staticmethod(lambda vertex: 1)
    process = staticmethod(lambda message, weight, vertex: message * weight)

    @staticmethod
    def apply(total, vertex):
        again = not vertex.done
        vertex.degree += total
        vertex.done = True
        return again


def test_sums_of_floats_are_the_same_every_time():
    graph = weighted(clew.generate.rmat(9, 16, seed=1))
    masses = [clew.run(Weighing(), graph, device="emulated").mass for _ in range(2)]
    np.testing.assert_array_equal(masses[0], masses[1])


def tuned(program, graph, tuning):
    """A run with other tuning than usual: results on the host, and how it ended."""
    device = gpu_for("emulated", 0)
    initial, active = program.start(graph)
    n = graph.num_vertices
    state = {name: device.full(n, 0, kind) for name, kind in program.fields.items()}
    for name, value in initial.items():
        state[name][...] = device.upload(np.broadcast_to(value, n).astype(state[name].dtype))
    chosen = np.ones(n, dtype=np.bool_)
    if active is not None:
        chosen[:] = False
        chosen[active] = True
    done = run_program(device, program, graph, state, chosen, tuning)
    return {name: device.download(values) for name, values in state.items()}, done


@pytest.mark.parametrize(
    "tuning",
    [
        Tuning(alone=(0, 0)),
        Tuning(alone=(1 << 40, 1 << 40)),
        Tuning(alone=(40, 100), steps=3),
        Tuning(work=1),
        Tuning(pushed=1.0, pushed_to_any=1.0, threads=64),
        Tuning(pushed=0.0, pushed_to_any=0.0, threads=1024, resident=1),
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["skewed", "grid"])
def test_tuning_changes_no_result(tuning, name):
    made = clew.generate.rmat(9, 12, seed=5) if name == "skewed" else clew.generate.grid(9, 30)
    graph = weighted(made)
    for program in (BreadthFirst(3), ShortestPaths(3), Components(), Degrees(), Weighing(), PageRank()):
        expected = clew.run(program, graph, device="emulated")
        values, done = tuned(program, graph, tuning)
        for field, array in values.items():
            np.testing.assert_allclose(array, expected.values[field], rtol=1e-12, err_msg=field)
        assert done.iterations == len(done.trace) == expected.iterations
        if "direction" in done.trace.columns and tuning.pushed in (0.0, 1.0) and not isinstance(program, Weighing):
            edges = np.where(done.trace["edges"] > 0, done.trace["direction"], "push")
            assert set(edges) <= {"push", "pull"} - {"pull" if tuning.pushed else ""}


@pytest.mark.parametrize("balance", sorted(BALANCES.keys() - {"auto"}))
def test_edges_may_be_shared_out_in_any_way(balance):
    """By one block, by all and by turns; rows are shorter than a piece of the degree cut, as long as it, and longer."""
    everything_pushed = Tuning(balance=balance, cut=4, pushed=1.0, pushed_to_any=1.0, threads=64)
    everyone, by_turns = replace(everything_pushed, alone=(0, 0)), replace(everything_pushed, alone=(40, 100), steps=3)
    made = (
        (clew.generate.rmat(8, 12, seed=5), everyone),
        (clew.generate.star(600), everything_pushed),
        (clew.generate.path(40), by_turns),
        (clew.generate.grid(9, 30), by_turns),
    )
    for graph, tuning in ((weighted(graph), tuning) for graph, tuning in made):
        for program in (BreadthFirst(3), ShortestPaths(3)):
            expected = clew.run(program, graph, device="cpu")
            values, done = tuned(program, graph, tuning)
            for field, array in values.items():
                np.testing.assert_array_equal(array, expected.values[field], err_msg=field)
            assert done.iterations == expected.iterations
            for column in ("active", "edges"):
                np.testing.assert_array_equal(done.trace[column], expected.trace[column], err_msg=column)
            assert set(done.trace["direction"]) == {"push"}


def test_both_ways_of_moving_messages_are_used():
    graph = clew.generate.rmat(10, 16, seed=2).symmetrized()
    found = check(lambda: BreadthFirst(int(np.argmax(graph.degrees()))), graph)
    assert set(found.trace["direction"].tolist()) == {"push", "pull"}


def test_waiting_vertices_take_turns_by_priority():
    class Turns(Degrees):
        fields = {"rank": "float64", "turn": "int32"}
        message = "int32"
        direction = "both"
        width = 2.0
        process = staticmethod(lambda message, weight, vertex: message)
        priority = staticmethod(lambda vertex: vertex.rank)

        def start(self, graph):
            return {"rank": [9.0, -3.0, 5.5, -3.9, np.inf, 4.0, 0.0], "turn": 0}, [1, 2, 3, 4, 5, 6]

        @staticmethod
        def apply(total, vertex):
            vertex.turn += total
            return False

    assert check(Turns, clew.generate.star(7)).trace["active"].tolist() == [2, 1, 2, 1]


def test_many_components_take_many_turns():
    """Vertices wait while their keys change, and some leave the pile before their turn."""
    found = check(Components, clew.generate.uniform(700, 500, seed=4))
    assert found.iterations > 100


def test_everyone_stays_active_while_anything_changes():
    class Countdown(clew.VertexProgram):
        fields = {"number": "float64", "result": "float64"}
        active_next = "all"

        def __init__(self, reduce):
            self.reduce = reduce

        def start(self, graph):
            return {"number": [3.0, 1.0, 2.0], "result": -1.0}, None

        send = staticmethod(lambda vertex: vertex.number)
        process = staticmethod(lambda message, weight, vertex: message)

        @staticmethod
        def apply(total, vertex):
            vertex.result += total
            vertex.number = max(vertex.number - 1, 0)
            return vertex.number > 0

    for reduce in (clew.monoids.max, clew.monoids.any):
        found = check(lambda reduce=reduce: Countdown(reduce), clew.generate.cycle(3, directed=True))
        assert found.result.tolist() == [2.0, 5.0, 0.0]


@pytest.mark.parametrize("direction", ["out", "in", "both"])
@pytest.mark.parametrize("limit", [0, 1, 2, None])
def test_directions_and_limits(direction, limit):
    class Search(BreadthFirst):
        max_iterations = limit

    class Rank(PageRank):
        max_iterations = limit or 0

    Search.direction = Rank.direction = direction
    graph = clew.Graph.from_edges([0, 1, 2, 3, 4, 3, 3], [1, 2, 3, 4, 5, 3, 2], [1, 2, 3, 4, 5, 6, 7])
    check(lambda: Search(3), graph)
    check(Rank, graph, rtol=1e-12)


@pytest.mark.quick
def test_no_vertices_and_nobody_active():
    class Nobody(Degrees):
        def start(self, graph):
            return {"degree": 1, "done": False}, []

    empty = clew.Graph.from_edges([], [], num_vertices=0)
    for program in (Weighing, PageRank, Components, Degrees):
        if program is not PageRank:  # whose start divides by the number of vertices
            check(program, empty)
    check(Nobody, clew.generate.path(5))


def test_ids_of_64_bits():
    graph = clew.generate.grid(8, 8)
    wide = clew.Graph.from_csr(graph.indptr, graph.indices, directed=False, id_dtype="int64")
    check(lambda: BreadthFirst(9), wide)


def halved(number):
    return number // 2


def test_functions_call_functions_and_use_math():
    class Odd(clew.VertexProgram):
        fields = {"a": "float32", "b": "uint8"}
        message = "float32"
        reduce = clew.Monoid(lambda x, y: x if abs(x) > abs(y) else y, identity=0, name="largest")

        def start(self, graph):
            return {"a": np.arange(graph.num_vertices), "b": 200}, [0, 1]

        send = staticmethod(lambda vertex: math.sqrt(vertex.a + 1))
        process = staticmethod(lambda message, weight, vertex: message + weight * vertex.b)

        @staticmethod
        def apply(total, vertex):
            vertex.b = halved(vertex.b)
            vertex.a = total
            return vertex.b > 20

    for dtype in ("int16", "bool", "uint64"):
        graph = clew.generate.random_weights(clew.generate.grid(5, 9), 0, 2, 1, "int64")
        check(Odd, graph.with_weights(graph.weights.astype(dtype)), rtol=1e-6)


def test_what_a_gpu_cannot_do_is_said():
    graph = clew.generate.path(4)
    with pytest.raises(OperatorError, match=r'reduce is Gather.*device="cpu"'):
        clew.run(LabelPropagation(), graph, device="emulated")
    assert clew.run(LabelPropagation(), graph, device="auto").iterations > 0

    class BadField(BreadthFirst):
        send = staticmethod(lambda vertex: vertex.height)

    class BadSend(BreadthFirst):
        send = staticmethod(lambda vertex: [vertex.depth, "a"])

    with pytest.raises(
        OperatorError, match=r"BadField\.send cannot be compiled for the GPU: a vertex has no field 'height'"
    ):
        clew.run(BadField(), graph, device="emulated")
    with pytest.raises(OperatorError, match=r"BadSend\.send cannot be compiled for the GPU.*test_program.py, line"):
        clew.run(BadSend(), graph, device="emulated")
