"""R-MAT and Kronecker graphs: probabilities of quadrants at every level, labels, policies, arguments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.generate import kronecker, rmat
from clew.generate.random_edges import rmat_edges


@pytest.mark.parametrize("quadrants", [(0.57, 0.19, 0.19, 0.05), (0.45, 0.22, 0.22, 0.11), (0.1, 0.2, 0.3, 0.4)])
@pytest.mark.parametrize("scale", [5, 7, 13])
def test_quadrants_at_every_level(scale, quadrants):
    source, target = rmat_edges(scale, 200_000 / 2**scale, quadrants, seed=1)
    tolerance = 5 * 0.5 / np.sqrt(source.size)
    previous = np.zeros(source.size, dtype=np.int64)
    for level in range(scale):
        quadrant = 2 * ((source >> (scale - 1 - level)) & 1) + ((target >> (scale - 1 - level)) & 1)
        assert np.allclose(np.bincount(quadrant, minlength=4) / source.size, quadrants, atol=tolerance)
        # Levels are independent of each other, within one draw and across draws.
        together = np.bincount(4 * previous + quadrant, minlength=16) / source.size
        if level:
            assert np.allclose(together, np.outer(quadrants, quadrants).ravel(), atol=tolerance)
        previous = quadrant


def test_impossible_quadrants_stay_empty():
    source, target = rmat_edges(8, 100, (0.5, 0, 0, 0.5))
    assert np.array_equal(source, target)
    source, target = rmat_edges(8, 4, (1, 0, 0, 0))
    assert not source.any()
    assert not target.any()


def test_graph_has_all_edges_that_were_drawn():
    source, target = rmat_edges(10, 8, seed=5)
    assert source.dtype == np.int32
    assert source.size == 8 << 10
    assert rmat(10, 8, seed=5) == clew.Graph.from_edges(source, target, num_vertices=1 << 10)


def test_policies():
    simple = rmat(8, 16, directed=False, duplicates="drop", loops="drop", scramble=True)
    assert not simple.directed
    assert simple.num_loops == 0
    assert simple.num_edges + simple.report.loops_dropped + simple.report.duplicates_merged == 16 << 8
    source, target, _ = simple.edges()
    assert np.unique(source.astype(np.int64) << 8 | target).size == simple.num_edges


def test_kronecker_is_simple_undirected_and_scrambled():
    graph = kronecker(12, seed=3)
    wanted = rmat(12, 16, 0.57, 0.19, 0.19, 0.05, seed=3, directed=False, duplicates="drop", loops="drop")
    assert graph.num_vertices == 1 << 12
    assert graph.num_edges == wanted.num_edges
    assert graph.report == wanted.report
    assert np.array_equal(np.sort(graph.degrees()), np.sort(wanted.degrees()))
    assert wanted.degrees().argmax() == 0
    assert graph.degrees().argmax() != 0


@settings(max_examples=25, deadline=None)
@given(scale=st.integers(0, 8), factor=st.floats(0, 20), seed=st.integers(0, 2**70), directed=st.booleans())
def test_sizes(scale, factor, seed, directed):
    graph = rmat(scale, factor, seed=seed, directed=directed)
    assert graph.num_vertices == 1 << scale
    assert graph.num_edges == round(factor * (1 << scale))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"scale": -1}, "scale is -1"),
        ({"scale": 41}, "scale is 41"),
        ({"scale": 2.5}, "scale"),
        ({"scale": 4, "edge_factor": -1}, "edge_factor"),
        ({"scale": 4, "edge_factor": float("nan")}, "edge_factor"),
        ({"scale": 4, "edge_factor": float("inf")}, "edge_factor"),
        ({"scale": 4, "edge_factor": "many"}, "edge_factor"),
        ({"scale": 4, "a": 1.1}, "a is 1.1"),
        ({"scale": 4, "b": -0.1}, "b is -0.1"),
        ({"scale": 4, "a": 0.8, "b": 0.3}, "sum to 1.29"),
        ({"scale": 4, "d": 0.2}, "sum to 1.15"),
        ({"scale": 4, "duplicates": "sometimes"}, "duplicates"),
        ({"scale": 4, "loops": "sometimes"}, "loops"),
    ],
)
def test_bad_arguments(arguments, words):
    with pytest.raises(clew.GraphError, match=words):
        rmat(**arguments)


def test_too_large_for_this_machine():
    with pytest.raises(clew.ResourceError, match="bytes of memory"):
        rmat(40)
    with pytest.raises(clew.ResourceError, match="bytes of memory"):
        rmat_edges(40)
