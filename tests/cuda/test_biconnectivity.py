"""Bridges, articulation points and biconnected components by the kernels of the GPU, run on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import clew
from tests.algorithms.graphs import graphs
from tests.algorithms.test_biconnectivity import GRAPH, NAMES

SHAPES = {
    "path": lambda: clew.generate.path(700),
    "cycle": lambda: clew.generate.cycle(513),
    "star": lambda: clew.generate.star(1200),
    "complete": lambda: clew.generate.complete(40),
    "grid": lambda: clew.generate.grid(20, 30, delete=0.3, seed=1),
    "blocks with loops and parallel edges": lambda: GRAPH,
    "rmat, directed": lambda: clew.generate.rmat(9, 2, seed=3),
    "rmat, undirected": lambda: clew.generate.rmat(9, 1, seed=3, directed=False),
}


def check(graph):
    for name in NAMES:
        found = getattr(clew, name)(graph, device="emulated").numpy()
        expected = getattr(clew, name)(graph, device="cpu")
        for key, values in expected.values.items():
            assert found.values[key].dtype == values.dtype
            np.testing.assert_array_equal(found.values[key], values)
        assert found.count == expected.count
        if name == "biconnected_components":
            np.testing.assert_array_equal(found.sizes, expected.sizes)


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_small_graphs(graph):
    check(graph)
    for name in NAMES:
        getattr(clew.verify, name)(graph, getattr(clew, name)(graph, device="emulated").numpy())


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    check(SHAPES[name]())


@pytest.mark.parametrize("n", [0, 1, 2, 31, 32, 33, 511, 512, 513])
def test_sizes(n):
    """A comb: a path with a vertex at every vertex, and with two ends that are linked."""
    path = np.arange(max(0, n - 1))
    source, target = np.r_[path, np.arange(n)], np.r_[path + 1, np.arange(n, 2 * n)]
    if n > 2:
        source, target = np.r_[source, 0], np.r_[target, n // 2]
    check(clew.Graph.from_edges(source, target, num_vertices=2 * n, directed=False))


def test_the_forest_may_be_any():
    """Threads race for its edges, and the answer is the same."""
    graph = clew.generate.grid(15, 15, delete=0.25, seed=2)
    for _ in range(5):
        check(graph)


def test_wide_ids():
    graph = SHAPES["grid"]()
    check(clew.Graph.from_csr(graph.indptr, graph.indices, directed=False, id_dtype="int64"))
