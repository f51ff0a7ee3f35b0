"""Betweenness on the GPU's kernels, emulated: against the checker and the CPU engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew.algorithms.betweenness import cpu, kernels
from clew.algorithms.betweenness import cuda as engine
from clew.algorithms.betweenness.cpu import dependencies as on_cpu
from clew.engines.choice import gpu_for
from clew.engines.cuda.emulation.device import EmulatedDevice
from tests.algorithms.graphs import graphs
from tests.algorithms.weighted import weighted_graphs

SIZES = (1, 2, 3, 31, 32, 33, 64, 65, 129)
# Rows of every kind and levels of every width in small graphs.
TINY = {"SHORT_ROW": 8, "BIG_ROW": 20, "NARROW": 4}


def sums(graph, sources, **options):
    device = gpu_for("emulated", 0)
    return device.download(engine.dependencies(device, graph, np.asarray(sources), **options))


def check(graph, **options):
    """Both ways give what the CPU does, and one source gives the same either way to the last bit."""
    sources = np.arange(min(graph.num_vertices, 12))
    expected = on_cpu(graph, sources)
    for many in (False, True):
        np.testing.assert_allclose(sums(graph, sources, many=many, **options), expected, rtol=1e-11, atol=1e-13)
    alone = [sums(graph, sources[:1], many=many, **options) for many in (False, True)]
    assert np.array_equal(*alone)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", ["path", "star", "complete"])
def test_shapes(shape, size):
    graph = getattr(clew.generate, shape)(size)
    check(graph)
    check(graph, **TINY)


@pytest.mark.parametrize("directed", [False, True])
def test_skewed_graphs(directed):
    graph = clew.generate.rmat(8, 8, seed=1)
    graph = graph if directed else graph.symmetrized()
    check(graph)
    check(graph, **TINY)
    result = clew.betweenness(graph, device="emulated").numpy()
    clew.verify.betweenness(graph, result)


@pytest.mark.parametrize("degree", [engine.BIG_ROW - 1, engine.BIG_ROW, engine.BIG_ROW + 1])
def test_hubs_are_summed_by_blocks(degree):
    check(clew.generate.star(degree + 1))
    check(clew.Graph.from_edges(np.arange(1, degree + 1), np.zeros(degree, int)))


@pytest.mark.parametrize("many", [False, True])
def test_every_run_gives_the_same_bits(many):
    graph = clew.generate.rmat(9, 12, seed=7).symmetrized()
    first = sums(graph, np.arange(20), many=many, **TINY)
    for blocks in (2, 7):
        device = EmulatedDevice(cooperative_blocks=blocks)
        again = device.download(engine.dependencies(device, graph, np.arange(20), many=many, **TINY))
        assert np.array_equal(first, again)


@pytest.mark.parametrize("many", [False, True])
def test_more_paths_than_a_number_holds_are_scaled(many):
    graph = clew.generate.grid(12, 12)  # 705,432 paths from corner to corner
    expected = on_cpu(graph, np.arange(6))
    for large in (1 << 10, 1 << 12):
        np.testing.assert_allclose(sums(graph, np.arange(6), many=many, large=float(large)), expected, rtol=1e-12)


@pytest.mark.parametrize("many", [False, True])
def test_counts_too_far_apart_are_for_the_cpu(many, monkeypatch):
    graph = clew.generate.grid(12, 12)
    expected = on_cpu(graph, np.arange(6))
    asked = []

    def counted(rows, source, found, wide=kernels.wide_dependencies):
        asked.append(int(source))
        wide(rows, source, found)

    monkeypatch.setattr(kernels, "wide_dependencies", counted)
    found = sums(graph, np.arange(6), many=many, large=8.0)  # the counts of a level do not fit between 1/8 and 8
    assert asked == list(range(6))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_rounds_and_launches(monkeypatch):
    graph = clew.generate.rmat(6, 6, seed=4)
    expected = on_cpu(graph, np.arange(20))
    monkeypatch.setattr(engine, "ENTRIES", 7 * graph.num_vertices)
    monkeypatch.setattr(engine, "SOURCES_PER_LAUNCH", 3)
    for many in (False, True):
        np.testing.assert_allclose(sums(graph, np.arange(20), many=many), expected, rtol=1e-12)


def test_one_by_one_where_memory_is_short():
    graph = clew.generate.grid(10, 10)
    device = EmulatedDevice()
    sources = np.arange(10)
    engine.dependencies(device, graph, sources, many=False)  # the graph is there now
    device.memory.fail_at(2)
    found = device.download(engine.dependencies(device, graph, sources, many=True))
    np.testing.assert_allclose(found, on_cpu(graph, sources), rtol=1e-12)


def test_samples_and_scales_are_those_of_the_cpu():
    graph = clew.generate.rmat(6, 4, seed=9)
    for options in ({"samples": 5, "seed": 3}, {"samples": [0]}, {"normalized": False}):
        found = clew.betweenness(graph, device="emulated", **options).numpy()
        expected = clew.betweenness(graph, device="cpu", **options)
        np.testing.assert_allclose(found.centrality, expected.centrality, rtol=1e-12, atol=1e-15)
        assert np.array_equal(found.sources, expected.sources)


def test_ids_of_64_bits():
    graph = clew.generate.rmat(6, 6, seed=2)
    for directed in (False, True):
        rows = graph if directed else graph.symmetrized()
        check(clew.Graph.from_csr(rows.indptr, rows.indices, directed=directed, id_dtype="int64"))


@settings(max_examples=40, deadline=None)
@given(graph=graphs())
def test_any_graph(graph):
    result = clew.betweenness(graph, device="emulated").numpy()
    clew.verify.betweenness(graph, result)
    check(graph)


# ---- Weighted ----


def with_lengths(graph, dtype, directed, most=4):
    """The graph with few different weights, so that many paths are equally long."""
    graph = clew.generate.random_weights(graph if directed else graph.symmetrized(), 1, most, seed=1)
    return graph.with_weights(graph.weights.astype(dtype) / (3 if dtype.startswith("float") else 1))


def check_weighted(graph, **options):
    """The sums are those of the CPU."""
    device, sources = gpu_for("emulated", 0), np.arange(min(graph.num_vertices, 12))
    found = device.download(engine.weighted_dependencies(device, graph, sources, **options))
    np.testing.assert_allclose(found, cpu.weighted_dependencies(graph, sources), rtol=1e-11, atol=1e-13)
    return found


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", ["path", "star", "complete"])
def test_weighted_shapes(shape, size):
    graph = with_lengths(getattr(clew.generate, shape)(size), "int32", False)
    check_weighted(graph)
    check_weighted(graph, **TINY)


@pytest.mark.parametrize(
    ("directed", "dtype"), [(False, "int32"), (True, "uint8"), (False, "float32"), (True, "float64")]
)
def test_weights_of_every_kind(directed, dtype):
    graph = with_lengths(clew.generate.rmat(7, 12, seed=1), dtype, directed)
    check_weighted(graph, **TINY)
    clew.verify.betweenness(graph, clew.betweenness(graph, weighted=True, device="emulated").numpy(), weighted=True)


def test_every_weighted_run_gives_the_same_bits():
    graph, sources = with_lengths(clew.generate.rmat(9, 12, seed=7), "int32", False), np.arange(12)
    first = check_weighted(graph, **TINY)
    for blocks in (2, 7):
        device = EmulatedDevice(cooperative_blocks=blocks)
        again = device.download(engine.weighted_dependencies(device, graph, sources, **TINY))
        assert np.array_equal(first, again)


def test_weighted_sums_beyond_32_bits():
    graph = clew.generate.random_weights(clew.generate.grid(8, 9), 1, 4, seed=1)
    for factor in (29, 40):
        check_weighted(graph.with_weights(graph.weights.astype(np.int64) << factor))


def test_more_weighted_paths_than_a_number_holds_are_for_the_cpu(monkeypatch):
    graph, asked = with_lengths(clew.generate.grid(9, 9), "int32", False, most=2), []
    expected = cpu.weighted_dependencies(graph, np.arange(12))
    search = cpu.weighted_dependencies
    monkeypatch.setattr(cpu, "weighted_dependencies", lambda g, sources: (asked.append(sources), search(g, sources))[1])
    device = gpu_for("emulated", 0)
    found = device.download(engine.weighted_dependencies(device, graph, np.arange(12), large=8.0))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert len(asked) == 1
    assert asked[0].size


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weights", [[1e308, 1e308, 1.0, 2.0], [1.0, np.inf, 1.0, 2.0], [1e17, 1.0, 1e17, 1e17]])
def test_lengths_that_rounding_swallows_and_infinite_ones_lead_nowhere(weights, directed):
    graph = clew.Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 3], np.array(weights), 6, directed)
    check_weighted(graph)
    for device in ("cpu", "emulated", "reference"):
        for name in ("betweenness", "edge_betweenness"):
            result = getattr(clew, name)(graph, weighted=True, device=device).numpy()
            getattr(clew.verify, name)(graph, result, weighted=True)


def test_weighted_searches_with_ids_of_64_bits():
    for directed in (False, True):
        rows = with_lengths(clew.generate.rmat(6, 6, seed=2), "float64", directed)
        given = (rows.indptr, rows.indices, rows.weights)
        check_weighted(clew.Graph.from_csr(*given, directed=directed, id_dtype="int64"))


@settings(max_examples=40, deadline=None)
@given(graph=weighted_graphs("int32", 1, 3))
def test_any_weighted_graph(graph):
    result = clew.betweenness(graph, weighted=True, device="emulated").numpy()
    clew.verify.betweenness(graph, result, weighted=True)
    check_weighted(graph, **TINY)
