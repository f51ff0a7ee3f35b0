"""Strong components and condensations by the kernels of the GPU, run on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew.algorithms.strongly_connected_components import cuda
from clew.engines.choice import gpu_for
from tests.algorithms.graphs import graphs
from tests.on_gpu import emulation_only


def ring(n: int, order: np.ndarray | None = None) -> clew.Graph:
    """A cycle of n vertices, in the order of their ids or in another one."""
    path = np.arange(n) if order is None else order
    return clew.Graph.from_edges(path, np.roll(path, -1), num_vertices=n)


SHAPES = {
    "many rounds": lambda: clew.generate.rmat(9, 2, 0.4, 0.3, 0.2, seed=3),
    "rmat": lambda: clew.generate.rmat(9, 6, seed=3),
    "ring": lambda: ring(3000),
    "ring of other ids": lambda: ring(3000, np.random.default_rng(1).permutation(3000)),
    "two rings and an edge": lambda: clew.Graph.from_edges([0, 1, 2, 2, 3, 4, 5], [1, 2, 0, 3, 4, 5, 3]),
    "path": lambda: clew.Graph.from_edges(np.arange(2999), np.arange(1, 3000)),
    "undirected": lambda: clew.generate.grid(20, 30, delete=0.4, seed=1),
}


def same(graph: clew.Graph) -> clew.Result:
    """The components of the GPU, compared with those of the CPU."""
    found = clew.strongly_connected_components(graph, device="emulated").numpy()
    expected = clew.strongly_connected_components(graph, device="cpu")
    np.testing.assert_array_equal(found.label, expected.label)
    assert (found.count, found.largest) == (expected.count, expected.largest)
    return found


@settings(max_examples=30, deadline=None)
@given(graphs())
def test_small_graphs(graph):
    clew.verify.strongly_connected_components(graph, same(graph))
    found = clew.condensation(graph, device="emulated").numpy()
    clew.verify.condensation(graph, found)
    expected = clew.condensation(graph, device="cpu")
    np.testing.assert_array_equal(found.component, expected.component)
    assert found.graph == expected.graph


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    same(SHAPES[name]())


@emulation_only
@pytest.mark.parametrize("name", ["ring", "ring of other ids", "path"])
def test_long_paths_take_few_steps(name, monkeypatch):
    """A launch may take one step; one for every vertex would be thousands of launches."""
    monkeypatch.setattr(cuda, "STEPS_PER_LAUNCH", 2)
    device = gpu_for("emulated", 0)
    before = device.launches
    same(SHAPES[name]())
    assert device.launches - before < 200


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 511, 512, 513, 2600])
def test_sizes(n):
    same(ring(n))


def test_wide_ids():
    graph = SHAPES["many rounds"]()
    wide = clew.Graph.from_csr(graph.indptr, graph.indices, id_dtype="int64")
    np.testing.assert_array_equal(same(wide).label, same(graph).label)
