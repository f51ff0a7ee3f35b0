"""Communities on members: valid, as good as on one machine, and the same on every grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clew
from clew.algorithms.communities import cluster as communities
from clew.algorithms.registry import ALGORITHMS
from clew.engines.cluster.ranges import in_ranges
from clew.testing import verify
from tests.cluster.team import on_team
from tests.cluster.test_edges import GRAPHS
from tests.cluster.test_walks import weighted

NAMES = ["louvain", "leiden"]


def compare(title: str, name: str, grids: tuple[int, ...], options: dict[str, Any]) -> None:
    found = [on_team(members, GRAPHS[title], name, options) for members in grids]
    for other in found:
        verify(ALGORITHMS[name], GRAPHS[title], other, options)
        assert np.array_equal(other.community, found[0].community)
        assert len(other.hierarchy) == len(found[0].hierarchy)
        assert np.array_equal(other.hierarchy[-1], other.community)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("title", GRAPHS)
def test_communities_do_not_depend_on_the_grid(title: str, name: str) -> None:
    compare(title, name, (1, 2, 4, 6, 9) if title == "undirected" else (1, 4), {"hierarchy": True, "seed": 3})


@pytest.mark.parametrize("name", NAMES)
def test_levels_that_stay_spread(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(communities, "SMALL", 0)
    for title in ("directed, with vertices that lead nowhere", "several components"):
        compare(title, name, (2, 4), {"max_iterations": 2, "hierarchy": True})


@pytest.mark.parametrize("name", NAMES)
def test_communities_by_weight_with_loops_and_in_ranges(name: str) -> None:
    for title, graph in GRAPHS.items():
        options = {"resolution": 2.5}
        verify(ALGORITHMS[name], weighted(graph), on_team(4, weighted(graph), name, options), options)
        assert title != "a grid" or on_team(3, graph, name, {}, in_ranges).modularity > 0.5
    wrong = graph.with_weights(np.full(graph.num_arcs, -1.0))
    with pytest.raises(clew.GraphError, match="weights of 0 or more"):
        on_team(4, wrong, name, {})


@pytest.mark.parametrize("name", NAMES)
def test_communities_that_are_obvious(name: str) -> None:
    """Cliques in a ring are found exactly."""
    size, cliques = 6, 20
    first, second = np.triu_indices(size, 1)
    source = (first + size * np.arange(cliques)[:, np.newaxis]).ravel()
    target = (second + size * np.arange(cliques)[:, np.newaxis]).ravel()
    ring = np.arange(cliques) * size
    graph = clew.Graph.from_edges(np.append(source, ring), np.append(target, np.roll(ring, 1)), directed=False)
    found = on_team(4, graph, name, {"resolution": 2.0})
    assert np.array_equal(found.community, np.arange(size * cliques) // size)
    assert found.count == cliques


def test_communities_of_packages_are_as_good() -> None:
    """Modularity is within 0.005 of that of one machine."""
    graph = clew.datasets.debian().with_weights(None)
    for name in NAMES:
        run = ALGORITHMS[name].function
        assert on_team(4, graph, name, {}).modularity > run(graph).modularity - 0.005
