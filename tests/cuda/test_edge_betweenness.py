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
from tests.cuda.test_betweenness import TINY


def check(graph, **options):
    sources = np.arange(min(graph.num_vertices, 12))
    expected = clew.edge_betweenness(graph, samples=sources.tolist(), normalized=False, device="cpu").centrality
    scale = graph.num_vertices / max(1, sources.size) / (1 if graph.directed else 2)
    found = edge_betweenness(the_emulation(), graph, sources, scale, False, **options)
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


def test_counts_that_are_divided_and_counts_too_far_apart(monkeypatch):
    failed, scores = [], cpu.scores
    monkeypatch.setattr(
        cpu, "scores", lambda rows, sources, work: (failed.append(sources), scores(rows, sources, work))[1]
    )
    graph = clew.generate.grid(9, 9)
    check(graph, large=2.0**8)
    check(graph, large=2.0**1)  # some levels are divided by too little for one search, and it is for the CPU
    assert failed


def test_weighted_searches_are_for_the_cpu():
    graph = clew.generate.random_weights(clew.generate.grid(5, 6), 1, 4, seed=1)
    found, expected = (clew.edge_betweenness(graph, weighted=True, device=where) for where in ("emulated", "cpu"))
    np.testing.assert_array_equal(found.centrality, expected.centrality)
