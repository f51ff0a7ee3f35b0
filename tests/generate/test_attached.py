"""Uniform graphs, preferential attachment and small worlds: counts, degrees, distributions, arguments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.generate import barabasi_albert, complete, cycle, small_world, uniform
from tests.generate.test_random import chi_square


def pairs(graph: clew.Graph) -> set[tuple[int, int]]:
    source, target, _ = graph.edges()
    return set(zip(source.tolist(), target.tolist(), strict=True))


# ---------------------------------------------------------------------- uniform


@pytest.mark.parametrize(("n", "m"), [(0, 0), (1, 0), (1, 5), (2, 10), (100, 1000)])
def test_uniform_counts(n, m):
    graph = uniform(n, m)
    assert (graph.num_vertices, graph.num_edges, graph.directed) == (n, m, True)


def test_uniform_endpoints_are_uniform():
    graph = uniform(97, 100_000, seed=2)
    assert abs(chi_square(graph.degrees("out"), 100_000 / 97)) < 5
    assert abs(chi_square(graph.degrees("in"), 100_000 / 97)) < 5
    assert abs(chi_square(graph.to_scipy().toarray().ravel(), 100_000 / 97**2)) < 5


def test_uniform_undirected_and_simple():
    graph = uniform(50, 2000, directed=False, duplicates="drop", loops="drop")
    assert graph.num_loops == 0
    assert graph.num_edges == len(pairs(graph)) <= 50 * 49 // 2


@pytest.mark.parametrize(("n", "m", "words"), [(-1, 0, "num_vertices"), (3, -1, "num_edges"), (0, 1, "vertex")])
def test_uniform_bad_arguments(n, m, words):
    with pytest.raises(clew.GraphError, match=words):
        uniform(n, m)


def test_uniform_too_large():
    with pytest.raises(clew.ResourceError, match="bytes"):
        uniform(10, 10**15)


# ---------------------------------------------------------------------- preferential attachment


@settings(max_examples=40, deadline=None)
@given(m=st.integers(1, 9), more=st.integers(1, 300), seed=st.integers(0, 1000))
def test_attachment_counts(m, more, seed):
    n = m + more
    graph = barabasi_albert(n, m, seed=seed)
    assert graph.num_vertices == n
    assert graph.num_edges == m * (m + 1) // 2 + (n - m - 1) * m
    assert graph.num_loops == 0
    assert graph.degrees().min() >= m
    assert graph.degrees().sum() == 2 * graph.num_edges
    # Every vertex after the seed brings m edges to earlier vertices.
    source, target, _ = graph.edges()
    assert np.array_equal(np.bincount(target, minlength=n)[m + 1 :], np.full(n - m - 1, m))
    assert np.all(source < target)


def test_attachment_starts_as_a_complete_graph():
    assert barabasi_albert(2, 1) == complete(2)
    assert barabasi_albert(6, 5) == complete(6)


def test_attachment_prefers_high_degrees():
    """The expected share of vertices of degree k is 2m(m+1) / (k(k+1)(k+2))."""
    m, n = 2, 100_000
    degrees = barabasi_albert(n, m, seed=4).degrees()
    for k in range(m, 8):
        assert np.mean(degrees == k) == pytest.approx(2 * m * (m + 1) / (k * (k + 1) * (k + 2)), abs=0.01)
    assert degrees.max() > 20 * m


def test_attachment_of_the_first_new_vertex_is_uniform():
    """Before it, all three have the same degree."""
    chosen = [v for seed in range(500) for v in barabasi_albert(4, 2, seed=seed).neighbors(3)]
    assert len(chosen) == 1000
    assert abs(chi_square(np.bincount(chosen, minlength=3), 1000 / 3)) < 5


def test_attachment_without_duplicates():
    graph = barabasi_albert(200, 5, duplicates="drop")
    assert graph.num_edges == len(pairs(graph))


@pytest.mark.parametrize(("n", "m"), [(3, 3), (0, 1), (5, 0), (5, -1), (-1, 1)])
def test_attachment_bad_arguments(n, m):
    with pytest.raises(clew.GraphError):
        barabasi_albert(n, m)


# ---------------------------------------------------------------------- small worlds


@pytest.mark.parametrize(("n", "k"), [(0, 0), (1, 0), (5, 0), (3, 2), (10, 4), (11, 10), (101, 6)])
def test_ring_lattice(n, k):
    graph = small_world(n, k, 0)
    wanted = {tuple(sorted((u, (u + j) % n))) for u in range(n) for j in range(1, k // 2 + 1)}
    assert pairs(graph) == wanted
    assert np.all(graph.degrees() == k)


def test_ring_of_two_neighbors_is_a_cycle():
    assert small_world(17, 2, 0) == cycle(17)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(3, 60), data=st.data(), rewire=st.floats(0, 1), seed=st.integers(0, 1000))
def test_small_world_is_simple(n, data, rewire, seed):
    half = data.draw(st.integers(1, (n - 1) // 2))
    graph = small_world(n, 2 * half, rewire, seed=seed)
    assert graph.num_vertices == n
    assert graph.num_edges == n * half == len(pairs(graph))
    assert graph.num_loops == 0
    assert graph.degrees().min() >= half


def test_small_world_rewires_as_many_as_asked():
    n, k = 5000, 10
    lattice = pairs(small_world(n, k, 0))
    for rewire in (0.1, 0.5, 1.0):
        moved = len(pairs(small_world(n, k, rewire, seed=1)) - lattice)
        assert moved / (n * k / 2) == pytest.approx(rewire, abs=0.02)


def test_new_ends_are_uniform():
    n, k = 491, 10
    source, target, _ = small_world(n, k, 1.0, seed=2).edges()
    distance = np.minimum((target - source) % n, (source - target) % n)
    far = distance[distance > k // 2]  # the 240 distances 6…245, in 20 equal bins
    assert abs(chi_square(np.bincount((far - 6) // 12, minlength=20), far.size / 20)) < 5


@pytest.mark.parametrize(
    ("n", "k", "p", "words"),
    [
        (10, 3, 0.1, "even"),
        (4, 4, 0.1, "more vertices"),
        (10, -2, 0.1, "neighbors"),
        (10, 4, 1.5, "probability"),
        (10, 4, -0.5, "probability"),
        (-5, 4, 0.1, "num_vertices"),
        (2**31, 4, 0.1, "num_vertices"),
    ],
)
def test_small_world_bad_arguments(n, k, p, words):
    with pytest.raises(clew.GraphError, match=words):
        small_world(n, k, p)
