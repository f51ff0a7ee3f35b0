"""Results per edge on members: in the order of ``graph.edges()`` of one machine, whatever the grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clew
from clew.algorithms.similarity import METHODS
from clew.engines.cluster import own_rows as gathering
from clew.engines.cluster.own_rows import own_edges
from clew.engines.cluster.ranges import in_ranges
from tests.cluster.team import on_team, run_on_team
from tests.cluster.test_walks import GRAPHS, weighted

GRAPHS = {
    **GRAPHS,
    "a grid": clew.generate.grid(9, 13),
    "several components": clew.Graph.from_edges([0, 1, 2, 4, 5, 5], [1, 2, 0, 5, 6, 5], num_vertices=9, directed=False),
}


def small_room(graph: clew.Graph) -> int:
    """Room for some of the edges: members then exchange several batches, and not hundreds."""
    return max(8, graph.num_arcs // 16)


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("title", GRAPHS)
def test_edges_are_those_of_one_machine(title: str, members: int) -> None:
    graph = weighted(GRAPHS[title])

    def run(share: Any) -> clew.Result:
        edges = own_edges(share, weighted=True)
        assert np.array_equal(share.ids[edges.place], edges.source)
        assert (np.diff(edges.rows.numbers) > 0).all()
        columns = {"source": edges.source, "target": edges.target, "weight": edges.weights}
        return clew.Result("edges", columns, rows=edges.rows)

    found = run_on_team(members, graph, run)
    for values, expected in zip(found.values.values(), graph.edges(), strict=True):
        assert np.array_equal(values, expected)


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("title", GRAPHS)
def test_forests_are_those_of_one_machine(title: str, members: int) -> None:
    """Weights are 0 to 3, so that most edges have the weight of others."""
    for graph in (GRAPHS[title], clew.generate.random_weights(GRAPHS[title], 0, 3, seed=3), weighted(GRAPHS[title])):
        for maximum in (False, True):
            expected = clew.minimum_spanning_forest(graph, maximum=maximum)
            found = on_team(members, graph, "minimum_spanning_forest", {"maximum": maximum})
            assert np.array_equal(found.member, expected.member)
            assert found.trees == expected.trees
            assert found.weight == pytest.approx(expected.weight, rel=1e-12)
            assert type(found.weight) is type(expected.weight)


def test_forests_of_ranges() -> None:
    graph = weighted(GRAPHS["a grid"])
    found = on_team(3, graph, "minimum_spanning_forest", {}, in_ranges)
    assert np.array_equal(found.member, clew.minimum_spanning_forest(graph).member)
    wrong = graph.with_weights(np.where(graph.weights > 2, np.nan, graph.weights))
    with pytest.raises(clew.GraphError, match="NaN, which is neither lighter nor heavier"):
        on_team(3, wrong, "minimum_spanning_forest", {})


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("by_weight", [False, True])
def test_scores_of_edges_are_those_of_one_machine(members: int, by_weight: bool) -> None:
    for title, graph in GRAPHS.items():
        if by_weight:
            graph = clew.generate.random_weights(graph, 1, 3, seed=3)
        options = {"samples": [0, 1, graph.num_vertices - 1], "weighted": by_weight, "normalized": members % 2 == 0}
        expected = clew.edge_betweenness(graph, **options)
        found = on_team(members, graph, "edge_betweenness", options)
        np.testing.assert_allclose(found.centrality, expected.centrality, rtol=1e-12, atol=1e-15, err_msg=title)
        assert np.array_equal(found.sources, expected.sources)


def test_scores_of_edges_of_all_paths_and_backwards() -> None:
    graph = GRAPHS["directed, with vertices that lead nowhere"]
    for run in (clew.edge_betweenness, lambda whole: clew.edge_betweenness(whole.reversed(), samples=5)):
        found, expected = run_on_team(4, graph, run), run(graph)
        np.testing.assert_allclose(found.centrality, expected.centrality, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("title", GRAPHS)
def test_similarities_are_those_of_one_machine(title: str, members: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """For all edges, and for pairs that may be equal, far apart, or there twice; in one batch and in many."""
    graph = GRAPHS[title]
    pairs = np.random.default_rng(members).integers(0, graph.num_vertices, (40, 2))
    for room in (gathering.ROOM, small_room(graph)):
        monkeypatch.setattr(gathering, "ROOM", room)
        for given in (None, pairs):

            def run(whole: Any, given: Any = given) -> clew.Result:
                first, *others = (clew.similarity(whole, given, method=method) for method in METHODS)
                first.values.update({str(number): each.score for number, each in enumerate(others)})
                return first

            found, expected = run_on_team(members, graph, run), run(graph)
            assert len(found.values) == len(METHODS)
            for name, values in expected.values.items():
                assert np.array_equal(found.values[name], values), (name, given)


def test_similarities_of_no_pairs_of_in_neighbours_and_by_name() -> None:
    graph = GRAPHS["parallel edges"]
    assert on_team(4, graph, "similarity", {"pairs": []}).score.size == 0
    found = run_on_team(4, graph, lambda whole: clew.similarity(whole.reversed(), [(0, 1), (1, 2)]))
    assert np.array_equal(found.score, clew.similarity(graph.reversed(), [(0, 1), (1, 2)]).score)
    named = clew.Graph.from_edges(list("aabb"), list("cdce"), directed=False)
    assert on_team(2, named, "similarity", {"pairs": [("a", "b"), ("c", "d")]}).score.tolist() == [1 / 3, 1 / 2]


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("title", GRAPHS)
def test_trusses_are_those_of_one_machine(title: str, members: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = clew.k_truss(GRAPHS[title])
    for room in (gathering.ROOM, small_room(GRAPHS[title])):
        monkeypatch.setattr(gathering, "ROOM", room)
        found = on_team(members, GRAPHS[title], "k_truss", {})
        assert found.truss.dtype == expected.truss.dtype
        assert np.array_equal(found.truss, expected.truss)
        assert found.largest == expected.largest


def test_trusses_of_cliques_that_share_edges() -> None:
    """Many triangles lose several edges in one round, and each counts once."""
    cliques = [(u, v) for first in range(0, 30, 3) for u in range(first, first + 7) for v in range(first, u)]
    graph = clew.Graph.from_edges(*np.array(cliques).T, duplicates="drop")
    for whole in (graph, graph.symmetrized()):
        assert np.array_equal(on_team(4, whole, "k_truss", {}).truss, clew.k_truss(whole).truss)
