"""Matrix times matrix: every engine against the reference and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import clew
from clew import GraphError, layouts, semirings
from tests.algorithms.graphs import thread_count
from tests.engines.inputs import ENGINES, SEMIRINGS, cases, examples, weighted

pytestmark = pytest.mark.parametrize("engine", ENGINES)


def assert_same(found, expected):
    for ours, theirs in ((found.indptr, expected.indptr), (found.indices, expected.indices)):
        np.testing.assert_array_equal(ours, theirs)
    assert found.weights.dtype == expected.weights.dtype
    np.testing.assert_array_equal(found.weights, expected.weights)


@pytest.mark.parametrize(("name", "dtype"), [("plus_times", "float64"), ("min_plus", "int32"), ("plus_pair", "int64")])
def test_small_graphs(engine, name, dtype):
    """The matrix on the right has weights or none; that on the left has none only where they do not matter."""

    @examples(engine, 20)
    @given(cases(dtype, weights=None if name == "plus_pair" else True))
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


@pytest.mark.parametrize("name", ["short rows", "one long row", "long rows, short mask"])
def test_many_columns(engine, name):
    """More columns than caches hold, where short rows are hashed; rows that are cut; masks that are looked up."""
    n, rng = 140_000 if engine == "cpu" else 300, np.random.default_rng(4)
    cycle = clew.generate.cycle(n).relabeled(rng.permutation(n))
    ring = clew.Graph.from_csr(cycle.indptr, cycle.indices, rng.integers(1, 9, 2 * n).astype(float))
    hub = clew.Graph.from_edges(np.zeros(n, np.int64), np.arange(n), rng.integers(1, 9, n).astype(float))
    left, right, mask = {
        "short rows": (ring, ring, None),
        "one long row": (hub, ring, None),
        "long rows, short mask": (hub, hub, clew.Graph.from_edges([0, 0, 0], [5, n // 2, n // 2], num_vertices=n)),
    }[name]
    expected = (left.to_scipy() @ right.to_scipy()).tocsr()  # drops entries that are 0: there are none
    if mask is not None:
        expected = expected.multiply(np.isin(np.arange(n), mask.indices)[None, :]).tocsr()
        expected.eliminate_zeros()
    expected.sort_indices()
    for count in (1, 2, 5):
        with thread_count(count):
            found = clew.spgemm(left, right, mask=mask, device=engine)
        np.testing.assert_array_equal(found.indptr, expected.indptr)
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_array_equal(found.weights, expected.data)


def test_rows_of_any_length_side_by_side(engine, monkeypatch):
    """Rows with and without a table take turns, edges are there twice, and there is room for few entries at first."""
    monkeypatch.setattr("clew.engines.cpu.products.SURE", 8)
    rng = np.random.default_rng(6)
    n, lengths = 300, rng.integers(0, 9, 300)
    source = np.repeat(np.arange(n), lengths)
    target = rng.integers(0, n, source.size) // 4 * 4  # so that products meet
    rows = layouts.csr(layouts.COO(source, target, rng.integers(-4, 9, source.size) / 4, n))
    for mask in (None, rows):
        expected = clew.spgemm(rows, rows, mask=mask, device="reference")
        for count in (1, 3):
            with thread_count(count):
                assert_same(clew.spgemm(rows, rows, mask=mask, device=engine), expected)


@pytest.mark.quick
def test_triangles_are_a_masked_product(engine):
    graph = clew.generate.kronecker(8, seed=2)
    wedges = clew.spgemm(graph, graph, semirings.plus_pair, mask=graph, device=engine)
    matrix = (graph.to_scipy() != 0).astype(np.int64)
    assert wedges.weights.sum() == (matrix @ matrix).multiply(matrix).sum()


def test_layouts_may_list_edges_in_any_order(engine):
    graph = clew.generate.complete(8)
    listed = layouts.COO(np.array([2, 0, 0, 0]), np.array([3, 5, 1, 7]), None, 8)
    table = layouts.ELL(np.array([[5, -1, 3, *[-1] * 5], [1, *[-1] * 7], [7, *[-1] * 7]]), None)
    for mask in (listed, table):
        found = clew.spgemm(graph, graph, mask=mask, device=engine)
        assert found.indices.tolist() == [1, 5, 7, 3]
        assert_same(found, clew.spgemm(graph, graph, mask=mask, device="reference"))


def test_errors(engine):
    with pytest.raises(GraphError, match="3 and 4 vertices"):
        clew.spgemm(clew.generate.path(3), clew.generate.path(4), device=engine)
