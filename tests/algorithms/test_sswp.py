"""Widest paths, against their checker and answers by another method."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError, Result, VerificationError
from clew.algorithms.sswp.cpu import turned_over
from tests.algorithms.graphs import LARGE, thread_count
from tests.algorithms.weighted import large, weighted_graphs
from tests.graph.strategies import SOME_DTYPES


def by_thresholds(graph, source):
    """The width of every vertex that can be reached: the largest weight such that it can be with no smaller ones."""
    start, end, weights = graph.edges()
    width = {}
    for least in sorted(set(weights.tolist()), reverse=True):
        kept = weights >= least
        wide = clew.Graph.from_edges(start[kept], end[kept], None, graph.num_vertices, graph.directed)
        for v in np.flatnonzero(clew.bfs(wide, source).depth > 0).tolist():
            width.setdefault(v, least)
    return width


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_workers_turn_weights_over_by_a_subtraction(dtype):
    floats = dtype.startswith("float")
    ends = np.finfo(dtype) if floats else np.iinfo(dtype)
    weights = np.array([0, 1, 5, ends.min, ends.max, *([-0.0, np.inf] if floats else [])], dtype)
    assert (turned_over(weights.dtype.type(0)) - weights).tobytes() == turned_over(weights).tobytes()


@settings(max_examples=48, deadline=None)
@given(weighted_graphs("int32", -3, 3) | weighted_graphs("float64", -3, 3), st.data())
def test_small_graphs(graph, data):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    result = clew.sswp(graph, source, deterministic=data.draw(st.booleans()))
    clew.verify.sswp(graph, source, result)
    expected = by_thresholds(graph, source)
    found = {v: w for v, w in enumerate(result.width.tolist()) if result.parent[v] >= 0 and v != source}
    assert found == expected
    assert result.num_reached == len(expected) + 1


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("name", LARGE)
def test_large_graphs(name, threads):
    graph, source = large(name)
    with thread_count(threads):
        result = clew.sswp(graph, source)
        steady = clew.sswp(graph, source, deterministic=True)
    for found in (result, steady):
        clew.verify.sswp(graph, source, found)
    with thread_count(1):
        alone = clew.sswp(graph, source, deterministic=True)
    np.testing.assert_array_equal(result.width, alone.width)
    np.testing.assert_array_equal(steady.parent, alone.parent)
    assert result.num_reached == clew.bfs(graph, source).num_reached


@pytest.mark.parametrize("dtype", SOME_DTYPES)
def test_every_dtype(dtype):
    floating, boolean = np.dtype(dtype).kind == "f", dtype == "bool"
    low, high = (-np.inf, np.inf) if floating else (False, True)
    if not floating and not boolean:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    weights = np.array([4, 1, 3, high, low], dtype=dtype)
    graph = clew.Graph.from_edges([0, 0, 1, 2, 0], [1, 2, 2, 3, 4], weights)
    result = clew.sswp(graph, 0)
    clew.verify.sswp(graph, 0, result)
    assert result.width.dtype == dtype
    assert result.width.tolist() == [high, *([True] * 3 if boolean else [4, 3, 3]), low]
    assert result.parent.tolist()[3:] == [2, -1]


def test_arguments():
    graph = clew.Graph.from_edges(["a", "b"], ["b", "c"], [1.0, 2.0])
    assert clew.sswp(graph, "b").to_dict() == {"b": np.inf, "c": 2.0}
    with pytest.raises(GraphError, match="sswp needs edge weights"):
        clew.sswp(clew.generate.path(3))
    with pytest.raises(GraphError, match="1 weight is NaN"):
        clew.sswp(graph.with_weights([1.0, np.nan]), "a")
    with pytest.raises(GraphError, match="device is 'tpu'"):
        clew.sswp(graph, "a", device="tpu")


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda w, p: w.__setitem__(0, 1), "the source has value"),
        (lambda w, p: p.__setitem__(2, -1), "exactly the vertices with a value"),
        (lambda w, p: w.__setitem__(3, 9), "gives a vertex its value"),
        (lambda w, p: (p.__setitem__(2, 0), w.__setitem__(2, 1), w.__setitem__(3, 1)), "a better value"),
        (lambda w, p: p.__setitem__(2, 3), "leads to the source"),
    ],
)
def test_the_checker_finds_what_is_wrong(change, rule):
    graph = clew.Graph.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 2], [4, 1, 3, 7, 7])
    result = clew.sswp(graph, 0)
    width, parent = result.width.copy(), result.parent.copy()
    change(width, parent)
    with pytest.raises(VerificationError, match=rule):
        clew.verify.sswp(graph, 0, Result("sswp", {"width": width, "parent": parent}))
