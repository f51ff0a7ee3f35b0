"""Maximum flows and minimum cuts by the kernels of the GPU, run on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.algorithms.flows import cuda
from tests.algorithms.test_flows import PIPES
from tests.algorithms.weighted import weighted_graphs


def random(graph, dtype="int32"):
    return clew.generate.random_weights(graph, 0, 99, seed=1, dtype=dtype)


SHAPES = {
    "path": lambda: random(clew.generate.path(300)),
    "complete": lambda: random(clew.generate.complete(40)),
    "grid": lambda: random(clew.generate.grid(15, 20)),
    "rmat, directed": lambda: random(clew.generate.rmat(8, 8, seed=3)),
    "rmat, undirected": lambda: random(clew.generate.rmat(8, 4, seed=3).symmetrized()),
    "a dead end": lambda: clew.Graph.from_edges([0, 1, 1, 2, 3], [1, 2, 4, 3, 1], [9, 9, 1, 9, 9]),
}


def check(graph, source, sink):
    found, cut = (
        find(graph, source, sink, device="emulated").numpy() for find in (clew.maximum_flow, clew.minimum_cut)
    )
    clew.verify.maximum_flow(graph, source, sink, found)
    clew.verify.minimum_cut(graph, source, sink, cut)
    expected = clew.minimum_cut(graph, source, sink, device="cpu")
    assert found.value == pytest.approx(expected.value)
    if found.flow.dtype == np.int64:
        assert found.value == cut.value == expected.value
        np.testing.assert_array_equal(cut.side, expected.side)  # the largest side of the source, which is unique


@settings(max_examples=30, deadline=None)
@given(weighted_graphs("int32", 0, 9), st.sampled_from(["int32", "float64"]))
def test_small_graphs(graph, dtype):
    if graph.num_vertices > 1:
        graph = graph.with_weights((graph.weights * (0.1 if dtype == "float64" else 1)).astype(dtype))
        check(graph, 0, graph.num_vertices - 1)


@pytest.mark.parametrize("dtype", ["int32", "float64"])
@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name, dtype):
    graph = SHAPES[name]()
    check(graph.with_weights(graph.weights.astype(dtype) * (1 if dtype == "int32" else 0.3)), 0, graph.num_vertices - 1)


@pytest.mark.parametrize("n", [2, 31, 32, 33, 65, 513])
def test_sizes(n):
    """A star whose middle is on the way: its row takes many turns of a warp."""
    leaves = np.arange(2, n + 2)
    source, target = np.r_[np.zeros(n, int), leaves, 1], np.r_[leaves, np.ones(n, int), n + 2]
    check(clew.Graph.from_edges(source, target, np.r_[np.arange(n), np.full(n, 7), 3 * n]), 0, n + 2)


def test_few_waves_and_a_step_a_launch(monkeypatch):
    monkeypatch.setattr(cuda, "STEPS_PER_LAUNCH", 1)
    monkeypatch.setattr(cuda, "LEAST_WAVES", 1)
    check(random(clew.generate.grid(5, 6)), 0, 29)
    check(PIPES, "a", "d")


def test_capacities_near_the_limit():
    graph = clew.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [2**59, 2**58 + 1, 2**58, 2**58 + 3])
    check(graph, 0, 3)
