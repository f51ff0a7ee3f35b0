"""Topological orders, condensations and depth-first searches, compared with NetworkX and with their checkers."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.errors import CycleError, VerificationError
from tests.algorithms.graphs import as_networkx, graphs


@settings(max_examples=40)
@given(graphs(directed=True), st.randoms())
def test_acyclic_graphs_are_ordered_and_others_have_a_cycle(graph, random):
    other = as_networkx(graph)
    if not nx.is_directed_acyclic_graph(other):
        with pytest.raises(CycleError) as caught:
            clew.topological_order(graph)
        cycle = caught.value.cycle
        assert nx.is_path(other, [*cycle, cycle[0]])
    place = np.array(random.sample(range(graph.num_vertices), graph.num_vertices), dtype=np.int64)
    source, target, _ = graph.edges()
    forward = place[source] < place[target]
    acyclic = graph.filter_edges(forward)
    found = clew.topological_order(acyclic)
    clew.verify.topological_order(acyclic, found)
    assert found.generations == len(list(nx.topological_generations(as_networkx(acyclic))))
    same = clew.topological_order(acyclic, device="reference")
    np.testing.assert_array_equal(found.position, same.position)


@settings(max_examples=30)
@given(graphs(min_vertices=1), st.booleans())
def test_searches_and_condensations(graph, whole):
    clew.verify.dfs_order(graph, 0, clew.dfs_order(graph, 0, whole=whole), whole=whole)
    found = clew.condensation(graph)
    clew.verify.condensation(graph, found)
    clew.verify.topological_order(found.graph, clew.topological_order(found.graph))


@pytest.mark.quick
def test_a_cycle_is_reported_by_name():
    graph = clew.Graph.from_edges(["a", "b", "c", "d", "d"], ["b", "c", "b", "a", "e"])
    with pytest.raises(CycleError, match="'b' -> 'c' -> 'b' is a cycle of 2 edges") as caught:
        clew.topological_order(graph)
    assert caught.value.cycle == ["b", "c"]
    assert "clew.condensation" in str(caught.value)
    with pytest.raises(CycleError, match="use a directed graph"):
        clew.topological_order(clew.generate.path(3))
    with pytest.raises(CycleError, match="9 -> … is a cycle of 30 edges"):
        clew.topological_order(clew.Graph.from_edges(np.arange(30), (np.arange(30) + 1) % 30))


@pytest.mark.quick
def test_a_search_goes_deep_first():
    graph = clew.Graph.from_edges([0, 0, 1, 2, 4], [2, 1, 3, 1, 0])
    found = clew.dfs_order(graph, 0)
    assert found.preorder.tolist() == [0, 1, 3, 2, -1]
    assert found.path_to(3) == [0, 1, 3]
    assert clew.dfs_order(graph, 0, whole=True).num_reached == 5
    wrong = clew.dfs_order(graph, 0)
    wrong.values["preorder"] = np.array([0, 1, 2, 3, -1])  # breadth first
    wrong.values["postorder"] = np.array([3, 1, 0, 2, -1])
    with pytest.raises(VerificationError):
        clew.verify.dfs_order(graph, 0, wrong)


def test_wrong_orders_and_components_are_noticed():
    graph = clew.Graph.from_edges([0, 1, 2], [1, 2, 1])
    found = clew.condensation(graph)
    found.values["component"] = np.array([1, 0, 0])
    found.facts["sizes"] = np.array([2, 1])
    with pytest.raises(VerificationError, match="an edge leads to its own component or to a later one"):
        clew.verify.condensation(graph, found)
    graph = clew.Graph.from_edges([0, 1], [1, 2])
    order = clew.topological_order(graph)
    order.values["generation"] = np.array([0, 1, 1])
    with pytest.raises(VerificationError, match="a generation is one more"):
        clew.verify.topological_order(graph, order)
