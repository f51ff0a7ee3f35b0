"""Weighted betweenness and the betweenness of edges, compared with NetworkX and their checkers."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError, VerificationError, verify
from tests.algorithms.graphs import thread_count
from tests.algorithms.weighted import weighted_graphs

SOME = clew.generate.random_weights(clew.generate.rmat(6, 4, seed=2, duplicates="drop", loops="drop"), 1, 4, seed=1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_the_numbers_of_networkx(directed, weighted):
    graph = SOME if directed else SOME.symmetrized()
    other = clew.Graph.to_networkx(graph)
    options = {"weight": "weight" if weighted else None, "normalized": directed}
    expected = nx.edge_betweenness_centrality(other, **options)
    found = clew.edge_betweenness(graph, weighted=weighted, normalized=directed)
    assert found.to_dict() == pytest.approx({edge: expected[edge] for edge in found.to_dict()})
    assert len(found) == len(expected)
    found = clew.betweenness(graph, weighted=weighted, normalized=directed)
    assert found.to_dict() == pytest.approx(nx.betweenness_centrality(other, **options))


@settings(max_examples=25, deadline=None)
@given(weighted_graphs("float64", 1, 3), st.booleans())
def test_small_graphs(graph, weighted):
    for name in ("betweenness", "edge_betweenness"):
        find, check = getattr(clew, name), getattr(verify, name)
        found = find(graph, weighted=weighted)
        check(graph, found, weighted=weighted)
        other = find(graph, weighted=weighted, device="reference")
        np.testing.assert_allclose(found.centrality, other.centrality, rtol=1e-9, atol=1e-12)


def test_any_number_of_threads():
    found = []
    for count in (1, 2, 5):
        with thread_count(count):
            found.append(clew.edge_betweenness(SOME, weighted=True, samples=20, seed=1).centrality)
            np.testing.assert_array_equal(found[-1], found[0])


def test_more_paths_than_a_float_can_count():
    graph = clew.generate.grid(600, 600)
    lengths = graph.with_weights(np.ones(graph.num_arcs))
    plain, found = clew.betweenness(graph, samples=[0]), clew.betweenness(lengths, samples=[0], weighted=True)
    np.testing.assert_allclose(found.centrality, plain.centrality, rtol=1e-12)


def test_parallel_edges_share_and_longer_ones_have_nothing():
    graph = clew.Graph.from_edges([0, 0, 0, 1], [1, 1, 1, 1], [2.0, 2.0, 5.0, 1.0])
    assert clew.edge_betweenness(graph, weighted=True).centrality.tolist() == [0.25, 0.25, 0.0, 0.0]
    assert clew.edge_betweenness(graph).centrality.round(3).tolist() == [0.167, 0.167, 0.167, 0.0]


@pytest.mark.parametrize("find", [clew.betweenness, clew.edge_betweenness])
def test_weights_must_be_lengths(find):
    graph = clew.Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(GraphError, match=rf"{find.__name__}\(weighted=True\) needs edge weights"):
        find(graph, weighted=True)
    with pytest.raises(GraphError, match=r"the smallest weight is 0; .* needs weights above 0"):
        find(graph.with_weights([1, 0]), weighted=True)
    with pytest.raises(GraphError, match="is exact up to"):
        find(graph.with_weights([1, 2**60]), weighted=True)


def test_the_checker_finds_what_is_wrong():
    found = clew.edge_betweenness(SOME)
    found.values["centrality"] = found.centrality * 1.001
    with pytest.raises(VerificationError, match="fraction of shortest paths that use the edge"):
        verify.edge_betweenness(SOME, found)
