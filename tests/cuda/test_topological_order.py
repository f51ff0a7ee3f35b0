"""Topological orders by the kernels of the GPU, run on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.algorithms.topological_order import cuda
from clew.algorithms.topological_order.cuda import topological_order
from clew.engines.cuda.emulation.device import the_emulation
from tests.algorithms.graphs import graphs

#: As it is; and with limits that bring warps and blocks into play on small graphs, and cut chains.
CHOICES = [{}, {"SHORT_ROW": 2, "LONG_ROW": 5}, {"SHORT_ROW": 0, "LONG_ROW": 0}]


def downward(graph: clew.Graph) -> clew.Graph:
    """The edges to larger ids."""
    source, target, _ = graph.edges()
    return clew.Graph.from_edges(source[source < target], target[source < target], num_vertices=graph.num_vertices)


SHAPES = {
    "path": lambda: downward(clew.generate.path(700)),
    "star": lambda: downward(clew.generate.star(3000)),
    "complete": lambda: downward(clew.generate.complete(60)),
    "grid": lambda: downward(clew.generate.grid(20, 30)),
    "rmat": lambda: downward(clew.generate.rmat(9, 8, seed=3)),
}


def same(graph, choice):
    found, expected = topological_order(the_emulation(), graph, **choice), clew.topological_order(graph, device="cpu")
    for name, values in expected.values.items():
        np.testing.assert_array_equal(found.values[name], values)
    np.testing.assert_array_equal(found.order, expected.order)
    assert found.generations == expected.generations


@settings(max_examples=30, deadline=None)
@given(graphs(), st.sampled_from(CHOICES))
def test_small_graphs(graph, choice):
    same(downward(graph), choice)


@pytest.mark.parametrize("choice", CHOICES, ids=str)
@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name, choice):
    same(SHAPES[name](), choice)


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 511, 512, 513, 2600])
def test_sizes(n):
    graph = (
        clew.Graph.from_edges(np.arange(n - 1), np.arange(1, n), num_vertices=n) if n else clew.Graph.from_edges([], [])
    )
    assert clew.topological_order(graph, device="emulated").numpy().position.tolist() == list(range(n))


def test_a_step_a_launch(monkeypatch):
    monkeypatch.setattr(cuda, "STEPS_PER_LAUNCH", 1)
    same(SHAPES["rmat"](), {})
    same(SHAPES["path"](), {})


def test_cycles_are_refused_and_named():
    graph = clew.Graph.from_edges(["a", "b", "c", "c"], ["b", "c", "b", "d"])
    with pytest.raises(clew.errors.CycleError, match="'b' -> 'c' -> 'b' is a cycle of 2 edges"):
        clew.topological_order(graph, device="emulated")


def test_wide_ids():
    graph = SHAPES["rmat"]()
    same(clew.Graph.from_csr(graph.indptr, graph.indices, id_dtype="int64"), {})
