"""Vertex programs in plain Python: as compiled ones, with print and a debugger."""

from __future__ import annotations

import pdb
from typing import ClassVar

import numpy as np
import pytest

import clew
from examples.vertex_programs import BreadthFirst, Components, LabelPropagation, PageRank, ShortestPaths
from tests.test_program import Gathering, Unordered

GRAPHS = {
    "kronecker": lambda: clew.generate.kronecker(5, seed=1),
    "directed": lambda: clew.generate.rmat(5, edge_factor=3, seed=2),
    "grid": lambda: clew.generate.grid(4, 5),
    "one vertex": lambda: clew.Graph.from_edges([], [], num_vertices=1),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("program", [BreadthFirst, ShortestPaths, Unordered, Components, PageRank, LabelPropagation])
def test_programs_give_what_compiled_ones_give(program, name):
    graph = clew.generate.random_weights(GRAPHS[name](), 1, 9, 1, "float64")
    compiled, plain = (clew.run(program(), graph, device=device) for device in ("cpu", "reference"))
    for field in compiled.values:
        assert plain.values[field].dtype == compiled.values[field].dtype
        np.testing.assert_allclose(plain.values[field], compiled.values[field], rtol=1e-12)
    assert (plain.iterations, plain.converged) == (compiled.iterations, compiled.converged)
    for column in ("active", "edges"):
        np.testing.assert_array_equal(plain.trace[column], compiled.trace[column])


def test_weights_directions_and_limits_are_heeded():
    class Backwards(ShortestPaths):
        direction = "in"
        max_iterations = 2

    graph = clew.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4])
    plain, compiled = (clew.run(Backwards(4), graph, device=device) for device in ("reference", "cpu"))
    assert plain.distance.tolist() == compiled.distance.tolist()
    assert (plain.iterations, plain.converged) == (2, False)


@pytest.mark.quick
def test_gathers_of_nothing_are_empty():
    class Everyone(Gathering):
        apply_to = "all"

    graph = clew.Graph.from_edges([0], [1], num_vertices=3)
    gather = clew.Gather(lambda values, counts: values[0] + counts[0], empty=7)
    for program in (Everyone, Gathering):
        plain, compiled = (
            clew.run(program(gather, [1.0, 2.0, 3.0]), graph, device=device) for device in ("reference", "cpu")
        )
        assert plain.result.tolist() == compiled.result.tolist()


class Talkative(BreadthFirst):
    """It prints what a compiled function cannot, and asks a dict."""

    words: ClassVar = {0: "none", 1: "one"}

    @staticmethod
    def apply(total, vertex):
        print(f"{Talkative.words.get(int(total), 'many'):>5} {vertex!r}")
        vertex.depth = total
        return True


@pytest.mark.quick
def test_print_works_in_users_functions(capsys):
    clew.run(Talkative(), clew.generate.path(3), device="reference")
    assert capsys.readouterr().out.splitlines() == [
        "  one Vertex(1: depth=np.int32(-1))",
        " many Vertex(2: depth=np.int32(-1))",
    ]
    loud = clew.Semiring(clew.monoids.plus, lambda weight, x: (print("product", weight), weight * x)[1])
    assert clew.spmv(clew.generate.path(2), [1.0, 2.0], loud, device="reference").tolist() == [2.0, 1.0]
    assert "product 1.0" in capsys.readouterr().out


def test_a_debugger_stops_in_users_functions(monkeypatch, capsys):
    class Stops(BreadthFirst):
        @staticmethod
        def apply(total, vertex):
            debugger.set_trace()
            vertex.depth = total
            return True

    commands = iter(["p int(total) + 41", "continue"])
    debugger = pdb.Pdb(nosigint=True, readrc=False)
    monkeypatch.setattr("builtins.input", lambda prompt="": next(commands))
    debugger.use_rawinput = True
    result = clew.run(Stops(), clew.generate.path(2), device="reference")
    assert result.depth.tolist() == [0, 1]
    assert "42" in capsys.readouterr().out


def test_errors_of_users_functions_are_their_own():
    class Misspells(BreadthFirst):
        @staticmethod
        def apply(total, vertex):
            vertex.height = total
            return True

    with pytest.raises(AttributeError, match="a vertex has no field 'height'; its fields are depth"):
        clew.run(Misspells(), clew.generate.path(2), device="reference")


def test_algorithms_run_in_plain_python_too():
    graph = clew.generate.path(3)
    assert clew.bfs(graph, 0, device="reference").depth.tolist() == [0, 1, 2]
    np.testing.assert_allclose(clew.pagerank(graph, device="reference").rank, clew.pagerank(graph).rank)
