"""Random weights: ranges, symmetry, stability, types."""

from __future__ import annotations

import numpy as np
import pytest

import clew
from clew.generate import cycle, random_weights, rmat, uniform
from tests.generate.test_random import chi_square

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.fixture(scope="module")
def multigraph() -> clew.Graph:
    """Undirected, with many duplicates and self-loops."""
    return uniform(40, 5000, directed=False)


def test_both_directions_weigh_the_same(multigraph):
    weighted = random_weights(multigraph, 1, 10**6, seed=3)
    # from_csr compares the directions of every edge, duplicates in order.
    again = clew.Graph.from_csr(weighted.indptr, weighted.indices, weighted.weights, directed=False)
    assert again == weighted
    assert np.unique(weighted.weights).size > 4500


def test_directed_edges_weigh_the_same_in_both_directions():
    both = clew.Graph.from_edges([0, 1, 1], [1, 0, 2])
    weights = random_weights(both, 1, 2**30).weights
    assert weights[0] == weights[1] != weights[2]


def test_an_edge_keeps_its_weight_when_others_go():
    whole = random_weights(clew.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3]), 1, 10**9)
    part = random_weights(clew.Graph.from_edges([0, 2], [2, 3], num_vertices=4), 1, 10**9)
    assert part.weights.tolist() == whole.weights[[1, 3]].tolist()


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_fill_their_range(multigraph, dtype):
    low = -3 if np.dtype(dtype).kind == "i" else 0
    weights = random_weights(multigraph, low, 9, dtype=dtype).weights
    assert weights.dtype == dtype
    source, target, _ = multigraph.edges()
    assert weights.size == source.size + np.count_nonzero(source != target)
    assert set(weights.tolist()) == set(range(low, 10))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_over_all_of_their_type(multigraph, dtype):
    info = np.iinfo(dtype)
    weights = random_weights(multigraph, info.min, info.max, dtype=dtype).weights
    scaled = (weights.astype(float) - float(info.min)) / (float(info.max) - float(info.min))
    assert scaled.mean() == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_are_uniform(multigraph, dtype):
    weights = random_weights(multigraph, -1.5, 2.5, dtype=dtype).weights
    assert weights.dtype == dtype
    assert weights.min() >= -1.5
    assert weights.max() < 2.5
    assert np.allclose(np.histogram(weights, 4, (-1.5, 2.5))[0] / weights.size, 0.25, atol=0.05)


def test_floats_never_reach_the_end():
    """Between 1 and the next float32 there is nothing: all weights are 1."""
    following = float(np.nextafter(np.float32(1), np.float32(2)))
    weights = random_weights(uniform(100, 10_000), 1.0, following, dtype="float32").weights
    assert np.all(weights == 1)


def test_integers_are_uniform():
    weights = random_weights(uniform(3000, 100_000, duplicates="drop"), 1, 255, 7).weights
    assert abs(chi_square(np.bincount(weights, minlength=256)[1:], weights.size / 255)) < 5


@pytest.mark.quick
def test_default_types():
    graph = cycle(5)
    assert random_weights(graph).weights.dtype == np.int32
    assert random_weights(graph, 0, 2**40).weights.dtype == np.int64
    assert random_weights(graph, 0.0, 1.0).weights.dtype == np.float64
    assert random_weights(graph, 0, 1, dtype="bool").weights.dtype == np.bool_


def test_the_rest_stays():
    graph = clew.Graph.from_edges(["a", "b"], ["b", "c"], metadata={"from": "here"})
    weighted = random_weights(graph, 5, 5)
    assert weighted.names == graph.names
    assert weighted.metadata == graph.metadata
    assert weighted.directed
    assert weighted.weights.tolist() == [5, 5]
    assert weighted.with_weights(None) == graph


def test_empty_graph():
    assert random_weights(clew.generate.path(0)).weights.size == 0


@pytest.mark.quick
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((5, 4), "low ≤ high"),
        ((0, 256, 0, "uint8"), "high is 256"),
        ((-1, 5, 0, "uint8"), "low is -1"),
        ((0.5, 2, 0, "int32"), "expected an integer"),
        ((1.0, 1.0), "low < high"),
        ((0.0, float("inf")), "finite"),
        ((0.0, 1e300, 0, "float32"), "within"),
        ((0, 1, 0, "complex128"), "dtype"),
        ((0, 1, 0, "no such type"), "dtype"),
        ((0, 1, -1), "seed"),
    ],
)
def test_bad_arguments(arguments, words):
    with pytest.raises(clew.GraphError, match=words):
        random_weights(rmat(3), *arguments)


def test_weights_need_a_graph():
    with pytest.raises(clew.GraphError, match=r"the graph is of type int; expected a clew.Graph"):
        random_weights(5)
