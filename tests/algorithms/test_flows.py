"""Maximum flows and minimum cuts, compared with NetworkX and with their checkers."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew.errors import GraphError, VerificationError
from tests.algorithms.weighted import weighted_graphs

PIPES = clew.Graph.from_edges(["a", "a", "b", "b", "c"], ["b", "c", "c", "d", "d"], [3, 2, 1, 1, 4])


@pytest.mark.parametrize("dtype", ["int32", "float64"])
@settings(max_examples=30)
@given(weighted_graphs("int32", 0, 9))
def test_the_values_of_networkx(dtype, graph):
    sink = graph.num_vertices - 1
    if sink == 0:
        return
    graph = graph.with_weights((graph.weights * (0.1 if dtype == "float64" else 1)).astype(dtype))
    found, cut = clew.maximum_flow(graph, 0, sink), clew.minimum_cut(graph, 0, sink)
    clew.verify.maximum_flow(graph, 0, sink, found)
    clew.verify.minimum_cut(graph, 0, sink, cut)
    other = nx.DiGraph() if graph.directed else nx.Graph()
    other.add_nodes_from(range(graph.num_vertices))
    for u, v, capacity in zip(*(array.tolist() for array in graph.edges()), strict=True):
        before = other.get_edge_data(u, v, {"capacity": 0})["capacity"]
        other.add_edge(u, v, capacity=before + capacity)
    assert found.value == pytest.approx(nx.maximum_flow_value(other, 0, sink))
    assert cut.value == found.value


@pytest.mark.quick
def test_known_answers():
    found = clew.maximum_flow(PIPES, "a", "d")
    assert (found.value, found.flow.dtype) == (4, np.int64)
    found = clew.maximum_flow(clew.generate.path(4), 3, 0)
    assert found.flow.tolist() == [-1, -1, -1]  # against the order of the ends
    cut = clew.minimum_cut(PIPES.with_weights(None), "a", "d")
    assert (cut.value, int(cut.cut.sum())) == (2, 2)
    assert clew.maximum_flow(clew.Graph.from_edges([1], [0]), 0, 1).value == 0


def test_wrong_flows_and_cuts_are_noticed():
    found = clew.maximum_flow(PIPES, "a", "d")
    for flow, value, rule in (
        ([0, 0, 0, 0, 0], 0, "no path takes more"),
        ([9, 2, 1, 1, 3], 11, "keeps to the capacity"),
        ([3, 2, 1, 1, 3], 5, "flows out of it"),
        ([2, 2, 1, 1, 3], 5, "what leaves the source"),
    ):
        found.values["flow"], found.facts["value"] = np.array(flow), value
        with pytest.raises(VerificationError, match=rule):
            clew.verify.maximum_flow(PIPES, "a", "d", found)
    cut = clew.minimum_cut(PIPES, "a", "d")
    cut.values["side"], cut.facts["cut"] = (
        np.array([True, False, False, False]),
        np.array([True, True, False, False, False]),
    )
    with pytest.raises(VerificationError, match="the cut has the flow's value"):
        clew.verify.minimum_cut(PIPES, "a", "d", cut)


@pytest.mark.parametrize(
    ("weights", "ends", "problem"),
    [
        (None, ("a", "a"), "source and sink are both 'a'"),
        (None, ("a",), "Pass sink"),
        ([1, 2, -3, 4, 5], ("a", "d"), "the smallest weight is -3"),
        ([1, 2, np.inf, 4, 5], ("a", "d"), "capacities are finite"),
        ([2**60] * 5, ("a", "d"), r"more than 2\*\*61"),
    ],
)
def test_what_cannot_flow_is_refused(weights, ends, problem):
    with pytest.raises(GraphError, match=problem):
        clew.maximum_flow(PIPES.with_weights(weights), *ends)


def test_a_large_grid():
    graph = clew.generate.random_weights(clew.generate.grid(40, 50), 1, 99, seed=1, dtype="int32")
    found = clew.maximum_flow(graph, 820, 1230)
    clew.verify.maximum_flow(graph, 820, 1230, found)
    assert found.iterations > 3
