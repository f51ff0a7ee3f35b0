"""Colouring by the kernels of the GPU, run on the CPU: the colours are those of the CPU engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.algorithms.coloring import cuda
from clew.algorithms.coloring.cuda import color_by_rounds, color_in_order
from clew.engines.cuda.emulation.device import the_emulation
from tests.algorithms.graphs import graphs

CHOICES = [{}, {"SHORT_ROW": 2, "LONG_ROW": 5}, {"SHORT_ROW": 0, "LONG_ROW": 0}]
ORDERS = ["largest_first", "random", "smallest_last", None]  # None: by rounds
SHAPES = {
    "star": lambda: clew.generate.star(4000),
    "complete": lambda: clew.generate.complete(150),
    "grid": lambda: clew.generate.grid(30, 40, delete=0.2, seed=1),
    "kronecker": lambda: clew.generate.kronecker(9, seed=2),
    "rmat, directed": lambda: clew.generate.rmat(9, 8, 0.5, 0.2, 0.2, seed=3),
}


def same_colors(graph, order, choice, seed=0):
    device = the_emulation()
    if order is None:
        expected = clew.coloring(graph, method="rounds", seed=seed, device="cpu")
        found = color_by_rounds(device, graph, seed, **choice)
        assert found.iterations == expected.iterations
        np.testing.assert_array_equal(found.trace["colored"], expected.trace["colored"])
    else:
        expected = clew.coloring(graph, order=order, seed=seed, device="cpu")
        found = color_in_order(device, graph, order, seed, **choice)
    np.testing.assert_array_equal(found.color, expected.color)


@settings(max_examples=30, deadline=None)
@given(graphs(), st.sampled_from(ORDERS), st.sampled_from(CHOICES), st.integers(0, 3))
def test_small_graphs(graph, order, choice, seed):
    same_colors(graph, order, choice, seed)
    method = {"method": "rounds"} if order is None else {"order": order}
    clew.verify.coloring(graph, clew.coloring(graph, seed=seed, device="emulated", **method))


@pytest.mark.parametrize("choice", CHOICES, ids=str)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name, order, choice):
    same_colors(SHAPES[name](), order, choice)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 511, 512, 513, 2600])
def test_sizes(n, order):
    graph = clew.generate.cycle(n) if n > 2 else clew.Graph.from_edges([], [], num_vertices=n)
    same_colors(graph, order, {})


def test_more_colors_than_a_warp_has_bits_for():
    """A complete graph whose rows are long needs a colour for every vertex."""
    graph = clew.generate.complete(2100)
    result = clew.coloring(graph, device="emulated")
    np.testing.assert_array_equal(np.sort(result.color), np.arange(2100))


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_a_step_a_launch(choice, monkeypatch):
    monkeypatch.setattr(cuda, "STEPS_PER_LAUNCH", 1)
    graph = clew.generate.kronecker(6, seed=2)
    for order in ORDERS:
        same_colors(graph, order, choice)


def test_wide_ids():
    graph = SHAPES["kronecker"]()
    wide = clew.Graph.from_csr(graph.indptr, graph.indices, directed=False, id_dtype="int64")
    for order in ORDERS:
        same_colors(wide, order, {})
