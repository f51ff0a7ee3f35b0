"""Sampled neighbourhoods on members are those of one machine, whatever the grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clew
from clew.engines.cluster.own_rows import first_arcs
from clew.testing import verify
from tests.cluster.team import on_team, run_on_team
from tests.cluster.test_walks import GRAPHS, weighted

ARRAYS = ("node", "row", "col", "edge")
OPTIONS: list[dict[str, Any]] = [
    {"fanouts": [3, 2]},
    {"fanouts": [-1, 4, 1], "seed": 7},
    {"fanouts": [5, 2], "replace": True},
    {"fanouts": [2, 3], "weighted": True},
    {"fanouts": [4], "weighted": True, "replace": True},
]


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("title", GRAPHS)
def test_samples_are_those_of_one_machine(title: str, members: int) -> None:
    graph = weighted(GRAPHS[title])
    sources = np.random.default_rng(members).permutation(graph.num_vertices)[:9]
    for options in OPTIONS:
        expected = clew.sample_neighbors(graph, sources, **options)
        found = on_team(members, graph, "sample_neighbors", {"sources": sources, **options})
        for name in ARRAYS:
            assert np.array_equal(getattr(found, name), getattr(expected, name)), (options, name)
        assert found.num_sampled_nodes == expected.num_sampled_nodes
        assert found.num_sampled_edges == expected.num_sampled_edges
        verify(clew.algorithms.registry.ALGORITHMS["sample_neighbors"], graph, found, {"sources": sources, **options})


def test_samples_against_the_direction_of_edges_and_of_nothing() -> None:
    graph = GRAPHS["directed, with vertices that lead nowhere"]

    def backwards(whole: clew.Graph) -> clew.Result:
        return clew.sample_neighbors(whole.reversed(), [1, 2, 3], fanouts=[4, 4])

    found, expected = run_on_team(4, graph, backwards), backwards(graph)
    assert all(np.array_equal(getattr(found, name), getattr(expected, name)) for name in ARRAYS)
    assert on_team(4, graph, "sample_neighbors", {"sources": []}).num_nodes == 0


@pytest.mark.parametrize("members", [1, 2, 6])
def test_edges_are_numbered_as_on_one_machine(members: int) -> None:
    for graph in GRAPHS.values():
        firsts = run_on_team(members, graph, lambda share: clew.Result("firsts", {"first": first_arcs(share)}))
        assert np.array_equal(firsts.first, graph.indptr[:-1])
