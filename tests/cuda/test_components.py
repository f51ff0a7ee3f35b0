"""Connected components by the kernels of the GPU, run on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.algorithms.connected_components.cuda import component_labels
from clew.engines.cuda.emulation.device import the_emulation
from tests.algorithms.graphs import graphs

#: All kernels, the last three for edges on the host; tiles that small graphs fill, and room for few of their edges.
CHOICES = [
    {"sampled": True},
    {"sampled": True, "SHORT_ROW": 1, "LONG_ROW": 4},
    {"sampled": False},
    {"sampled": False, "TILE": 64, "TILED": 1, "SHORT_ROW": 2, "LONG_ROW": 4},
    {"sampled": False, "TILED": 0},
    {"edges": "zero_copy", "sampled": True},
    {"edges": "zero_copy", "sampled": False},
    {"edges": "zero_copy", "sampled": False, "TILE": 64, "SHORT_ROW": 2, "LONG_ROW": 4, "STAGED_EDGES": 1},
]
SIZES = [0, 1, 2, 31, 32, 33, 511, 512, 513, 3000]


def labels(graph, edges="device", **choice):
    with clew.memory(edges):
        return component_labels(the_emulation(), graph, **choice)


def same_labels(graph, label):
    np.testing.assert_array_equal(label, clew.connected_components(graph, device="cpu").label)


@settings(max_examples=30, deadline=None)
@given(graphs(), st.sampled_from(CHOICES))
def test_small_graphs(graph, choice):
    result = clew.connected_components(graph, device="emulated")
    clew.verify.connected_components(graph, result)
    same_labels(graph, labels(graph, **choice))


@pytest.mark.parametrize("choice", CHOICES, ids=str)
@pytest.mark.parametrize("n", SIZES)
def test_sizes(n, choice):
    """A path in random order, and one in ascending order with every seventh edge left out."""
    order = np.random.default_rng(n).permutation(n)
    kept = np.arange(max(n - 1, 0)) % 7 != 3
    for ids in (order, np.arange(n)):
        for directed in (False, True):
            graph = clew.Graph.from_edges(ids[:-1][kept], ids[1:][kept], num_vertices=n, directed=directed)
            same_labels(graph, labels(graph, **choice))


@pytest.mark.parametrize("choice", CHOICES, ids=str)
@pytest.mark.parametrize(
    "graph",
    [
        clew.generate.star(5000),
        clew.generate.grid(40, 50, delete=0.4, seed=1),
        clew.generate.kronecker(9, seed=2),
        clew.generate.rmat(9, 3, 0.45, 0.22, 0.22, seed=3),
        clew.generate.uniform(3000, 1600, seed=4),
    ],
    ids=["star", "grid", "kronecker", "rmat, directed", "many components"],
)
def test_shapes(graph, choice):
    same_labels(graph, labels(graph, **choice))
    clew.verify.connected_components(graph, clew.connected_components(graph, device="emulated"))


def test_wide_ids():
    graph = clew.generate.grid(20, 30, delete=0.3, seed=1)
    wide = clew.Graph.from_csr(graph.indptr, graph.indices, directed=False, id_dtype="int64")
    for choice in CHOICES:
        same_labels(wide, labels(wide, **choice))
    assert clew.connected_components(wide, device="emulated").label.dtype == np.int64


def test_stars_far_from_the_largest_component():
    """Hubs that are not in the largest component: their rows are long, and must not be left out."""
    hubs, leaves = [7000, 9000], np.arange(2400)
    source = np.concatenate([np.arange(100, 5999), np.full(2400, hubs[0]), np.full(2400, hubs[1])])
    target = np.concatenate([np.arange(101, 6000), 20000 + leaves, 30000 - leaves])
    for directed in (False, True):
        graph = clew.Graph.from_edges(source, target, num_vertices=30001, directed=directed)
        for choice in CHOICES:
            same_labels(graph, labels(graph, **choice))


def test_tiled_rows_of_which_some_are_brought():
    """A tile with more edges than there is room for: those beyond are read where they are, the others once."""
    graph = clew.generate.uniform(2000, 9000, seed=5)
    for staged in (1, 3, 8):
        same_labels(graph, labels(graph, "zero_copy", sampled=False, TILE=128, STAGED_EDGES=staged))
    half = graph.num_arcs * graph.indices.itemsize // 2
    with clew.memory("tiered", half):
        same_labels(graph, component_labels(the_emulation(), graph, sampled=False))
