"""Condensations on members: components have the numbers of one machine, and the graph is on the first member."""

from __future__ import annotations

import numpy as np
import pytest

import clew
from tests.cluster.team import on_team, run_on_team
from tests.cluster.test_walks import GRAPHS

GRAPHS = {
    **GRAPHS,
    "a path": clew.generate.path(50, directed=True),
    "a cycle": clew.generate.cycle(40, directed=True),
    "many components": clew.generate.uniform(400, 420, seed=3),
    "no edges": clew.Graph.from_edges([], [], num_vertices=7),
    "no vertices": clew.Graph.from_edges([], [], num_vertices=0),
}


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("title", GRAPHS)
def test_condensations_are_those_of_one_machine(title: str, members: int) -> None:
    graph = GRAPHS[title]
    found, expected = on_team(members, graph, "condensation", {}), clew.condensation(graph)
    assert found.component.dtype == expected.component.dtype
    assert np.array_equal(found.component, expected.component)
    assert found.count == expected.count
    assert np.array_equal(found.sizes, expected.sizes)
    assert found.graph == expected.graph


def test_the_first_member_alone_has_the_graph() -> None:
    graph = GRAPHS["many components"]

    def run(share: clew.Graph) -> clew.Result:
        found = clew.condensation(share.reversed())
        assert ("graph" in found.facts) == (share.member.rank == 0)
        return found

    found, expected = run_on_team(4, graph, run), clew.condensation(graph.reversed())
    assert expected.count > 50
    assert np.array_equal(found.component, expected.component)
    assert found.graph == expected.graph
