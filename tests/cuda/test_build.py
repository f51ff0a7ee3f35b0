"""Rows turned round on the device, and copies that go with their graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew.engines.choice import gpu_for
from clew.engines.cuda.memory.device_graph import incoming_on, rows_on
from clew.engines.cuda.memory.device_rows import transposed
from clew.engines.cuda.memory.ledger import forget_all, ledger_of
from tests.algorithms.graphs import graphs


@pytest.fixture
def device():
    return gpu_for("emulated", 0)


def check_same(device, rows, expected):
    assert np.array_equal(device.download(rows.offsets), expected.indptr)
    assert np.array_equal(device.download(rows.neighbours), expected.indices)
    assert rows.neighbours.dtype == expected.indices.dtype
    if expected.weights is None or rows.weights is None:
        assert rows.weights is None
    else:
        assert np.array_equal(device.download(rows.weights), expected.weights)


@settings(max_examples=40, deadline=None)
@given(graph=graphs(directed=True))
def test_in_edges_are_those_of_the_host(graph):
    device = gpu_for("emulated", 0)
    turned = incoming_on(device, graph)
    check_same(device, turned, clew.Graph(graph.outgoing).incoming)
    assert incoming_on(device, graph) is turned


def test_weights_come_along(device):
    graph = clew.Graph.from_edges([0, 0, 2, 2, 1], [1, 1, 0, 1, 1], [5.0, 4.0, 3.0, 2.0, 1.0])
    check_same(device, transposed(device, rows_on(device, graph.outgoing)), clew.Graph(graph.outgoing).incoming)
    bare = incoming_on(device, graph, weights=False)
    assert bare.weights is None
    full = incoming_on(device, graph)
    assert full.weights is not None
    assert incoming_on(device, graph, weights=False).weights is None


def test_copies_go_with_their_graph(device):
    forget_all()
    graph = clew.generate.rmat(6, 4, seed=1)
    first = rows_on(device, graph.outgoing)
    assert rows_on(device, graph.outgoing) is first
    graphs = ledger_of(device).graphs
    assert [kept.edges is not None for kept in graphs.values()].count(True) == 1
    del graph
    assert not any(kept.edges is not None for kept in graphs.values())
