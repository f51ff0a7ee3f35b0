"""Louvain and Leiden: every community is valid, good and, by Leiden, connected; the same for any number of threads."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from tests.algorithms.graphs import LARGE, graphs, thread_count
from tests.algorithms.weighted import weighted_graphs

BOTH = ("leiden", "louvain")


def checked(name, graph, **options):
    result = getattr(clew, name)(graph, **options, device="cpu")
    getattr(clew.verify, name)(graph, result, **{key: options[key] for key in options if key == "resolution"})
    return result


@pytest.mark.parametrize("name", BOTH)
@settings(max_examples=60, deadline=None)
@given(graph=graphs(), resolution=st.sampled_from([0.0, 0.5, 1.0, 3.0]))
def test_small_graphs(name, graph, resolution):
    checked(name, graph, resolution=resolution, hierarchy=True)


@settings(max_examples=40, deadline=None)
@given(graph=weighted_graphs("float32", 0, 9), seed=st.integers(0, 3))
def test_weights_and_seeds(graph, seed):
    checked("leiden", graph, seed=seed, hierarchy=True)


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("shape", ["kronecker", "rmat, directed", "grid"])
def test_the_number_of_threads_changes_nothing(name, shape):
    graph = LARGE[shape]()
    with thread_count(1):
        first = checked(name, graph)
    for count in (2, 3):
        with thread_count(count):
            other = checked(name, graph)
        np.testing.assert_array_equal(first.community, other.community)
        assert first.modularity == other.modularity


def test_the_communities_of_known_graphs():
    cliques = nx.ring_of_cliques(12, 6)
    graph = clew.Graph.from_networkx(cliques)
    assert checked("leiden", graph).count == 12
    club = clew.leiden(clew.Graph.from_networkx(nx.karate_club_graph(), weight=None), max_iterations=10)
    assert club.modularity == pytest.approx(0.4198, abs=0.003)  # the maximum
    debian = clew.datasets.debian()
    assert clew.leiden(debian).modularity > 0.70  # igraph's Leiden: 0.71


@settings(max_examples=40, deadline=None)
@given(graph=graphs(min_vertices=1), data=st.data())
def test_modularity_is_that_of_networkx(graph, data):
    label = np.array(data.draw(st.lists(st.integers(-2, 3), min_size=graph.num_vertices, max_size=graph.num_vertices)))
    other = nx.MultiGraph()
    other.add_nodes_from(range(graph.num_vertices))
    source, target, _ = graph.edges()
    other.add_edges_from(zip(source.tolist(), target.tolist(), strict=True))
    ours = clew.modularity(graph, label, resolution=1.5)
    if graph.num_edges == 0:
        assert np.isnan(ours)
        return
    sets = [set(np.flatnonzero(label == each).tolist()) for each in np.unique(label)]
    assert ours == pytest.approx(nx.community.modularity(other, sets, resolution=1.5, backend="networkx"), abs=1e-12)


def test_the_largest_community_is_the_first():
    graph = clew.Graph.from_edges(list("abcdefgh"), list("bcaefgdd"), directed=False)
    found = clew.leiden(graph, hierarchy=True)
    assert np.bincount(found.community).tolist() == [5, 3]
    assert found.of("a") == 1
    np.testing.assert_array_equal(found.hierarchy[-1], found.community)
    assert clew.modularity(graph, found) == found.modularity


def test_wrong_arguments_get_a_sentence():
    graph = clew.generate.path(3)
    with pytest.raises(clew.GraphError, match="resolution is -1"):
        clew.leiden(graph, resolution=-1)
    with pytest.raises(clew.GraphError, match="seed is -1"):
        clew.louvain(graph, seed=-1)
    with pytest.raises(clew.GraphError, match="the smallest weight is -1"):
        clew.leiden(graph.with_weights([-1, -1, 2, 2]))
    with pytest.raises(clew.GraphError, match="1 weight is NaN or infinite"):
        clew.louvain(graph.with_weights([np.nan, np.nan, 2, 2]))
    with pytest.raises(clew.GraphError, match="communities has shape"):
        clew.modularity(graph, [0, 1])
    with pytest.raises(clew.GraphError, match="the result of bfs has no community"):
        clew.modularity(graph, clew.bfs(graph, 0))
    with pytest.raises(clew.GraphError, match=r"the graph is of type str"):
        clew.modularity("graph", [0, 1])
