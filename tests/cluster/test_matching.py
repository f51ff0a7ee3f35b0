"""Bipartite matching on members: sides by names, found by a search or refused, and maximum on every grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clew
from clew.algorithms.registry import ALGORITHMS
from clew.testing import verify
from tests.cluster.team import on_team


def named(edges: int, seed: int) -> clew.Graph:
    rng = np.random.default_rng(seed)
    left, right = ([f"{side}{k}" for k in rng.integers(0, 60, edges)] for side in "ab")
    return clew.Graph.from_edges(left, right, directed=False)


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
def test_matchings_are_maximum_on_every_grid(members: int) -> None:
    graph = named(110, seed=members)
    best = clew.bipartite_matching(graph)
    right = [name for name in graph.names if name.startswith("b")]
    for options in ({}, {"left": right}, {"left": ~best.left}):
        found = on_team(members, graph, "bipartite_matching", options)
        verify(ALGORITHMS["bipartite_matching"], graph, found, options)
        assert (found.size, found.trace["paths"].sum()) == (best.size, best.size)
    some = on_team(members, graph, "bipartite_matching", {"method": "maximal"})
    verify(ALGORITHMS["bipartite_matching"], graph, some, {"maximum": False})
    path = clew.generate.path(300)  # long augmenting paths
    assert on_team(members, path, "bipartite_matching", {}).size == 150


@pytest.mark.parametrize(
    ("left", "message"),
    [
        (["a1", "nobody"], "no vertex is called 'nobody'"),
        ([], "both ends on the right side"),
        (np.ones(4, np.bool_), "the mask has shape"),
        (None, "closes a cycle of odd length"),
    ],
)
def test_sides_that_are_none_are_refused(left: Any, message: str) -> None:
    graph = clew.generate.cycle(7) if left is None else named(110, seed=3)
    for run in (
        lambda: on_team(4, graph, "bipartite_matching", {"left": left}),
        lambda: clew.bipartite_matching(graph, left=left),
    ):
        with pytest.raises(clew.GraphError, match=message):
            run()
