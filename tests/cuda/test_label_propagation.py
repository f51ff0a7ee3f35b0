"""Label propagation by the kernels of the GPU, run on the CPU: labels and rounds are those of the CPU engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.algorithms.label_propagation import cuda
from clew.algorithms.label_propagation.cuda import label_propagation
from clew.engines.cuda.emulation.device import the_emulation
from tests.algorithms.graphs import graphs

#: As it is; and with tables so small that every kind of row occurs in small graphs.
CHOICES = [{}, {"SHORT_ROW": 1, "SLOTS": 64}, {"SHORT_ROW": 0, "SLOTS": 32}]
SHAPES = {
    "star": lambda: clew.generate.star(2500),
    "path": lambda: clew.generate.path(1500),
    "complete": lambda: clew.generate.complete(80),
    "grid": lambda: clew.generate.grid(30, 40, delete=0.2, seed=1),
    "kronecker": lambda: clew.generate.kronecker(9, seed=2),
    "rmat, directed": lambda: clew.generate.rmat(9, 8, 0.5, 0.2, 0.2, seed=3),
}


def same_labels(graph, rounds, choice):
    expected = clew.label_propagation(graph, max_iterations=rounds, device="cpu")
    found = label_propagation(the_emulation(), graph, rounds, **choice)
    np.testing.assert_array_equal(found.label, expected.label)
    assert (found.iterations, found.converged) == (expected.iterations, expected.converged)
    np.testing.assert_array_equal(found.trace["changed"], expected.trace["changed"])


@settings(max_examples=30, deadline=None)
@given(graphs(), st.integers(0, 8), st.sampled_from(CHOICES))
def test_small_graphs(graph, rounds, choice):
    same_labels(graph, rounds, choice)
    result = clew.label_propagation(graph, max_iterations=rounds, device="emulated")
    clew.verify.label_propagation(graph, result)


@pytest.mark.parametrize("choice", CHOICES, ids=str)
@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name, choice):
    same_labels(SHAPES[name](), 10, choice)


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 511, 512, 513, 2600])
def test_sizes(n):
    graph = clew.generate.cycle(n) if n > 2 else clew.Graph.from_edges([], [], num_vertices=n)
    same_labels(graph, 6, {})


def test_several_launches(monkeypatch):
    """A long run stops now and then so that Ctrl-C is heard; it goes on where it was."""
    for name in ("grid", "rmat, directed"):
        graph = SHAPES[name]()
        monkeypatch.setattr(cuda, "EDGES_PER_LAUNCH", 3 * (graph.num_arcs + 1200))
        same_labels(graph, 20, {})


def test_one_table_for_many_long_rows(monkeypatch):
    monkeypatch.setattr(cuda, "TABLES_BYTES", 1)
    same_labels(SHAPES["kronecker"](), 5, {"SLOTS": 64})


def test_wide_ids():
    graph = SHAPES["kronecker"]()
    wide = clew.Graph.from_csr(graph.indptr, graph.indices, directed=False, id_dtype="int64")
    for choice in CHOICES:
        same_labels(wide, 6, choice)
