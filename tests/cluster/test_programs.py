"""Vertex programs give the states of one machine on any number of members."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

import clew
from examples import vertex_programs as examples
from tests.cluster.team import run_on_team

GRAPH = clew.generate.random_weights(clew.generate.rmat(7, edge_factor=6, seed=3), 1, 9, seed=4)


class Smoothed(clew.VertexProgram):
    """Everyone takes the median of what lighter edges bring, and those without any go back to 0; some never change."""

    fields: ClassVar = {"level": "float64", "fixed": "bool"}
    message = "float64"
    direction = "in"
    reduce = clew.gathers.median
    apply_to = active_next = "all"
    max_iterations = 6

    def start(self, graph):
        return {"level": np.arange(graph.num_vertices) % 17, "fixed": np.arange(graph.num_vertices) % 5 == 0}, None

    send = staticmethod(lambda vertex: vertex.level)
    process = staticmethod(lambda message, weight, vertex: message + weight)
    matters = staticmethod(lambda value, vertex: value < vertex.level + 12)
    accepts = staticmethod(lambda vertex: not vertex.fixed)

    @staticmethod
    def apply(total, vertex):
        changed = total != vertex.level
        vertex.level = total
        return changed


PROGRAMS = {
    "labels": examples.LabelPropagation,
    "median": Smoothed,
    "bfs": lambda: examples.BreadthFirst(3),
    "paths": lambda: examples.ShortestPaths(3),
    "components": examples.Components,
    "pagerank": examples.PageRank,
}


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_compute_what_they_do_on_one_machine(name: str, members: int) -> None:
    expected = clew.run(PROGRAMS[name](), GRAPH, device="cpu")
    found = run_on_team(members, GRAPH, lambda share: clew.run(PROGRAMS[name](), share))
    for field, values in expected.values.items():
        if values.dtype.kind == "f":
            assert np.allclose(values, found.values[field], rtol=1e-12, equal_nan=True), field
        else:
            assert np.array_equal(values, found.values[field]), field
    assert found.iterations == expected.iterations
