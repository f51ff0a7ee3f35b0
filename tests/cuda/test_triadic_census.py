"""Triadic censuses by the kernels of the GPU, run on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew.algorithms.triadic_census.cuda import triadic_census
from clew.engines.cuda.emulation.device import the_emulation
from tests.algorithms.graphs import graphs
from tests.cuda.test_triangles import TINY

#: Tables, parts and lists of every kind, and counters that are emptied again and again.
SMALL = {name: value for name, value in TINY.items() if name != "SHORT"} | {"MANY_PAIRS": 8}


def check(graph):
    expected = clew.triadic_census(graph, device="cpu").census
    for constants in ({}, SMALL) if graph.directed else ({},):
        assert triadic_census(the_emulation(), graph, **constants).census == expected


@settings(max_examples=25, deadline=None)
@given(graphs())
def test_small_graphs(graph):
    clew.verify.triadic_census(graph, clew.triadic_census(graph, device="emulated"))
    check(graph)


@pytest.mark.parametrize("n", [0, 1, 2, 31, 32, 33, 65])
def test_sizes(n):
    graph = clew.generate.complete(n) if n else clew.Graph.from_edges([], [])
    source, target, _ = graph.edges()
    check(clew.Graph.from_edges(source, target, num_vertices=n))


def test_skewed_graphs():
    graph = clew.generate.rmat(9, 12, seed=4)
    check(graph)
    check(graph.symmetrized())


def test_lists_for_a_warp_and_for_a_block():
    graph = clew.generate.complete(270)  # a warp's lists have 256 entries
    source, target, _ = graph.edges()
    check(clew.Graph.from_edges(source, target, num_vertices=270))


def test_packed_rows_and_duplicates():
    graph = clew.generate.rmat(8, 8, seed=5)
    with clew.memory(packed=True):
        check(graph)
    source, target, _ = graph.edges()
    check(clew.Graph.from_edges(np.r_[source, source, 3], np.r_[target, target, 3]))
