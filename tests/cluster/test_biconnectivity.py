"""Bridges, blocks and articulation points on members are those of one machine, whatever the grid."""

from __future__ import annotations

import numpy as np
import pytest

import clew
from clew.engines.cluster.ranges import in_ranges
from tests.cluster.team import on_team
from tests.cluster.test_edges import GRAPHS

NAMES = ["bridges", "biconnected_components", "articulation_points"]
TREE = np.random.default_rng(5).integers(0, np.arange(1, 80))
GRAPHS = {
    **GRAPHS,
    "a tree": clew.Graph.from_edges(np.arange(1, 80), TREE, directed=False),
    "a tree and a few edges": clew.Graph.from_edges(
        np.append(np.arange(1, 80), [3, 3, 70, 8]), np.append(TREE, [60, 3, 71, TREE[7]]), directed=False
    ),
    "cycles that share vertices": clew.Graph.from_edges(
        [v for first in range(0, 40, 4) for v in range(first, first + 5)],
        [first + (v + 1) % 5 for first in range(0, 40, 4) for v in range(5)],
    ),
    "edges in both directions": clew.Graph.from_edges([0, 1, 1, 2, 3, 3, 4], [1, 0, 2, 3, 2, 4, 4], num_vertices=6),
    "sparse": clew.generate.uniform(300, 330, seed=2),
}


def compare(graph: clew.Graph, members: int, name: str, layout: object = None) -> None:
    expected = clew.algorithms.ALGORITHMS[name].function(graph)
    found = on_team(members, graph, name, {}, *([] if layout is None else [layout]))
    for column, values in expected.values.items():
        assert found.values[column].dtype == values.dtype
        assert np.array_equal(found.values[column], values)
    for fact, value in expected.facts.items():
        assert np.array_equal(found.facts[fact], value), fact


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("title", GRAPHS)
def test_blocks_are_those_of_one_machine(title: str, members: int) -> None:
    for name in NAMES:
        compare(GRAPHS[title], members, name)
    assert title != "sparse" or 5 < clew.bridges(GRAPHS[title]).count < 300


def test_blocks_of_graphs_in_ranges_and_backwards() -> None:
    for name in NAMES:
        compare(GRAPHS["a grid"], 3, name, in_ranges)
        compare(GRAPHS["sparse"].reversed(), 4, name)
