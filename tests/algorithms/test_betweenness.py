"""Betweenness, against its checker, NetworkX and known answers."""

from __future__ import annotations

import random
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError, Result, VerificationError
from clew.algorithms.betweenness import cpu
from tests.algorithms.graphs import LARGE, as_networkx, graphs, thread_count


@settings(max_examples=60, deadline=None)
@given(graphs(), st.booleans())
def test_small_graphs(graph, normalized):
    result = clew.betweenness(graph, normalized=normalized)
    clew.verify.betweenness(graph, result, normalized=normalized)
    expected = nx.betweenness_centrality(as_networkx(graph), normalized=normalized)
    np.testing.assert_allclose(result.centrality, list(expected.values()), rtol=1e-12, atol=1e-15)


@settings(max_examples=40, deadline=None)
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
        ({"samples": [1, 2, 1]}, "no vertex twice"),
        ({"samples": [4]}, "4 is not a vertex"),
        ({"samples": "b"}, "expected several vertices"),
        ({"samples": 2, "seed": -1}, "seed is -1"),
        ({"device": "tpu"}, "device is 'tpu'"),
    ],
)
def test_errors(options, message):
    with pytest.raises(GraphError, match=message):
        clew.betweenness(clew.generate.path(4), **options)


def exact_centrality(graph: clew.Graph) -> list[Fraction]:
    """By the definition, in integers and fractions: an undirected graph's, not normalized."""
    n = graph.num_vertices
    rows = [graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist() for v in range(n)]
    depth = [[-1] * n for _ in range(n)]
    paths = [[0] * n for _ in range(n)]
    for s in range(n):
        depth[s][s], paths[s][s], queue = 0, 1, [s]
        for u in queue:
            for v in rows[u]:
                if depth[s][v] < 0:
                    depth[s][v] = depth[s][u] + 1
                    queue.append(v)
                if depth[s][v] == depth[s][u] + 1:
                    paths[s][v] += paths[s][u]
    total = [Fraction(0)] * n
    for s in range(n):
        for t in range(s):
            for v in range(n):
                if v not in (s, t) and depth[s][v] + depth[v][t] == depth[s][t]:
                    total[v] += Fraction(paths[s][v] * paths[v][t], paths[s][t])
    return total


@pytest.mark.parametrize("exponent", [12, 7, 4, 2, 1])
@pytest.mark.parametrize("count", [1, 2], ids="{} threads".format)
def test_scaled_counts_against_exact_fractions(monkeypatch, exponent, count):
    graph = clew.generate.grid(7, 9)  # up to 3,003 paths, and always one along the border
    plain = clew.betweenness(graph, normalized=False).centrality
    expected = [float(value) for value in exact_centrality(graph)]
    monkeypatch.setattr(cpu, "LARGE", 2.0**exponent)
    with thread_count(count):
        scaled = clew.betweenness(graph, normalized=False).centrality
    np.testing.assert_allclose(scaled, expected, rtol=1e-14)
    if exponent >= 7:  # nothing falls below 2^-7: only powers of two were taken out, so no bit differs
        np.testing.assert_array_equal(scaled, plain)


def test_a_team_scales_as_one_does(monkeypatch):
    graph = clew.generate.grid(600, 600)  # levels of more than 512 vertices are shared
    expected = clew.betweenness(graph, samples=[0]).centrality
    monkeypatch.setattr(cpu, "LARGE", 2.0**550)
    for count in (1, 2):  # one source and two threads: a team
        with thread_count(count):
            np.testing.assert_array_equal(clew.betweenness(graph, samples=[0]).centrality, expected)


def diamonds(steps: int) -> tuple[np.ndarray, np.ndarray]:
    """A chain of diamonds from vertex 0 to 3 · steps; every one doubles the paths."""
    start = np.arange(steps) * 3
    source = np.concatenate([start, start, start + 1, start + 2])
    return source, np.concatenate([start + 1, start + 2, start + 3, start + 3])


@pytest.mark.parametrize("directed", [True, False])
def test_more_paths_than_a_float_can_count(directed):
    graph = clew.Graph.from_edges(*diamonds(5000), directed=directed)  # up to 2^5000 paths
    result = clew.betweenness(graph, samples=[0], normalized=False)
    clew.verify.betweenness(graph, result, normalized=False)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("count", [1, 2])
def test_counts_too_far_apart_for_any_scale(directed, count):
    source, target = diamonds(2500)
    last = int(target.max())
    path = np.arange(last + 1, last + 5000)  # beside the diamonds, with one path to each of its vertices
    source, target = np.concatenate([source, [0], path[:-1]]), np.concatenate([target, path[:1], path[1:]])
    graph = clew.Graph.from_edges(source, target, directed=directed)
    with thread_count(count):
        result = clew.betweenness(graph, samples=[0, 3], normalized=False)
    clew.verify.betweenness(graph, result, normalized=False)


def test_a_grid_with_more_paths_than_a_float_can_count():
    graph = clew.generate.grid(540, 540)
    clew.verify.betweenness(graph, clew.betweenness(graph, samples=[0]))


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
