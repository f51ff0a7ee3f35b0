"""Edge betweenness by the kernels of the GPU, run on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew.algorithms.edge_betweenness import cpu
from clew.algorithms.edge_betweenness.cuda import edge_betweenness
from clew.engines.cuda.emulation.device import the_emulation
from tests.algorithms.graphs import graphs
from tests.algorithms.weighted import weighted_graphs
from tests.cuda.test_betweenness import TINY, with_lengths


def check(graph, weighted=False, **options):
    sources = np.arange(min(graph.num_vertices, 12))
    given = {"weighted": weighted, "samples": sources.tolist(), "normalized": False}
    expected = clew.edge_betweenness(graph, device="cpu", **given).centrality
    scale = graph.num_vertices / max(1, sources.size) / (1 if graph.directed else 2)
    found = edge_betweenness(the_emulation(), graph, sources, scale, weighted, **options)
    np.testing.assert_allclose(the_emulation().download(found.centrality), expected, rtol=1e-11, atol=1e-13)
    return found.centrality


@settings(max_examples=25, deadline=None)
@given(graphs(min_vertices=1))
def test_small_graphs(graph):
    clew.verify.edge_betweenness(graph, clew.edge_betweenness(graph, device="emulated").numpy())
    check(graph)


@pytest.mark.parametrize("size", [1, 2, 3, 31, 32, 33, 129])
@pytest.mark.parametrize("shape", ["path", "star", "complete"])
def test_shapes(shape, size):
    check(getattr(clew.generate, shape)(size), **TINY)


@pytest.mark.parametrize("directed", [False, True])
def test_skewed_graphs(directed):
    graph = clew.generate.rmat(8, 8, seed=1)
    graph = graph if directed else graph.symmetrized()
    first = check(graph)
    np.testing.assert_array_equal(check(graph), first)  # no sum depends on what other threads do
    if not directed:
        check(graph, **TINY)


@settings(max_examples=25, deadline=None)
@given(weighted_graphs("float64", 1, 3))
def test_small_graphs_with_weights(graph):
    found = clew.edge_betweenness(graph, weighted=True, device="emulated").numpy()
    clew.verify.edge_betweenness(graph, found, weighted=True)
    check(graph, weighted=True, **TINY)


@pytest.mark.parametrize("directed", [False, True])
def test_skewed_graphs_with_weights(directed):
    graph = with_lengths(clew.generate.rmat(8, 8, seed=1), "int32", directed)
    first = check(graph, weighted=True)
    np.testing.assert_array_equal(check(graph, weighted=True), first)
    np.testing.assert_array_equal(
        clew.edge_betweenness(graph, weighted=True, samples=5, device="auto").centrality,
        clew.edge_betweenness(graph, weighted=True, samples=5, device="cpu").centrality,
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_too_many_paths_are_for_the_cpu(weighted):
    """Of a graph with weights, whether they count or not; its rows have two equal edges."""
    source, target, _ = clew.generate.grid(9, 9).edges()
    ends = np.append(source, source[0]), np.append(target, target[0])
    graph = clew.Graph.from_edges(*ends, np.ones(source.size + 1, np.int32), directed=False)
    check(with_lengths(graph, "int32", False, most=2), weighted=weighted, large=2.0)


def test_counts_that_are_divided_and_counts_too_far_apart(monkeypatch):
    failed, scores = [], cpu.scores
    monkeypatch.setattr(
        cpu, "scores", lambda rows, sources, work: (failed.append(sources), scores(rows, sources, work))[1]
    )
    graph = clew.generate.grid(9, 9)
    check(graph, large=2.0**8)
    check(graph, large=2.0**1)  # some levels are divided by too little for one search, and it is for the CPU
    assert failed
