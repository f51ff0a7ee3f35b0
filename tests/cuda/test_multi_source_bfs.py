"""Searches from many sources by the kernels of the GPU, run on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.algorithms.multi_source_bfs import cuda
from tests.algorithms.graphs import graphs


def same(graph, sources):
    found, expected = (clew.multi_source_bfs(graph, sources, device=device) for device in ("emulated", "cpu"))
    np.testing.assert_array_equal(found.numpy().depth, expected.depth)
    np.testing.assert_array_equal(found.num_reached, expected.num_reached)
    assert found.iterations == expected.iterations


@settings(max_examples=30, deadline=None)
@given(graphs(), st.integers(1, 5))
def test_small_graphs(graph, count):
    if graph.num_vertices:
        same(graph, [graph.name(7 * k % graph.num_vertices) for k in range(count)])


@pytest.mark.parametrize("count", [1, 63, 64, 65, 130])
def test_words_of_sources(count):
    graph = clew.generate.rmat(8, 4, seed=3)
    same(graph, [5 * k % 256 for k in range(count)])


@pytest.mark.parametrize("n", [1, 31, 32, 33, 511, 512, 513, 5000])
def test_sizes(n):
    same(clew.generate.star(n), [0, n - 1, 0])


def test_a_level_a_launch(monkeypatch):
    monkeypatch.setattr(cuda, "STEPS_PER_LAUNCH", 1)
    same(clew.generate.grid(9, 11), [0, 50])


def test_wide_ids():
    graph = clew.generate.kronecker(8, seed=2)
    same(clew.Graph.from_csr(graph.indptr, graph.indices, directed=False, id_dtype="int64"), [1, 2])


def test_closeness_runs_on_them():
    graph = clew.generate.grid(8, 9)
    found, expected = (clew.closeness(graph, device=device) for device in ("emulated", "cpu"))
    np.testing.assert_allclose(found.numpy().centrality, expected.centrality)
