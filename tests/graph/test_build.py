"""The builder against an obvious one in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError, threads
from tests.graph.strategies import EdgeList, edge_lists
from tests.io.fuzzing import assert_valid


def obvious(edges: EdgeList, directed: bool, duplicates: str, loops: str) -> list[tuple[int, int, object]]:
    """What the arcs should be, the slow way: a list of (source, target, weight), sorted, duplicates in given order."""
    weights = [None] * len(edges.source) if edges.weights is None else list(edges.weights)
    arcs: list[tuple[int, int, object]] = []
    for u, v, w in zip(edges.source.tolist(), edges.target.tolist(), weights, strict=True):
        if u == v:
            if loops == "keep":
                arcs.append((u, v, w))
        else:
            arcs.append((u, v, w))
            if not directed:
                arcs.append((v, u, w))
    arcs.sort(key=lambda arc: arc[:2])  # stable
    if duplicates == "keep":
        return arcs
    merged: list[tuple[int, int, object]] = []
    for u, v, w in arcs:
        if merged and merged[-1][:2] == (u, v):
            old = merged[-1][2]
            if w is not None:
                with np.errstate(over="ignore", invalid="ignore"):
                    match duplicates:
                        case "min":
                            merged[-1] = (u, v, np.minimum(old, w))
                        case "max":
                            merged[-1] = (u, v, np.maximum(old, w))
                        case "sum":
                            merged[-1] = (u, v, old + w)
        else:
            merged.append((u, v, w))
    return merged


@settings(max_examples=160, deadline=None)
@given(
    edge_lists(),
    st.booleans(),
    st.sampled_from(["keep", "drop", "first", "min", "max", "sum"]),
    st.sampled_from(["keep", "drop"]),
)
def test_rows_are_what_an_obvious_builder_gives(edges, directed, duplicates, loops):
    if duplicates == "sum" and edges.weights is not None and edges.weights.dtype.kind in "iu":
        # Keep integer sums small: what happens when they overflow has a test of its own.
        edges = edges._replace(
            weights=(edges.weights.view(f"u{edges.weights.itemsize}") % 3).astype(edges.weights.dtype)
        )
    expected = obvious(edges, directed, duplicates, loops)
    graph = clew.Graph.from_edges(*edges, directed=directed, duplicates=duplicates, loops=loops)
    assert_valid(graph)
    assert graph.num_vertices == edges.num_vertices
    rows = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    assert list(zip(rows.tolist(), graph.indices.tolist(), strict=True)) == [arc[:2] for arc in expected]
    if edges.weights is not None:
        assert graph.weights.dtype == edges.weights.dtype
        np.testing.assert_array_equal(graph.weights, np.array([arc[2] for arc in expected], dtype=edges.weights.dtype))


@settings(max_examples=80, deadline=None)
@given(edge_lists(), st.booleans(), st.sampled_from(["keep", "drop"]), st.sampled_from(["keep", "drop"]))
def test_every_edge_is_accounted_for(edges, directed, duplicates, loops):
    graph = clew.Graph.from_edges(*edges, directed=directed, duplicates=duplicates, loops=loops)
    report = graph.report
    assert report.given == len(edges.source)
    assert report.loops == np.count_nonzero(edges.source == edges.target)
    assert graph.num_edges == report.given - report.loops_dropped - report.duplicates_merged
    assert (report.loops_dropped > 0) == (loops == "drop" and report.loops > 0)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("weights", [None, "float32"])
def test_the_thread_count_changes_nothing(directed, weights):
    rng = np.random.default_rng(1)
    size = 300_000
    source, target = (rng.zipf(1.5, size) % 5_000 for _ in range(2))
    values = None if weights is None else rng.random(size).astype(weights)
    graphs = []
    try:
        for count in (1, 2, 5):
            threads.set_count(count)
            graphs.append(clew.Graph.from_edges(source, target, values, directed=directed, duplicates="sum"))
    finally:
        threads.set_count(None)
    assert graphs[0] == graphs[1] == graphs[2]


@pytest.mark.parametrize("shape", [(2_000_000, 100), (70_000, 300_000), (3, 50_000), (1, 10), (300_000, 300_000)])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_large_shapes_agree_with_scipy(shape, dtype):
    import scipy.sparse as sp

    n, m = shape
    rng = np.random.default_rng(2)
    source, target = (rng.integers(0, n, m).astype(dtype) for _ in range(2))
    weights = rng.integers(1, 9, m).astype(np.int32)
    expected = sp.coo_array((weights, (source, target)), shape=(n, n)).tocsr()
    expected.sum_duplicates()
    graph = clew.Graph.from_edges(source, target, weights, n, duplicates="sum")
    np.testing.assert_array_equal(graph.indptr, expected.indptr)
    np.testing.assert_array_equal(graph.indices, expected.indices)
    np.testing.assert_array_equal(graph.weights, expected.data)


@pytest.mark.parametrize("degree", [23, 24, 25, 48, 49, 500, 4095, 4096, 20_000])
@pytest.mark.parametrize("dtype", [None, "int8", "float64"])
def test_rows_of_every_length_are_sorted_stably(degree, dtype):
    # from_csr sorts row by row: by insertion, by merging, by radix, depending on the length.
    rng = np.random.default_rng(degree)
    n = max(degree // 2, 2)
    row = rng.integers(0, n, degree)
    weights = None if dtype is None else rng.integers(-100, 100, degree).astype(dtype)
    indptr = np.concatenate([[0], np.full(n, degree)])
    graph = clew.Graph.from_csr(indptr, row, weights)
    order = np.argsort(row, kind="stable")
    np.testing.assert_array_equal(graph.indices, row[order])
    if weights is not None:
        np.testing.assert_array_equal(graph.weights, weights[order])


def test_sums_that_do_not_fit_are_refused():
    with pytest.raises(GraphError, match="1 sums of duplicate weights do not fit int8"):
        clew.Graph.from_edges([0, 0], [1, 1], np.array([100, 100], dtype=np.int8), duplicates="sum")
    assert clew.Graph.from_edges([0, 0], [1, 1], np.array([100, 100]), duplicates="sum").weights.tolist() == [200]


def test_nan_wins_over_numbers_as_in_numpy():
    weights = [1.0, np.nan, -1.0]
    for rule in ("min", "max", "sum"):
        graph = clew.Graph.from_edges([0] * 3, [1] * 3, weights, duplicates=rule)
        assert np.isnan(graph.weights).all()


@pytest.mark.quick
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], [1, 2]), "source has 1 entries and target 2"),
        (([-1], [0]), "negative vertex id, -1"),
        (([0], [5], None, 5), "edge to vertex 5, but num_vertices is 5"),
        (([0], [0], None, -1), "num_vertices is -1"),
        (([0], [0], [1, 2]), r"weights have shape \(2,\)"),
        (([0], [0], ["x"]), "weights have dtype"),
        (([0], [0], [1j]), "weights have dtype complex128"),
        (([0.5], [0]), "source has dtype float64"),
        (([[0]], [[1]]), "source has 2 dimensions"),
        (([0], [2**40]), "Pass ids='map'"),
        (([0], [2**64 - 1]), "ids go up to 2\\^63-1"),
    ],
)
def test_bad_edges_are_refused(arguments, message):
    with pytest.raises(GraphError, match=message):
        clew.Graph.from_edges(*(np.asarray(a) if isinstance(a, list) and a == [2**64 - 1] else a for a in arguments))


@pytest.mark.quick
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"duplicates": "average"}, "duplicates is 'average'"),
        ({"loops": "maybe"}, "loops is 'maybe'"),
        ({"ids": "guess"}, "ids is 'guess'"),
        ({"id_dtype": "int16"}, "id_dtype is int16"),
        ({"id_dtype": "wide"}, "id_dtype is 'wide'; expected int32 or int64"),
        ({"directed": "no"}, "directed is 'no'; expected True or False"),
        ({"directed": None}, "directed is None; expected True or False"),
        ({"num_vertices": 2.5}, "num_vertices is 2.5; expected an integer"),
        ({"num_vertices": -1}, "num_vertices is -1; expected 0 or more"),
        ({"names": 5}, "these cannot be vertex names"),
        ({"names": ["a"]}, "edge to vertex 1"),
        ({"names": ["a", "a"]}, "more than once"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(GraphError, match=message):
        clew.Graph.from_edges([0], [1], **options)


def test_ids_are_as_wide_as_the_graph_needs_or_as_asked():
    assert clew.Graph.from_edges([0], [1]).indices.dtype == np.int32
    assert clew.Graph.from_edges([0], [1], id_dtype="int64").indices.dtype == np.int64
    assert clew.dtypes.id_dtype(2**31 - 1) == np.int32
    assert clew.dtypes.id_dtype(2**31) == np.int64
    with pytest.raises(GraphError, match="need int64"):
        clew.dtypes.id_dtype(2**31, "int32")


def test_edges_listed_in_both_directions_are_checked():
    graph = clew.Graph.from_edges(
        [0, 1, 1, 2, 2], [1, 0, 2, 1, 2], [5, 5, 6, 6, 7], directed=False, both_directions=True
    )
    assert graph.num_edges == 3
    with pytest.raises(GraphError, match="the edge 1 -> 2 is there one way only"):
        clew.Graph.from_edges([0, 1, 1], [1, 0, 2], directed=False, both_directions=True)
    with pytest.raises(GraphError, match="different weights"):
        clew.Graph.from_edges([0, 1], [1, 0], [1, 2], directed=False, both_directions=True)
    # Parallel edges may come in another order the other way round.
    twice = clew.Graph.from_edges([0, 0, 1, 1], [1, 1, 0, 0], [1, 2, 2, 1], directed=False, both_directions=True)
    assert twice.num_edges == 2


@settings(max_examples=40, deadline=None)
@given(edge_lists())
def test_from_csr_agrees_with_from_edges(edges):
    graph = clew.Graph.from_edges(*edges)
    again = clew.Graph.from_csr(graph.indptr, graph.indices, graph.weights)
    assert again == graph
    merged = clew.Graph.from_csr(graph.indptr, graph.indices, graph.weights, duplicates="first", loops="drop")
    assert merged == clew.Graph.from_edges(*edges, duplicates="first", loops="drop")
    assert graph.indptr[-1] == graph.indices.size  # and the arrays given were left alone


def test_from_csr_uses_sorted_rows_without_a_copy():
    indptr, indices = np.array([0, 2, 3]), np.array([0, 1, 0], dtype=np.int32)
    graph = clew.Graph.from_csr(indptr, indices)
    assert np.shares_memory(graph.indices, indices)
    assert indices.flags.writeable
    assert not graph.indices.flags.writeable
    unsorted = np.array([1, 0, 0], dtype=np.int32)
    clew.Graph.from_csr(indptr, unsorted)
    assert unsorted.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("indptr", "indices", "message"),
    [
        ([], [], "indptr has shape"),
        ([0.0, 1.0], [0], "indptr has shape"),
        ([1, 1], [0], "indptr runs from 1 to 1"),
        ([0, 2], [0], "indptr runs from 0 to 2"),
        ([0, 2, 1], [0], "ascend"),
        ([0, 1], [1], "indices contain 1"),
        ([0, 1], [-1], "indices contain -1"),
        ([0, 1], [[0]], "indices have shape"),
    ],
)
def test_bad_rows_are_refused(indptr, indices, message):
    with pytest.raises(GraphError, match=message):
        clew.Graph.from_csr(indptr, indices)


def test_consumed_arrays_give_the_same_graph_and_their_memory_back():
    rng = np.random.default_rng(3)
    size = 1 << 20
    source, target = (rng.integers(0, 1000, size, dtype=np.int32) for _ in range(2))
    weights = rng.random(size)
    expected = clew.Graph.from_edges(source, target, weights)
    view = source[:]
    assert clew.Graph.from_edges(view, target.copy(), weights.copy(), consume=True) == expected
    assert source.any()  # a view does not own its memory: the array behind it stays as it is
    assert clew.Graph.from_edges(source, target, weights, consume=True) == expected
    assert np.count_nonzero(source) < size // 10  # all but the pages at the borders of pieces
