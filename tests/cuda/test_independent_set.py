"""Maximal independent sets by the kernels of the GPU, run on the CPU: sets and rounds are those of the CPU engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.algorithms.maximal_independent_set import cuda
from clew.algorithms.maximal_independent_set.cuda import maximal_independent_set
from clew.engines.cuda.emulation.device import the_emulation
from tests.algorithms.graphs import graphs

CHOICES = [{}, {"SHORT_ROW": 2, "LONG_ROW": 5}, {"SHORT_ROW": 0, "LONG_ROW": 0}]
METHODS = ["luby", "degree"]
SHAPES = {
    "star": lambda: clew.generate.star(4000),
    "complete": lambda: clew.generate.complete(80),
    "grid": lambda: clew.generate.grid(30, 40, delete=0.2, seed=1),
    "kronecker": lambda: clew.generate.kronecker(9, seed=2),
    "rmat, directed": lambda: clew.generate.rmat(9, 8, 0.5, 0.2, 0.2, seed=3),
}


def same_set(graph, method, choice, seed=0):
    expected = clew.maximal_independent_set(graph, method=method, seed=seed, device="cpu")
    found = maximal_independent_set(the_emulation(), graph, seed, by_degree=method == "degree", **choice)
    np.testing.assert_array_equal(found.member, expected.member)
    assert found.iterations == expected.iterations
    np.testing.assert_array_equal(found.trace["left"], expected.trace["left"])


@settings(max_examples=30, deadline=None)
@given(graphs(), st.sampled_from(METHODS), st.sampled_from(CHOICES), st.integers(0, 3))
def test_small_graphs(graph, method, choice, seed):
    same_set(graph, method, choice, seed)
    result = clew.maximal_independent_set(graph, method=method, seed=seed, device="emulated")
    clew.verify.maximal_independent_set(graph, result)


@pytest.mark.parametrize("choice", CHOICES, ids=str)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name, method, choice):
    same_set(SHAPES[name](), method, choice)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 511, 512, 513, 2600])
def test_sizes(n, method):
    graph = clew.generate.cycle(n) if n > 2 else clew.Graph.from_edges([], [], num_vertices=n)
    same_set(graph, method, {})


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_a_step_a_launch(choice, monkeypatch):
    monkeypatch.setattr(cuda, "STEPS_PER_LAUNCH", 1)
    for method in METHODS:
        same_set(SHAPES["rmat, directed"](), method, choice)


def test_wide_ids():
    graph = SHAPES["kronecker"]()
    wide = clew.Graph.from_csr(graph.indptr, graph.indices, directed=False, id_dtype="int64")
    for method in METHODS:
        same_set(wide, method, {})
