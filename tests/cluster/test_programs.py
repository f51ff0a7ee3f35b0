"""Vertex programs give the states of one machine on any number of members."""

from __future__ import annotations

import numpy as np
import pytest

import clew
from examples import vertex_programs as examples
from tests.cluster.team import run_on_team

GRAPH = clew.generate.random_weights(clew.generate.rmat(7, edge_factor=6, seed=3), 1, 9, seed=4)
PROGRAMS = {
    "bfs": lambda: examples.BreadthFirst(3),
    "paths": lambda: examples.ShortestPaths(3),
    "components": examples.Components,
    "pagerank": examples.PageRank,
}


@pytest.mark.parametrize("members", [1, 2, 4, 6])
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


def test_gathers_are_refused() -> None:
    with pytest.raises(clew.GraphError, match="Gather, which does not run on a cluster"):
        run_on_team(2, GRAPH, lambda share: clew.run(examples.LabelPropagation(), share))
