"""Spanning forests by the kernels of the GPU, run on the CPU: the edges that the CPU takes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from tests.algorithms.weighted import weighted_graphs


def same(graph: clew.Graph, **options: bool) -> clew.EdgeResult:
    """The forest of the GPU, compared with that of the CPU."""
    found = clew.minimum_spanning_forest(graph, device="emulated", **options)
    expected = clew.minimum_spanning_forest(graph, device="cpu", **options)
    np.testing.assert_array_equal(found.numpy().member, expected.member)
    assert (found.weight, found.trees) == (expected.weight, expected.trees)
    return found


@settings(max_examples=30, deadline=None)
@given(weighted_graphs("int32", -3, 3), st.booleans())
def test_small_graphs(graph, maximum):
    found = same(graph, maximum=maximum)
    clew.verify.minimum_spanning_forest(graph, found, maximum=maximum)


@pytest.mark.parametrize("kind", ["uint8", "int8", "int16", "uint32", "int32", "float32", "int64", "float64", None])
def test_weights(kind):
    graph = clew.generate.rmat(8, 6, seed=3, directed=kind == "int8")
    if kind:
        graph = clew.generate.random_weights(graph, 0 if kind[0] == "u" else -4, 5, seed=1, dtype=kind)
    for maximum in (False, True):
        assert same(graph, maximum=maximum).iterations <= 9


def test_zeros_of_both_signs_are_equal():
    graph = clew.Graph.from_edges([0, 0, 0], [1, 1, 2], np.array([0.0, -0.0, -1.0]), directed=False)
    assert same(graph).member.tolist() == [True, False, True]
    assert same(graph.with_weights(graph.weights.astype(np.float32))).member.tolist() == [True, False, True]


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 511, 512, 513, 2600])
def test_sizes(n):
    graph = clew.generate.cycle(n) if n > 2 else clew.Graph.from_edges([], [], num_vertices=n)
    same(clew.generate.random_weights(graph, 0, 3, seed=2))


def test_wide_ids():
    graph = clew.generate.random_weights(clew.generate.kronecker(8, seed=2), 0, 3, seed=2)
    wide = clew.Graph.from_csr(graph.indptr, graph.indices, graph.weights, directed=False, id_dtype="int64")
    np.testing.assert_array_equal(same(wide).member, same(graph).member)
