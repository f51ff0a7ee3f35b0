"""Triads, triangles and similar vertices on members are those of one machine, whatever the grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clew
from clew.algorithms.similarity import METHODS
from clew.engines.cluster import own_rows as gathering
from clew.engines.cluster.ranges import in_ranges
from tests.cluster.team import on_team, run_on_team
from tests.cluster.test_answers import same
from tests.cluster.test_edges import GRAPHS
from tests.cluster.test_walks import weighted


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("title", GRAPHS)
def test_triads_are_those_of_one_machine(title: str, members: int) -> None:
    for graph in (GRAPHS[title], GRAPHS[title].reversed())[: 1 + GRAPHS[title].directed]:
        assert on_team(members, graph, "triadic_census", {}).census == clew.triadic_census(graph).census


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("title", GRAPHS)
def test_weights_of_triangles_are_those_of_one_machine(
    title: str, members: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = weighted(GRAPHS[title])
    for room in (gathering.ROOM, 90):
        monkeypatch.setattr(gathering, "ROOM", room)
        for options in ({"weighted": True, "method": "triangles"}, {"method": "triangles"}):
            expected = clew.clustering_coefficient(graph, **options)
            found = on_team(members, graph, "clustering_coefficient", options)
            assert same(found.coefficient, expected.coefficient)
            assert np.isclose(found.average, expected.average, rtol=1e-12)
            assert np.isclose(found.transitivity, expected.transitivity, rtol=1e-12)


@pytest.mark.parametrize("name", ["triangles", "clustering_coefficient", "triadic_census"])
def test_triangles_of_directed_graphs_in_ranges(name: str) -> None:
    """The simple graph has the vertices of a member where the graph has them."""
    graph = GRAPHS["directed, with vertices that lead nowhere"]
    options = {"per_vertex": True} if name == "triangles" else {}
    found, expected = (
        on_team(3, graph, name, options, in_ranges),
        clew.algorithms.ALGORITHMS[name].function(graph, **options),
    )
    assert expected.values or expected.census
    assert all(same(found.values[column], values) for column, values in expected.values.items())
    assert all(np.all(found.facts[fact] == value) for fact, value in expected.facts.items() if fact != "average")


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("title", GRAPHS)
def test_most_similar_vertices_are_those_of_one_machine(
    title: str, members: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one batch, and in so many that a vertex takes several."""

    def backwards(share: Any, **options: Any) -> clew.Result:
        return clew.most_similar(share.reversed(), **options)

    graph = GRAPHS[title]
    for room, methods in ((gathering.ROOM, METHODS), (90, ["adamic_adar"])):
        monkeypatch.setattr(gathering, "ROOM", room)
        for method in methods:
            for run in (clew.most_similar, backwards) if graph.directed else (clew.most_similar,):
                options = {"k": 3, "method": method}
                found = run_on_team(members, graph, lambda share: run(share, **options))  # noqa: B023
                expected = run(graph, **options)
                assert same(found.similar, expected.similar), options
                assert found.score.tobytes() == expected.score.tobytes(), options
                assert found.num_pairs == expected.num_pairs


def test_more_similar_vertices_than_there_are() -> None:
    graph = clew.generate.path(9)
    found, expected = on_team(4, graph, "most_similar", {"k": 20}), clew.most_similar(graph, k=20)
    assert np.array_equal(found.similar, expected.similar)
    assert found.similar.shape == (9, 20)
