"""Core numbers by the kernels of the GPU, run on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.algorithms.k_core import cuda
from clew.algorithms.k_core.cuda import k_core
from clew.engines.cuda.emulation.device import the_emulation
from tests.algorithms.graphs import graphs

#: As it is; and with limits that bring warps and blocks into play on small graphs.
CHOICES = [{}, {"SHORT_ROW": 2, "LONG_ROW": 5}, {"SHORT_ROW": 0, "LONG_ROW": 0}]
SHAPES = {
    "star": lambda: clew.generate.star(5000),
    "path": lambda: clew.generate.path(3000),
    "complete": lambda: clew.generate.complete(60),
    "grid": lambda: clew.generate.grid(30, 40, delete=0.2, seed=1),
    "kronecker": lambda: clew.generate.kronecker(9, seed=2),
    "rmat, directed": lambda: clew.generate.rmat(9, 8, 0.5, 0.2, 0.2, seed=3),
}


@settings(max_examples=30, deadline=None)
@given(graphs(), st.sampled_from(CHOICES))
def test_small_graphs(graph, choice):
    result = clew.k_core(graph, device="emulated")
    clew.verify.k_core(graph, result)
    expected = clew.k_core(graph, device="cpu")
    np.testing.assert_array_equal(k_core(the_emulation(), graph, **choice).core, expected.core)
    np.testing.assert_array_equal(result.trace["vertices"], expected.trace["vertices"])


@pytest.mark.parametrize("choice", CHOICES, ids=str)
@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name, choice):
    graph = SHAPES[name]()
    np.testing.assert_array_equal(k_core(the_emulation(), graph, **choice).core, clew.k_core(graph, device="cpu").core)


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 511, 512, 513, 2600])
def test_sizes(n):
    graph = clew.generate.cycle(n) if n > 2 else clew.Graph.from_edges([], [], num_vertices=n)
    clew.verify.k_core(graph, clew.k_core(graph, device="emulated"))


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_a_step_a_launch(choice, monkeypatch):
    monkeypatch.setattr(cuda, "STEPS_PER_LAUNCH", 1)
    graph = SHAPES["kronecker"]()
    expected = clew.k_core(graph, device="cpu").core
    np.testing.assert_array_equal(k_core(the_emulation(), graph, **choice).core, expected)
    chain = clew.generate.path(200)
    np.testing.assert_array_equal(k_core(the_emulation(), chain, CHAIN=3, **choice).core, np.ones(200))


def test_wide_ids():
    graph = SHAPES["kronecker"]()
    wide = clew.Graph.from_csr(graph.indptr, graph.indices, directed=False, id_dtype="int64")
    core = clew.k_core(wide, device="emulated").core
    assert core.dtype == np.int64
    np.testing.assert_array_equal(core, clew.k_core(graph, device="cpu").core)
