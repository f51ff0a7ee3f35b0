"""Truss numbers by the kernels of the GPU, run on the CPU."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.algorithms.k_truss import cuda
from clew.algorithms.k_truss.cuda import k_truss
from clew.engines.cuda.emulation.device import the_emulation
from tests.algorithms.graphs import graphs

#: Blocks for waves of few edges; warps for all; blocks for all.
CHOICES = [{}, {"FEW_EDGES": 0}, {"FEW_EDGES": 1000}]
SHAPES = {
    "star": lambda: clew.generate.star(1200),
    "complete": lambda: clew.generate.complete(40),
    "grid": lambda: clew.generate.grid(20, 30, delete=0.2, seed=1),
    "kronecker": lambda: clew.generate.kronecker(8, seed=2),
    "rmat, with loops and parallel edges": lambda: clew.generate.rmat(8, 8, seed=3, directed=False),
    "rmat, directed": lambda: clew.generate.rmat(8, 8, 0.5, 0.2, 0.2, seed=3),
}


@settings(max_examples=30, deadline=None)
@given(graphs(), st.sampled_from(CHOICES))
def test_small_graphs(graph, choice):
    clew.verify.k_truss(graph, clew.k_truss(graph, device="emulated"))
    expected = clew.k_truss(graph, device="cpu").truss
    np.testing.assert_array_equal(k_truss(the_emulation(), graph, **choice).truss, expected)


@pytest.mark.parametrize("choice", CHOICES, ids=str)
@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name, choice):
    graph = SHAPES[name]()
    expected = clew.k_truss(graph, device="cpu")
    found = k_truss(the_emulation(), graph, **choice)
    np.testing.assert_array_equal(found.truss, expected.truss)
    assert found.largest == expected.largest


@pytest.mark.parametrize("n", [0, 1, 2, 31, 32, 33, 65])
def test_sizes(n):
    graph = clew.generate.complete(n) if n else clew.Graph.from_edges([], [])
    assert (clew.k_truss(graph, device="emulated").truss == n).all()


def test_a_step_a_launch(monkeypatch):
    monkeypatch.setattr(cuda, "STEPS_PER_LAUNCH", 1)
    graph = SHAPES["kronecker"]()
    expected = clew.k_truss(graph, device="cpu").truss
    np.testing.assert_array_equal(clew.k_truss(graph, device="emulated").truss, expected)


def test_rows_are_made_again_of_the_edges_left(monkeypatch):
    sizes = []
    where = cuda.Links.where
    monkeypatch.setattr(cuda.Links, "where", lambda *given: (sizes.append(given[0].neighbours.size), where(*given))[1])
    clew.k_truss(SHAPES["kronecker"](), device="emulated")
    assert len(sizes) >= 3  # the first is of arcs to later ends
    assert all(after < before / 2 for before, after in pairwise(sizes[1:]))


def test_wide_ids():
    graph = SHAPES["kronecker"]()
    wide = clew.Graph.from_csr(graph.indptr, graph.indices, directed=False, id_dtype="int64")
    expected = clew.k_truss(graph, device="cpu").truss
    np.testing.assert_array_equal(clew.k_truss(wide, device="emulated").truss, expected)
