"""Truss numbers, compared with NetworkX and with their checker."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew.errors import VerificationError
from tests.algorithms.graphs import as_networkx, graphs


@settings(max_examples=30)
@given(graphs())
def test_the_trusses_of_networkx(graph):
    found = clew.k_truss(graph)
    clew.verify.k_truss(graph, found)
    other = nx.Graph(as_networkx(graph))
    other.remove_edges_from(list(nx.selfloop_edges(other)))
    for k in (2, 3, 4):
        edges = {frozenset(edge) for edge in found.names_of(np.flatnonzero(found.truss >= k))}
        assert edges == {frozenset(edge) for edge in nx.k_truss(other, k).edges}


def test_a_large_graph_with_hubs():
    graph = clew.generate.rmat(10, 12, seed=3, directed=False)
    found = clew.k_truss(graph)
    clew.verify.k_truss(graph, found)
    assert found.largest == found.truss.max() > 5


@pytest.mark.quick
def test_known_answers():
    graph = clew.Graph.from_edges([0, 0, 0, 1, 1, 2, 3, 4, 4], [1, 2, 3, 2, 3, 3, 4, 4, 3])
    found = clew.k_truss(graph)
    assert found.truss.tolist() == [4, 4, 4, 4, 4, 4, 2, 2, 0]
    found.values["truss"] = np.full(9, 2)
    with pytest.raises(VerificationError, match="a truss number is the largest k"):
        clew.verify.k_truss(graph, found)
