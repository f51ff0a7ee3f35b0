"""Betweenness, against its checker, NetworkX and known answers."""

from __future__ import annotations

import random

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError, Result, VerificationError
from tests.algorithms.graphs import LARGE, as_networkx, graphs, thread_count


@settings(max_examples=150, deadline=None)
@given(graphs(), st.booleans())
def test_small_graphs(graph, normalized):
    result = clew.betweenness(graph, normalized=normalized)
    clew.verify.betweenness(graph, result, normalized=normalized)
    expected = nx.betweenness_centrality(as_networkx(graph), normalized=normalized)
    np.testing.assert_allclose(result.centrality, list(expected.values()), rtol=1e-12, atol=1e-15)


@settings(max_examples=100, deadline=None)
@given(graphs(min_vertices=3), st.booleans(), st.data())
def test_samples_are_scaled_as_in_networkx(graph, normalized, data):
    count = data.draw(st.integers(1, graph.num_vertices))
    seed = data.draw(st.integers(0, 5))
    other = as_networkx(graph)
    chosen = random.Random(seed).sample(list(other.nodes()), count)  # as NetworkX draws them
    result = clew.betweenness(graph, samples=chosen, normalized=normalized)
    expected = nx.betweenness_centrality(other, k=count, normalized=normalized, seed=seed)
    np.testing.assert_allclose(result.centrality, list(expected.values()), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", ["kronecker", "rmat, directed", "grid", "star", "uniform"])
def test_large_graphs(name):
    graph = LARGE[name]()
    results = []
    for count in (1, 2, 5):  # with 5, the team shares each search; with 1 and 2, each searches on its own
        with thread_count(count):
            results.append(clew.betweenness(graph, samples=4, seed=7))
    clew.verify.betweenness(graph, results[0])
    for other in results[1:]:
        np.testing.assert_array_equal(other.centrality, results[0].centrality)
        np.testing.assert_array_equal(other.sources, results[0].sources)


def test_all_sources_for_any_number_of_threads():
    graph = clew.generate.grid(15, 20, delete=0.1, seed=3)
    results = []
    for count in (1, 2, 5):
        with thread_count(count):
            results.append(clew.betweenness(graph).centrality)
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])
    np.testing.assert_allclose(results[0], list(nx.betweenness_centrality(as_networkx(graph)).values()), rtol=1e-10)


def test_known_answers():
    assert clew.betweenness(clew.generate.star(5)).centrality.tolist() == [1, 0, 0, 0, 0]
    assert clew.betweenness(clew.generate.cycle(5), normalized=False).centrality.tolist() == [1] * 5
    assert clew.betweenness(clew.generate.path(2)).centrality.tolist() == [0, 0]
    assert clew.betweenness(clew.Graph.from_edges([], [])).centrality.size == 0


def test_weights_loops_and_duplicates_are_ignored():
    plain = clew.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], directed=False)
    expected = [0.5, 0.5, 0.5, 0.5]
    assert clew.betweenness(plain, normalized=False).centrality.tolist() == expected
    more = clew.Graph.from_edges([0, 0, 0, 1, 1, 2, 2], [1, 1, 2, 3, 1, 3, 2], [9, 1, 1, 1, 1, 1, 1], directed=False)
    assert clew.betweenness(more, normalized=False).centrality.tolist() == expected


def test_karate_club(shared_data):
    graph = clew.read(shared_data / "lagraph" / "karate.mtx")
    expected = nx.betweenness_centrality(nx.karate_club_graph(), weight=None)
    np.testing.assert_allclose(clew.betweenness(graph).centrality, list(expected.values()), rtol=1e-12)


def test_names_seeds_and_a_single_sample():
    graph = clew.Graph.from_edges(["a", "b", "c"], ["b", "c", "d"], directed=False)
    result = clew.betweenness(graph, samples=["a"])
    assert np.isnan(result.of("a"))
    assert [result.of(name) for name in "bcd"] == [1.0, 0.5, 0.0]
    large = clew.generate.path(500)
    first, again, other = (clew.betweenness(large, samples=10, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.sources, again.sources)
    assert first.sources.tolist() != other.sources.tolist()
    assert np.unique(first.sources).size == 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samples": 0}, "samples is 0; expected 1 to 4"),
        ({"samples": 5}, "samples is 5; expected 1 to 4"),
        ({"samples": []}, "samples has 0 vertices"),
        ({"samples": [1, 2, 1]}, "none of them twice"),
        ({"samples": [4]}, "4 is not a vertex"),
        ({"samples": "b"}, "expected several vertices"),
        ({"samples": 2, "seed": -1}, "seed is -1"),
        ({"device": "tpu"}, "device is 'tpu'"),
    ],
)
def test_errors(options, message):
    with pytest.raises(GraphError, match=message):
        clew.betweenness(clew.generate.path(4), **options)


def test_more_paths_than_a_float_can_count_are_refused():
    # A chain of diamonds doubles the paths at every step.
    steps = np.arange(1100) * 3
    source = np.concatenate([steps, steps, steps + 1, steps + 2])
    target = np.concatenate([steps + 1, steps + 2, steps + 3, steps + 3])
    graph = clew.Graph.from_edges(source, target)
    clew.betweenness(graph, samples=[1500])
    with pytest.raises(GraphError, match=r"more than 1\.8e308 shortest paths"):
        clew.betweenness(graph, samples=[0])


@pytest.mark.parametrize(
    ("centrality", "sources", "rule"),
    [
        ([0, 0.5, 0.6, 0], [0, 1, 2, 3], "fraction of shortest paths"),
        ([0, 2 / 3, float("nan"), 0], [0, 1, 2, 3], "fraction of shortest paths"),
        ([0, 2 / 3, 2 / 3, 0], [0, 1, 2], "fraction of shortest paths"),
        ([0, 2 / 3, 2 / 3, 0], [0, 1, 2, 2], "no source is there twice"),
        ([0, 2 / 3, 2 / 3, 0], [0, 1, 2, 4], "a source is a vertex"),
        ([0, 2 / 3, 2 / 3], [0, 1, 2, 3], "an entry for every vertex"),
    ],
)
def test_the_checker_finds_what_is_wrong(centrality, sources, rule):
    graph = clew.generate.path(4)
    clew.verify.betweenness(graph, clew.betweenness(graph))
    with pytest.raises(VerificationError, match=rule):
        clew.verify.betweenness(
            graph, Result("betweenness", {"centrality": np.array(centrality)}, facts={"sources": np.array(sources)})
        )
