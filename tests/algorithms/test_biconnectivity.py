"""Bridges, articulation points and biconnected components, compared with NetworkX and with their checkers."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew.errors import VerificationError
from tests.algorithms.graphs import graphs

NAMES = ("bridges", "articulation_points", "biconnected_components")
#: Two triangles that share vertex 2, a bridge 4-5, a doubled edge 5-6, and a loop.
GRAPH = clew.Graph.from_edges([0, 1, 0, 2, 3, 2, 4, 5, 5, 6], [1, 2, 2, 3, 4, 4, 5, 6, 6, 6], directed=False)


@settings(max_examples=40)
@given(graphs())
def test_the_answers_of_networkx(graph):
    other = nx.MultiGraph()
    other.add_nodes_from(range(graph.num_vertices))
    other.add_edges_from(zip(*(ends.tolist() for ends in graph.edges()[:2]), strict=True))
    found = clew.bridges(graph)
    expected = [tuple(sorted(edge)) for edge in nx.bridges(other)]
    assert sorted(tuple(sorted(edge)) for edge in found.names_of(np.flatnonzero(found.bridge))) == sorted(expected)
    other.remove_edges_from(list(nx.selfloop_edges(other)))
    assert set(np.flatnonzero(clew.articulation_points(graph).member)) == set(nx.articulation_points(other))
    assert clew.biconnected_components(graph).count == len(list(nx.biconnected_components(other)))
    for name in NAMES:
        getattr(clew.verify, name)(graph, getattr(clew, name)(graph))


@pytest.mark.quick
def test_known_answers():
    found = clew.biconnected_components(GRAPH)
    assert found.component.tolist() == [0, 0, 0, 1, 1, 1, 2, 3, 3, -1]
    assert (found.count, found.sizes.tolist(), found.reached.tolist()[-1]) == (4, [3, 3, 1, 2], False)
    assert np.flatnonzero(clew.bridges(GRAPH).bridge).tolist() == [6]
    assert np.flatnonzero(clew.articulation_points(GRAPH).member).tolist() == [2, 4, 5]


@pytest.mark.parametrize(
    ("name", "value", "wrong"),
    [
        ("bridges", "bridge", [False] * 10),
        ("articulation_points", "member", [False] * 7),
        ("biconnected_components", "component", [0, 0, 0, 0, 0, 0, 2, 3, 3, -1]),
        ("biconnected_components", "component", [0, 0, 0, 1, 1, 4, 2, 3, 3, -1]),
    ],
)
def test_wrong_answers_are_noticed(name, value, wrong):
    found = getattr(clew, name)(GRAPH)
    found.values[value] = np.array(wrong)
    with pytest.raises(VerificationError):
        getattr(clew.verify, name)(GRAPH, found)


def test_a_depth_first_search_runs_on_the_cpu_and_the_plan_says_so():
    plan = clew.explain(GRAPH, "dfs_order", "cuda", source=0)
    assert plan.engine == "cpu"
    assert "every step needs the one before" in plan.choices[0].why
    assert clew.dfs_order(GRAPH, 0, device="cuda").num_reached == 7
    assert clew.explain(GRAPH, "bridges", "cuda").engine == "cuda"
