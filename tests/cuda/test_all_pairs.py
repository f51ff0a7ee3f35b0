"""All distances on the GPU's kernels, emulated: against the checker and the CPU engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError
from clew.algorithms.all_pairs import cuda as engine
from clew.engines.choice import gpu_for
from tests.algorithms.graphs import graphs

FAR = np.iinfo(np.int64).max


def check(graph, *, exact=True):
    found = clew.all_pairs(graph, method="floyd_warshall", device="emulated").numpy()
    clew.verify.all_pairs(graph, found)
    expected = clew.all_pairs(graph, method="floyd_warshall", device="cpu").distance
    assert found.distance.dtype == expected.dtype
    if exact:
        assert np.array_equal(found.distance, expected)
    else:
        np.testing.assert_allclose(found.distance, expected, rtol=1e-5)


@pytest.mark.parametrize("size", [1, 2, 31, 63, 64, 65, 127, 128, 129, 200])
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", None])
def test_tiles(size, dtype):
    graph = clew.generate.uniform(size, 5 * size, seed=size, directed=True) if size > 9 else clew.generate.path(size)
    check(
        graph if dtype is None else clew.generate.random_weights(graph, 1, 100, dtype=dtype), exact=dtype != "float32"
    )


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64", "uint64"])
def test_integers_of_every_width(dtype):
    graph = clew.generate.uniform(70, 400, seed=1, directed=True)
    weights = np.random.default_rng(2).integers(0, 2 if dtype == "bool" else 100, graph.num_arcs).astype(dtype)
    check(graph.with_weights(weights))


def test_integers_beyond_32_bits_and_beyond_all():
    graph = clew.Graph.from_edges([0, 1], [1, 2], np.array([2**40, 2**40]))
    check(graph)
    found = clew.all_pairs(graph, device="emulated").numpy()
    assert found.distance.tolist() == [[0, 2**40, 2**41], [FAR, 0, 2**40], [FAR, FAR, 0]]
    larger = graph.with_weights(np.array([2**60, 2**60]))
    with pytest.raises(GraphError, match="Floyd-Warshall is exact up to"):
        clew.all_pairs(larger, method="floyd_warshall", device="emulated")
    assert clew.all_pairs(larger, device="emulated").distance[0, 2] == 2**61


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_negative_weights_and_cycles(dtype):
    weights = np.array([4, -3, 2], dtype=dtype)
    check(clew.Graph.from_edges([0, 1, 2], [1, 2, 0], weights))
    for graph in (clew.Graph.from_edges([0, 1, 2], [1, 2, 0], -weights - 3), clew.generate.complete(200)):
        graph = graph.with_weights(np.full(graph.num_arcs, -1000, dtype=dtype))
        with pytest.raises(GraphError, match="is on a negative cycle"):
            clew.all_pairs(graph, device="emulated")


def test_infinite_weights_and_duplicates():
    check(clew.Graph.from_edges([0, 1], [1, 2], [np.inf, 1.0]))
    check(clew.Graph.from_edges([0, 0, 0, 1, 1], [1, 1, 1, 1, 2], np.array([5, 3, 9, 7, 1])))


def test_several_launches_and_shapes_of_work(monkeypatch):
    monkeypatch.setattr(engine, "ROUNDS_PER_LAUNCH", 2)
    graph = clew.generate.random_weights(clew.generate.uniform(300, 1500, seed=3), 1, 50)
    expected = clew.all_pairs(graph, device="cpu").distance
    device = gpu_for("emulated", 0)
    for number, tall, wide in ((None, 4, 4), (np.float64, 4, 4), (None, 8, 8), (None, 8, 4)):
        found = engine.floyd_warshall(device, graph, number=number, tall=tall, wide=wide)
        assert np.array_equal(device.download(found), expected)


def test_the_method_that_is_used():
    grid = clew.generate.grid(30, 30)
    assert engine.methods(grid)[0] == "floyd_warshall"
    assert engine.methods(clew.generate.random_weights(grid, 1, 9))[0] == "floyd_warshall"
    assert engine.methods(clew.generate.path(60_000))[0] == "sparse"
    found = clew.all_pairs(grid, method="sparse", device="emulated").numpy()
    assert found.method == "sparse"
    clew.verify.all_pairs(grid, found)


def test_nothing():
    assert clew.all_pairs(clew.Graph.from_edges([], []), device="emulated").distance.shape == (0, 0)


@settings(max_examples=40, deadline=None)
@given(graph=graphs(), data=st.data())
def test_any_graph(graph, data):
    dtype = data.draw(st.sampled_from(["int32", "float64", None]))
    if dtype is not None:
        weights = data.draw(st.lists(st.integers(0, 20), min_size=graph.num_arcs, max_size=graph.num_arcs))
        graph = clew.Graph.from_csr(
            graph.indptr, graph.indices, np.array(weights, dtype=dtype).reshape(-1), directed=True
        )
    check(graph)
