"""Similarity by the kernels of the GPU, run on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.algorithms.most_similar import cuda as most_similar
from clew.algorithms.similarity import METHODS
from tests.algorithms.graphs import graphs


def same(graph, method="jaccard", pairs=None):
    found, expected = (clew.similarity(graph, pairs, method=method, device=device) for device in ("emulated", "cpu"))
    np.testing.assert_allclose(found.numpy().score, expected.score, rtol=1e-12)
    return found


@settings(max_examples=30, deadline=None)
@given(graphs(), st.sampled_from(METHODS))
def test_small_graphs(graph, method):
    same(graph, method)
    if graph.num_vertices:
        pairs = [(u, v) for u in range(min(4, graph.num_vertices)) for v in range(graph.num_vertices)]
        clew.verify.similarity(graph, same(graph, method, np.array(pairs)), pairs=pairs, method=method)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("directed", [True, False])
def test_hubs(directed, method):
    graph = clew.generate.rmat(9, 12, seed=2, directed=directed)
    same(graph, method)


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 511, 512, 513, 2600])
def test_sizes(n):
    graph = clew.generate.star(n) if n else clew.Graph.from_edges([], [])
    same(graph)
    same(graph, pairs=np.array([(0, v) for v in range(n)][-3:]).reshape(-1, 2))


def test_wide_ids():
    graph = clew.generate.kronecker(8, seed=2)
    same(clew.Graph.from_csr(graph.indptr, graph.indices, directed=False, id_dtype="int64"), "cosine")


def same_lists(graph, k, method="jaccard"):
    found, expected = (clew.most_similar(graph, k=k, method=method, device=device) for device in ("emulated", "cpu"))
    np.testing.assert_array_equal(found.numpy().similar, expected.similar)
    np.testing.assert_allclose(found.numpy().score, expected.score, rtol=1e-13)
    assert found.num_pairs == expected.num_pairs
    return found


@settings(max_examples=30, deadline=None)
@given(graphs(), st.sampled_from(METHODS), st.sampled_from([1, 3, 10]))
def test_lists_of_small_graphs(graph, method, k):
    clew.verify.most_similar(graph, same_lists(graph, k, method).numpy(), k=k, method=method)


@pytest.mark.parametrize("k", [1, 3, 200])
def test_the_best_of_many(k):
    """More paths than a table holds, with sums of different order for every method; and scores that are all equal."""
    graph = clew.generate.rmat(7, 8, seed=3, directed=k > 1)
    for method in METHODS:
        same_lists(graph, k, method)
    same_lists(clew.generate.complete(60), k)
    same_lists(clew.generate.star(600), k)


@pytest.mark.parametrize("few", [0, 40])
def test_tables_and_arrays_give_the_same(few, monkeypatch):
    monkeypatch.setattr(most_similar, "FEW_PATHS", few)
    monkeypatch.setattr(most_similar, "SUM_BYTES", 0)  # one block
    same_lists(clew.generate.grid(12, 13), 4)
    same_lists(clew.generate.rmat(6, 3, seed=1), 4, "adamic_adar")


def test_lists_of_wide_ids():
    graph = clew.generate.kronecker(7, seed=2)
    same_lists(clew.Graph.from_csr(graph.indptr, graph.indices, directed=False, id_dtype="int64"), 5, "cosine")
