"""Matrix times matrix: every engine against the reference and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew import GraphError, semirings
from tests.algorithms.graphs import thread_count
from tests.engines.inputs import ENGINES, SEMIRINGS, cases, weighted

pytestmark = pytest.mark.parametrize("engine", ENGINES)


def assert_same(found, expected):
    for ours, theirs in ((found.indptr, expected.indptr), (found.indices, expected.indices)):
        np.testing.assert_array_equal(ours, theirs)
    assert found.weights.dtype == expected.weights.dtype
    np.testing.assert_array_equal(found.weights, expected.weights)


@pytest.mark.parametrize(("name", "dtype"), [("plus_times", "float64"), ("min_plus", "int32"), ("plus_pair", "int64")])
def test_small_graphs(engine, name, dtype):
    @settings(max_examples=40, deadline=None)
    @given(cases(dtype))
    def agree(case):
        graph, rng = case
        moved = graph.relabeled(rng.permutation(graph.num_vertices))
        for other in (graph, moved, weighted(graph, None)):
            for mask in (None, moved):
                expected = clew.spgemm(graph, other, SEMIRINGS[name], mask=mask, device="reference")
                assert_same(clew.spgemm(graph, other, SEMIRINGS[name], mask=mask, device=engine), expected)

    agree()


@pytest.mark.parametrize(
    "make",
    [
        lambda: clew.generate.kronecker(10, seed=3),
        lambda: clew.generate.star(2000),
        lambda: clew.generate.grid(40, 50, seed=5),
        lambda: clew.Graph.from_edges([], [], num_vertices=1000),
    ],
    ids=["kronecker", "star", "grid", "empty"],
)
def test_larger_graphs(engine, make):
    graph = weighted(make(), "float64")
    matrix = graph.to_scipy()
    expected = (matrix @ matrix).toarray()
    found = []
    for count in (1, 2, 5):
        with thread_count(count):
            found.append(clew.spgemm(graph, graph, device=engine))
    assert_same(found[1], found[0])
    assert_same(found[2], found[0])
    np.testing.assert_array_equal(found[0].to_scipy().toarray(), expected)
    masked = clew.spgemm(graph, graph, mask=graph, device=engine)
    there = weighted(graph, None).to_scipy().toarray() != 0
    np.testing.assert_array_equal(masked.to_scipy().toarray(), np.where(there, expected, 0))


def test_triangles_are_a_masked_product(engine):
    graph = clew.generate.kronecker(8, seed=2)
    wedges = clew.spgemm(graph, graph, semirings.plus_pair, mask=graph, device=engine)
    matrix = (graph.to_scipy() != 0).astype(np.int64)
    assert wedges.weights.sum() == (matrix @ matrix).multiply(matrix).sum()


def test_errors(engine):
    with pytest.raises(GraphError, match="3 and 4 vertices"):
        clew.spgemm(clew.generate.path(3), clew.generate.path(4), device=engine)
