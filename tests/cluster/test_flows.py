"""Flows on members: as much as on one machine, and the same side of the cut, whatever the grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clew
from clew.algorithms.registry import ALGORITHMS
from clew.engines.cluster.ranges import in_ranges
from clew.testing import verify
from tests.cluster.team import on_team
from tests.cluster.test_edges import GRAPHS


def compare(graph: clew.Graph, members: int, ends: dict[str, Any], *layout: Any) -> float:
    expected = clew.minimum_cut(graph, **ends)
    for name in ("maximum_flow", "minimum_cut"):
        found = on_team(members, graph, name, ends, *layout)
        assert type(found.value) is type(expected.value)
        assert found.value == pytest.approx(expected.value, rel=1e-12)
        verify(ALGORITHMS[name], graph, found, ends)
    assert np.array_equal(found.side, expected.side)
    return float(expected.value)


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("title", GRAPHS)
def test_as_much_flows_as_on_one_machine(title: str, members: int) -> None:
    """Capacities are 1, whole numbers with some that are 0, or floats."""
    graph = GRAPHS[title]
    whole, floats = (clew.generate.random_weights(graph, 0, 7, seed=3, dtype=kind) for kind in ("int32", "float64"))
    ends = {"source": 0, "sink": graph.num_vertices - 1}
    for weighted in (graph, whole, floats) if members == 4 else (floats,):
        compare(weighted, members, ends)
    busiest = np.argsort(-graph.degrees(), kind="stable")[:2].tolist()
    compare(whole, members, {"source": busiest[0], "sink": busiest[1]})


def test_flows_of_many_graphs() -> None:
    """Also where much flows back to the source, and in ranges."""
    total = 0.0
    for seed in range(6):
        graph = clew.generate.random_weights(clew.generate.uniform(30, 70, seed=seed), 1, 20, seed=seed)
        for whole in (graph, graph.symmetrized("sum"), graph.reversed()):
            total += compare(whole, 4, {"source": 1, "sink": 2})
        compare(
            clew.generate.random_weights(clew.generate.grid(5, 6), 0, 9, seed=seed),
            3,
            {"source": 0, "sink": 29},
            in_ranges,
        )
    assert total > 100


def test_capacities_of_all_members_together_have_a_limit() -> None:
    graph = clew.generate.cycle(8)
    heavy = graph.with_weights(np.full(graph.num_arcs, 2**58 + 2**57))
    with pytest.raises(clew.GraphError, match=r"add up to more than 2\*\*61"):
        on_team(4, heavy, "maximum_flow", {"source": 0, "sink": 3})
