"""Shortest paths over negative weights, against their checker, NetworkX, SciPy and known cycles."""

from __future__ import annotations

import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError, NegativeCycleError, VerificationError
from tests.algorithms.graphs import LARGE, thread_count
from tests.algorithms.weighted import large, reachable, weighted_graphs
from tests.graph.strategies import SOME_DTYPES

UNREACHED = 2**63 - 1


def sum_of(graph, cycle):
    """The sum of weights along a cycle, by its lightest edges."""
    matrix = np.full((graph.num_vertices, graph.num_vertices), np.inf)
    np.minimum.at(matrix, (np.repeat(np.arange(graph.num_vertices), graph.degrees()), graph.indices), graph.weights)
    return sum(matrix[u, v] for u, v in zip(cycle, [*cycle[1:], cycle[0]], strict=True))


@settings(max_examples=80, deadline=None)
@given(weighted_graphs("int32", -2, 6) | weighted_graphs("float64", -2, 6), st.data())
def test_small_graphs(graph, data):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    try:
        expected = nx.single_source_bellman_ford_path_length(graph.to_networkx(), source)
    except nx.NetworkXUnbounded:
        with pytest.raises(NegativeCycleError, match="negative cycle") as caught:
            clew.bellman_ford(graph, source)
        cycle = caught.value.cycle
        assert len(set(cycle)) == len(cycle)
        assert sum_of(graph, cycle) < 0
        assert clew.bfs(graph, source).depth[cycle].min() >= 0
    else:
        result = clew.bellman_ford(graph, source, deterministic=data.draw(st.booleans()))
        clew.verify.bellman_ford(graph, source, result)
        assert reachable(result, "distance") == expected
        assert result.num_reached == len(expected)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("name", LARGE)
def test_large_graphs(name, threads):
    graph, source = large(name)
    with thread_count(threads):
        result = clew.bellman_ford(graph, source)
        steady = clew.bellman_ford(graph, source, deterministic=True)
    for found in (result, steady):
        clew.verify.bellman_ford(graph, source, found)
    np.testing.assert_array_equal(result.distance, clew.sssp(graph, source).distance)
    with thread_count(1):
        alone = clew.bellman_ford(graph, source, deterministic=True)
    np.testing.assert_array_equal(steady.parent, alone.parent)
    assert len(result.trace) == result.iterations


def shifted(name, seed=2):
    """A directed graph with negative weights but no negative cycle: every edge gets a difference of heights added."""
    graph = clew.generate.random_weights(LARGE[name](), 1, 255, seed=seed)
    height = np.random.default_rng(seed).integers(0, 1000, graph.num_vertices)
    start = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    weights = graph.weights + height[start] - height[graph.indices]
    return clew.Graph.from_csr(graph.indptr, graph.indices, weights), graph, height


@pytest.mark.parametrize("threads", [1, 5])
@pytest.mark.parametrize("name", ["rmat, directed", "grid", "kronecker"])
def test_negative_weights(name, threads):
    graph, plain, height = shifted(name)
    source = int(np.argmax(graph.degrees()))
    assert graph.weights.min() < 0
    with thread_count(threads):
        result = clew.bellman_ford(graph, source)
    clew.verify.bellman_ford(graph, source, result)
    reached = result.parent >= 0
    expected = clew.sssp(plain, source).distance[reached] + height[source] - height[reached]
    np.testing.assert_array_equal(result.distance[reached], expected)


@pytest.mark.parametrize("threads", [1, 5])
@pytest.mark.parametrize("name", ["rmat, directed", "grid"])
def test_a_planted_negative_cycle_is_found(name, threads):
    graph, _, height = shifted(name)
    source = int(np.argmax(graph.degrees()))
    depth = clew.bfs(graph, source).depth
    cycle = np.flatnonzero(depth > 2)[:5]
    start, end, weights = graph.edges()
    around = height[cycle] - height[np.roll(cycle, -1)]  # sums to 0
    around[0] -= 1
    planted = clew.Graph.from_edges(
        np.r_[start, cycle], np.r_[end, np.roll(cycle, -1)], np.r_[weights, around], graph.num_vertices
    )
    with thread_count(threads), pytest.raises(NegativeCycleError) as caught:
        clew.bellman_ford(planted, source)
    found = caught.value.cycle
    rows = {u: {} for u in found}
    for u, v, w in zip(*(part.tolist() for part in planted.edges()), strict=True):
        if u in rows:
            rows[u][v] = min(w, rows[u].get(v, w))
    assert sum(rows[u][v] for u, v in zip(found, [*found[1:], found[0]], strict=True)) < 0


def test_what_a_cycle_is_reported_as():
    graph = clew.Graph.from_edges(["a", "b", "c", "d"], ["b", "c", "b", "a"], [1, -5, 1, 1])
    with pytest.raises(
        NegativeCycleError, match=r"negative cycle of 2 edges is reachable.*: 'b' -> 'c' -> 'b'"
    ) as caught:
        clew.bellman_ford(graph, "a")
    assert caught.value.cycle == ["b", "c"]
    assert isinstance(caught.value, GraphError)
    undirected = clew.Graph.from_edges([0, 1], [1, 2], [3, -1], directed=False)
    with pytest.raises(NegativeCycleError, match="every negative edge is a negative cycle") as caught:
        clew.bellman_ford(undirected, 0)
    assert caught.value.cycle == [1, 2]
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.cycle, str(again), again.on_command_line()) == (
        [1, 2], str(caught.value), caught.value.on_command_line(),
    )  # fmt: skip
    loop = clew.Graph.from_edges([0, 0], [0, 1], [-1, 1])
    with pytest.raises(NegativeCycleError, match="a negative cycle of 1 edge is") as caught:
        clew.bellman_ford(loop, 0)
    assert caught.value.cycle == [0]
    assert clew.bellman_ford(loop, 1).distance.tolist() == [UNREACHED, 0]
    ring = clew.Graph.from_edges(np.arange(100), (np.arange(100) + 1) % 100, np.full(100, -1))
    with pytest.raises(NegativeCycleError, match=r"of 100 edges.*11 -> …") as caught:
        clew.bellman_ford(ring, 50)
    assert caught.value.cycle == list(range(100))


@pytest.mark.parametrize("dtype", SOME_DTYPES)
def test_every_dtype(dtype):
    weights = np.array([4, 9, 3, 0, 1]).astype(dtype)
    graph = clew.Graph.from_edges([0, 0, 1, 2, 4], [1, 2, 2, 3, 0], weights)
    result, expected = clew.bellman_ford(graph, 0), clew.sssp(graph, 0)
    assert result.distance.dtype == expected.distance.dtype
    np.testing.assert_array_equal(result.distance, expected.distance)
    np.testing.assert_array_equal(result.parent[3:], [2, -1])


def test_weights_that_cannot_be_used():
    graph = clew.Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(GraphError, match="bellman_ford needs edge weights"):
        clew.bellman_ford(graph)
    with pytest.raises(GraphError, match="1 weight is NaN"):
        clew.bellman_ford(graph.with_weights([1.0, np.nan]))
    with pytest.raises(GraphError, match="a weight is -inf"):
        clew.bellman_ford(graph.with_weights([1.0, -np.inf]))
    with pytest.raises(GraphError, match="may not fit in 64 bits"):
        clew.bellman_ford(graph.with_weights(np.array([1, -(2**62)])))
    with pytest.raises(GraphError, match="device is 'tpu'"):
        clew.bellman_ford(graph.with_weights([1, 2]), device="tpu")
    infinite = clew.bellman_ford(graph.with_weights([-1.0, np.inf]))
    assert infinite.distance.tolist() == [0, -1, np.inf]


def test_the_checker_finds_a_detour():
    graph = clew.Graph.from_edges([0, 0, 1], [1, 2, 2], [4, 3, -2])
    result = clew.bellman_ford(graph, 0)
    result.values["distance"][2], result.values["parent"][2] = 3, 0
    with pytest.raises(VerificationError, match="a better value"):
        clew.verify.bellman_ford(graph, 0, result)
