"""Spanning forests: every engine takes the same edges, and the checker accepts all valid forests but no other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.errors import GraphError, VerificationError
from tests.algorithms.weighted import weighted_graphs

TIES = clew.Graph.from_edges([0, 1, 0, 2], [1, 2, 2, 3], [1, 1, 1, 5], directed=False)


@settings(max_examples=30)
@given(weighted_graphs("int32", -3, 3), st.booleans())
def test_every_engine_takes_the_same_edges(graph, maximum):
    found = clew.minimum_spanning_forest(graph, maximum=maximum, device="cpu")
    clew.verify.minimum_spanning_forest(graph, found, maximum=maximum)
    other = clew.minimum_spanning_forest(graph, maximum=maximum, device="reference")
    np.testing.assert_array_equal(found.member, other.member)


@pytest.mark.quick
def test_of_equal_edges_the_first_is_taken_and_others_pass_the_check():
    found = clew.minimum_spanning_forest(TIES)
    assert found.member.tolist() == [True, True, False, True]
    assert (found.weight, found.trees) == (7, 1)
    found.values["member"] = np.array([False, True, True, True])
    clew.verify.minimum_spanning_forest(TIES, found)
    found.values["member"] = np.array([True, True, True, False])
    with pytest.raises(VerificationError, match="unless better ones connect its ends already; broken 2 times"):
        clew.verify.minimum_spanning_forest(TIES, found)


@pytest.mark.parametrize("kind", ["uint8", "int32", "float32"])
def test_weights_are_ordered_as_numbers(kind):
    weights = np.array([3, 1, 2, 0]).astype(kind) - np.array(0 if kind == "uint8" else 2).astype(kind)
    graph = clew.Graph.from_edges([0, 1, 0, 0], [1, 2, 2, 2], weights, directed=False)
    assert clew.minimum_spanning_forest(graph).member.tolist() == [False, False, True, True]
    assert clew.minimum_spanning_forest(graph, maximum=True).member.tolist() == [True, True, False, False]


def test_a_large_graph_whose_light_edges_come_last():
    graph = clew.generate.random_weights(clew.generate.rmat(11, 16, seed=2, directed=False), 0, 1, seed=1)
    found = clew.minimum_spanning_forest(graph)
    clew.verify.minimum_spanning_forest(graph, found)
    assert found.trees == clew.connected_components(graph).count


@pytest.mark.quick
def test_an_edge_is_called_by_its_ends():
    graph = clew.Graph.from_edges(["a", "b", "a"], ["b", "c", "c"], [3, 1, 2], directed=False)
    graph = graph.with_edge_columns({"member": ["x", "y", "z"]})
    found = clew.minimum_spanning_forest(graph)
    assert found.top(1) == [(("a", "c"), True)]
    assert found.of(("c", "b")) is True
    assert found.to_dict() == {("a", "b"): False, ("a", "c"): True, ("b", "c"): True}
    assert found.to_arrow().column_names == ["source", "target", "weight", "edge_member", "member"]
    assert graph.with_edge_columns(found.values).edge_columns["member"].to_pylist() == [False, True, True]
    with pytest.raises(GraphError, match="expected its two vertices"):
        found.of("a")
    with pytest.raises(GraphError, match="no edge from 'b' to 'b'"):
        found.of(("b", "b"))


def test_weights_that_have_no_order_are_refused():
    with pytest.raises(GraphError, match=r"1 weight is NaN.* Drop those edges with graph\.filter_edges"):
        clew.minimum_spanning_forest(clew.Graph.from_edges([0], [1], [np.nan]))
