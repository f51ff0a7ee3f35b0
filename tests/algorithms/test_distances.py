"""Closeness, harmonic centrality and eccentricities, compared with NetworkX and with their checkers."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew import verify
from tests.algorithms.graphs import graphs

ALGORITHMS = ("closeness", "harmonic", "eccentricity")


def as_networkx(graph):
    made = nx.MultiDiGraph() if graph.directed else nx.MultiGraph()
    made.add_nodes_from(range(graph.num_vertices))
    source, target, weights = graph.edges()
    made.add_weighted_edges_from(zip(source.tolist(), target.tolist(), weights.tolist(), strict=True), "length")
    return made


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_the_numbers_of_networkx(directed, weighted):
    graph = clew.generate.rmat(6, 4, seed=2)
    graph = clew.generate.random_weights(graph if directed else graph.symmetrized(), 1, 9, seed=1)
    other, length = as_networkx(graph), "length" if weighted else None
    found = clew.closeness(graph, weighted=weighted).centrality
    np.testing.assert_allclose(found, [*nx.closeness_centrality(other, distance=length).values()], rtol=1e-12)
    found = clew.harmonic(graph, weighted=weighted, normalized=False).centrality
    expected = nx.harmonic_centrality(other, distance=length)
    np.testing.assert_allclose(found, [expected[node] for node in other], rtol=1e-12)
    farthest = clew.eccentricity(graph, weighted=weighted)
    lengths = dict(nx.all_pairs_dijkstra_path_length(other, weight=length))
    assert farthest.eccentricity.tolist() == [max(lengths[node].values()) for node in other]
    assert farthest.diameter == farthest.eccentricity.max()


@settings(max_examples=15)
@given(graphs())
def test_small_graphs(graph):
    graph = graph.with_weights(None)
    for name in ALGORITHMS:
        getattr(verify, name)(graph, getattr(clew, name)(graph))


def test_bounds_find_every_eccentricity_in_a_few_searches():
    found = clew.eccentricity(clew.generate.grid(30, 40))
    assert (found.diameter, found.radius) == (68, 35)
    assert found.iterations < 40


def test_samples_are_an_estimate_that_the_checker_accepts():
    graph = clew.generate.rmat(8, 8, seed=1)
    for name in ALGORITHMS[:2]:
        find = getattr(clew, name)
        some, same = find(graph, samples=40, seed=3), find(graph, samples=40, seed=3)
        getattr(verify, name)(graph, some)
        np.testing.assert_array_equal(some.centrality, same.centrality)
        every = find(graph).centrality
        assert abs(np.mean(some.centrality - every)) < 0.05
        alone = find(graph, samples=[5])
        assert np.isnan(alone.centrality[5])
        assert np.isnan(alone.centrality).sum() == 1


@pytest.mark.parametrize("name", ALGORITHMS)
def test_weights_must_be_lengths(name):
    graph = clew.Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(clew.GraphError, match=rf"{name}\(weighted=True\) needs edge weights"):
        getattr(clew, name)(graph, weighted=True)
    with pytest.raises(clew.GraphError, match="smallest weight is -2"):
        getattr(clew, name)(graph.with_weights([1, -2]), weighted=True)


def test_an_empty_graph_has_no_distances():
    empty = clew.Graph.from_edges([], [], num_vertices=0)
    assert clew.closeness(empty).centrality.size == clew.harmonic(empty).centrality.size == 0
    assert (clew.eccentricity(empty).diameter, clew.eccentricity(empty).radius) == (0, 0)
