"""Edges that are on a GPU are sorted there; NumPy stands in for CuPy, so that the same steps run here."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.build import on_device
from clew.build.rows import Policies


class OnGpu:
    """An array that says it is on a GPU, which NumPy can read all the same."""

    def __init__(self, values):
        self.values = np.asarray(values)

    @property
    def __cuda_array_interface__(self):
        return self.values.__array_interface__

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype or self.values.dtype)


@pytest.fixture(autouse=True)
def numpy_for_cupy(monkeypatch):
    monkeypatch.setattr(on_device, "_cupy", lambda: np)


@settings(max_examples=30, deadline=None)
@given(
    edges=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 3)), max_size=30),
    directed=st.booleans(),
    duplicates=st.sampled_from(["keep", "drop", "first", "min", "max", "sum"]),
    loops=st.sampled_from(["keep", "drop"]),
    weighted=st.booleans(),
    dtype=st.sampled_from([np.int32, np.int64, np.uint32]),
)
def test_the_same_graph_as_from_the_host(edges, directed, duplicates, loops, weighted, dtype):
    source, target = (np.array([edge[k] for edge in edges], dtype=dtype) for k in (0, 1))
    weights = np.array([edge[2] for edge in edges], dtype=np.int64) if weighted else None
    policies = {"num_vertices": 8, "directed": directed, "duplicates": duplicates, "loops": loops}
    expected = clew.Graph.from_edges(source, target, weights, **policies)
    found = on_device.build(source, target, weights, Policies(**policies, mirror=not directed))
    rows = found.adjacency
    np.testing.assert_array_equal(rows.indptr, expected.indptr)
    np.testing.assert_array_equal(rows.indices, expected.indices)
    assert rows.indices.dtype == expected.indices.dtype
    assert found.report == expected.report
    if weighted:  # of equal edges that are all kept, any order will do
        place = np.repeat(np.arange(8), np.diff(rows.indptr))
        ours, theirs = (np.lexsort((held, rows.indices, place)) for held in (rows.weights, expected.weights))
        np.testing.assert_array_equal(rows.weights[ours], expected.weights[theirs])


def test_from_edges_takes_arrays_of_a_gpu():
    graph = clew.Graph.from_edges(OnGpu([1, 0, 1]), OnGpu([2, 1, 0]), OnGpu([1.0, 2.0, 3.0]), names=["a", "b", "c"])
    assert graph.indptr.tolist() == [0, 1, 3, 3]
    assert graph.indices.tolist() == [1, 0, 2]
    assert graph.weights.tolist() == [2.0, 3.0, 1.0]
    assert graph.name(2) == "c"
    assert on_device.device_copy(graph.indices) is None  # they are on the host, so nothing is kept for a GPU


def test_edges_given_in_both_directions_are_taken_as_they_are():
    both = (OnGpu([0, 1, 2, 2]), OnGpu([1, 0, 2, 2]))
    assert clew.Graph.from_edges(*both, directed=False, both_directions=True).indices.tolist() == [1, 0, 2, 2]
    with pytest.raises(clew.GraphError):
        clew.Graph.from_edges(OnGpu([0]), OnGpu([1]), directed=False, both_directions=True)


@pytest.mark.parametrize(
    ("source", "target", "weights", "message"),
    [
        ([0, 1], [1], None, "source has 2 entries and target 1"),
        ([0, -1], [1, 0], None, "negative vertex id, -1"),
        ([0.5], [1.0], None, "expected integers"),
        ([[0]], [[1]], None, "2 dimensions"),
        ([0, 1], [1, 2], [1.0], r"weights have shape \(1,\)"),
        ([0], [9], None, "edge to vertex 9, but num_vertices is 3"),
    ],
)
def test_what_is_wrong_is_said(source, target, weights, message):
    carried = None if weights is None else OnGpu(weights)
    with pytest.raises(clew.GraphError, match=message):
        clew.Graph.from_edges(OnGpu(source), OnGpu(target), carried, num_vertices=3)


def test_too_little_memory_is_said_in_bytes(monkeypatch):
    def none_left(*_):
        raise MemoryError("Out of memory allocating 1,024 bytes")

    monkeypatch.setattr(on_device, "_build", none_left)
    with pytest.raises(clew.ResourceError, match=r"1,024 bytes.*source\.get"):
        clew.Graph.from_edges(OnGpu([0]), OnGpu([1]))
