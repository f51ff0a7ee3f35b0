"""Bellman-Ford by the kernels of the GPU, run on the CPU: against the checker, the CPU engine and known cycles."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import NegativeCycleError
from clew.algorithms.bellman_ford import cuda as engine
from clew.algorithms.bellman_ford.cuda import bellman_ford
from clew.engines.cuda.emulation.device import the_emulation
from tests.algorithms.weighted import weighted_graphs
from tests.cuda.test_sssp import SIZES, TUNINGS, shape
from tests.graph.strategies import WEIGHT_DTYPES


def sum_of(graph, cycle):
    """The sum of weights along a cycle, by its lightest edges."""
    rows = {}
    for u, v, w in zip(*(part.tolist() for part in graph.edges()), strict=True):
        for a, b in ((u, v),) if graph.directed else ((u, v), (v, u)):
            rows[a, b] = min(w, rows.get((a, b), w))
    return sum(rows[pair] for pair in zip(cycle, [*cycle[1:], cycle[0]], strict=True))


def outcome(graph, source, **options):
    """The answer and no cycle, or no answer and the negative cycle that was reported."""
    try:
        return bellman_ford(the_emulation(), graph, source, **options), []
    except NegativeCycleError as error:
        return None, error.cycle


def check(graph, source, found):
    clew.verify.bellman_ford(graph, source, clew.Result("x", {"distance": found.distance, "parent": found.parent}))
    expected = clew.bellman_ford(graph, source, device="cpu")
    assert found.distance.dtype == expected.distance.dtype
    np.testing.assert_array_equal(found.distance, expected.distance)
    assert found.num_reached == expected.num_reached


@pytest.mark.parametrize("tuning", ["auto", "grid", "degree cut"])
@pytest.mark.parametrize("name", ["path", "star", "grid"])
def test_shapes(name, tuning):
    for size in SIZES:
        graph = shape(name, size)
        check(graph, size // 2, bellman_ford(the_emulation(), graph, size // 2, tuning=TUNINGS[tuning]))


@settings(max_examples=30, deadline=None)
@given(
    weighted_graphs("int32", -2, 6) | weighted_graphs("float64", -2, 6),
    st.sampled_from(["auto", "grid"]),
    st.data(),
)
def test_small_graphs(graph, tuning, data):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    steady = data.draw(st.booleans())
    found, cycle = outcome(graph, source, deterministic=steady, tuning=TUNINGS[tuning])
    try:
        nx.single_source_bellman_ford_path_length(graph.to_networkx(), source)
    except nx.NetworkXUnbounded:
        assert len(set(cycle)) == len(cycle)
        assert sum_of(graph, cycle) < 0
        assert clew.bfs(graph, source, device="cpu").depth[cycle].min() >= 0
    else:
        assert cycle == []
        check(graph, source, found)
        if steady:
            again = bellman_ford(the_emulation(), graph, source, deterministic=True, tuning=TUNINGS[tuning])
            np.testing.assert_array_equal(found.parent, again.parent)


def shifted(dtype, seed=2):
    """A graph with negative weights but no negative cycle: every edge gets a difference of heights added."""
    graph = clew.generate.random_weights(clew.generate.rmat(9, 8, 0.45, 0.22, 0.22, seed=4), 1, 255, seed=seed)
    height = np.random.default_rng(seed).integers(0, 1000, graph.num_vertices)
    start = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    weights = (graph.weights + height[start] - height[graph.indices]).astype(dtype)
    return clew.Graph.from_csr(graph.indptr, graph.indices, weights), height


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("planted", [False, True])
def test_negative_weights(dtype, planted):
    graph, height = shifted(dtype)
    source = int(np.argmax(graph.degrees()))
    if planted:
        cycle = np.flatnonzero(clew.bfs(graph, source, device="cpu").depth > 2)[:5]
        start, end, weights = graph.edges()
        around = height[cycle] - height[np.roll(cycle, -1)]  # sums to 0
        around[0] -= 1
        graph = clew.Graph.from_edges(
            np.r_[start, cycle],
            np.r_[end, np.roll(cycle, -1)],
            np.r_[weights, around].astype(dtype),
            graph.num_vertices,
        )
    found, cycle = outcome(graph, source, tuning=TUNINGS["auto"])
    if planted:
        assert sum_of(graph, cycle) < 0
    else:
        check(graph, source, found)


@pytest.mark.parametrize("dtype", WEIGHT_DTYPES)
def test_every_dtype(dtype):
    weights = np.array([4, 9, 3, 0, 1]).astype(dtype)
    graph = clew.Graph.from_edges([0, 0, 1, 2, 4], [1, 2, 2, 3, 0], weights)
    result = clew.bellman_ford(graph, 0, device="emulated").numpy()
    expected = clew.sssp(graph, 0, device="cpu")
    assert result.distance.dtype == expected.distance.dtype
    np.testing.assert_array_equal(result.distance, expected.distance)
    np.testing.assert_array_equal(result.parent[3:], [2, -1])


def test_what_a_cycle_is_reported_as():
    graph = clew.Graph.from_edges(["a", "b", "c", "d"], ["b", "c", "b", "a"], [1, -5, 1, 1])
    with pytest.raises(
        NegativeCycleError, match=r"negative cycle of 2 edges is reachable.*: 'b' -> 'c' -> 'b'"
    ) as caught:
        clew.bellman_ford(graph, "a", device="emulated")
    assert caught.value.cycle == ["b", "c"]
    loop = clew.Graph.from_edges([0, 0], [0, 1], [-1, 1])
    with pytest.raises(NegativeCycleError, match="a negative cycle of 1 edge is"):
        clew.bellman_ford(loop, 0, device="emulated")
    ring = clew.Graph.from_edges(np.arange(100), (np.arange(100) + 1) % 100, np.full(100, -1))
    for tuning in (TUNINGS["auto"], TUNINGS["grid"]):
        assert outcome(ring, 50, tuning=tuning)[1] == list(range(100))


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_the_cpu_is_asked_where_no_cycle_is_seen(dtype, monkeypatch):
    """Rounds and sums have limits; beyond them there is a negative cycle even if the search for one missed it."""
    monkeypatch.setattr(engine, "cycle_of_least_offers", lambda search: [])
    ring = clew.Graph.from_edges(np.arange(40), (np.arange(40) + 1) % 40, np.full(40, -1, dtype))
    assert outcome(ring, 5, tuning=TUNINGS["grid"])[1] == list(range(40))
