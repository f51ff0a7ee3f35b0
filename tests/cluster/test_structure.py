"""Triangles on members are those of one machine, whatever the grid."""

from __future__ import annotations

import numpy as np
import pytest

import clew
from clew.engines.cluster.ranges import in_ranges
from tests.cluster.team import on_team
from tests.cluster.test_answers import same
from tests.cluster.test_edges import GRAPHS


@pytest.mark.parametrize("name", ["triangles", "clustering_coefficient"])
def test_triangles_of_directed_graphs_in_ranges(name: str) -> None:
    """The simple graph has the vertices of a member where the graph has them."""
    graph = GRAPHS["directed, with vertices that lead nowhere"]
    options = {"per_vertex": True} if name == "triangles" else {}
    found, expected = (
        on_team(3, graph, name, options, in_ranges),
        clew.algorithms.ALGORITHMS[name].function(graph, **options),
    )
    assert expected.values
    assert all(same(found.values[column], values) for column, values in expected.values.items())
    assert all(np.all(found.facts[fact] == value) for fact, value in expected.facts.items() if fact != "average")
