"""Bipartite matching, against its checker, NetworkX and SciPy."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import maximum_bipartite_matching

import clew
from clew import GraphError, Result, VerificationError
from clew.algorithms.bipartite_matching.generic import bipartite_matching as over_products
from clew.algorithms.waist import Waist
from tests.algorithms.graphs import LARGE, as_networkx, graphs

METHODS = ["maximum", "maximal"]


def random_bipartite(rows, columns, edges, seed, directed=True):
    random = np.random.default_rng(seed)
    source, target = random.integers(0, rows, edges), rows + random.integers(0, columns, edges)
    metadata = {"bipartite": [rows, columns]}
    return clew.Graph.from_edges(source, target, None, rows + columns, directed, metadata=metadata)


def maximum_size(graph, rows):
    source, target, _ = graph.edges()
    shape = (rows, graph.num_vertices - rows)
    matrix = sp.csr_array((np.ones(source.size), (source, target - rows)), shape=shape)
    return int((maximum_bipartite_matching(matrix, "column") >= 0).sum())


@st.composite
def bipartite(draw):
    """Small graphs between two mixed-up sides, with duplicate edges; (graph, left)."""
    rows, columns = draw(st.integers(0, 8)), draw(st.integers(0, 8))
    m = draw(st.integers(0, 30)) if rows and columns else 0
    order = np.array(draw(st.permutations(range(rows + columns))), dtype=np.int64)
    pairs = [(draw(st.integers(0, rows - 1)), rows + draw(st.integers(0, columns - 1))) for _ in range(m)]
    ends = order[np.array(pairs, dtype=np.int64).reshape(-1, 2)]
    turned = np.array([draw(st.booleans()) for _ in range(m)], dtype=bool)
    ends[turned] = ends[turned][:, ::-1]
    graph = clew.Graph.from_edges(ends[:, 0], ends[:, 1], None, rows + columns, draw(st.booleans()))
    left = np.zeros(rows + columns, dtype=bool)
    left[order[:rows]] = True
    return graph, left


@pytest.mark.parametrize("given_side", [False, True])
@settings(max_examples=60, deadline=None)
@given(bipartite())
def test_small_graphs(given_side, case):
    graph, left = case
    side = left if given_side else None
    result = clew.bipartite_matching(graph, left=side)
    clew.verify.bipartite_matching(graph, result)
    other = as_networkx(graph).to_undirected()
    expected = nx.bipartite.hopcroft_karp_matching(other, np.flatnonzero(left).tolist())
    assert result.size == len(expected) // 2
    if given_side:
        np.testing.assert_array_equal(result.left, left)
    maximal = clew.bipartite_matching(graph, left=side, method="maximal")
    clew.verify.bipartite_matching(graph, maximal, maximum=False)
    assert result.size / 2 <= maximal.size <= result.size
    assert maximal.trace["paths"].tolist() == [maximal.size]


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_what_is_not_bipartite_is_refused_with_an_edge(graph):
    if nx.is_bipartite(as_networkx(graph).to_undirected()):
        clew.verify.bipartite_matching(graph, clew.bipartite_matching(graph))
    else:
        with pytest.raises(GraphError, match=r"not bipartite: the edge \d+ -> \d+ closes a cycle of odd length"):
            clew.bipartite_matching(graph)


@pytest.mark.parametrize(
    ("rows", "columns", "edges"), [(3000, 3000, 6000), (3000, 3000, 8200), (2000, 5000, 9000), (500, 400, 20_000)]
)
def test_large_graphs(rows, columns, edges):
    for directed in (True, False):
        graph = random_bipartite(rows, columns, edges, seed=edges, directed=directed)
        result = clew.bipartite_matching(graph)
        clew.verify.bipartite_matching(graph, result)
        assert result.size == maximum_size(graph, rows)
        np.testing.assert_array_equal(result.mate, clew.bipartite_matching(graph).mate)
        start = clew.bipartite_matching(graph, method="maximal")
        clew.verify.bipartite_matching(graph, start, maximum=False)
        assert start.size >= 0.97 * result.size
        assert result.trace["paths"].sum() == result.size
        assert result.trace["paths"][0] == start.size
        assert len(result.trace) == result.iterations


def test_a_start_that_is_not_maximum_is_improved():
    graph = LARGE["grid"]()
    result = clew.bipartite_matching(graph)
    clew.verify.bipartite_matching(graph, result)
    assert result.iterations > 2
    assert clew.bipartite_matching(graph, method="maximal").size < result.size


def test_known_answers():
    def size(graph):
        result = clew.bipartite_matching(graph)
        clew.verify.bipartite_matching(graph, result)
        return result.size

    assert size(clew.Graph.from_edges([], [])) == 0
    assert size(clew.Graph.from_edges([], [], num_vertices=3)) == 0
    assert size(clew.generate.path(60_001)) == 30_000
    assert size(clew.generate.cycle(1000)) == 500
    assert size(clew.generate.star(1000)) == 1
    assert size(clew.generate.grid(100, 100)) == 5000
    source, target = np.divmod(np.arange(30 * 20), 20)
    assert size(clew.Graph.from_edges(source, 30 + target)) == 20


def test_sides():
    graph = random_bipartite(4, 3, 6, seed=2)
    assert clew.bipartite_matching(graph).left.tolist() == [True] * 4 + [False] * 3
    misled = clew.Graph.from_edges([0, 1], [1, 2], metadata={"bipartite": [2, 1]})
    assert clew.bipartite_matching(misled).left.tolist() == [True, False, True]
    with pytest.raises(GraphError, match="the edge 0 -> 1 has both ends on the left side"):
        clew.bipartite_matching(misled, left=[0, 1])
    with pytest.raises(GraphError, match="the edge 1 -> 2 has both ends on the right side"):
        clew.bipartite_matching(misled, left=[True, False, False])
    with pytest.raises(GraphError, match="expected one entry per vertex"):
        clew.bipartite_matching(misled, left=[True])
    named = clew.Graph.from_edges(["a", "b"], ["x", "x"])
    assert clew.bipartite_matching(named, left=["x"]).size == 1
    with pytest.raises(GraphError, match="no vertex is called 'z'"):
        clew.bipartite_matching(named, left=["z"])
    with pytest.raises(GraphError, match="the edge 'a' -> 'x' has both ends on the right side"):
        clew.bipartite_matching(named, left=["b"])


def test_arguments():
    graph = clew.generate.path(3)
    with pytest.raises(GraphError, match="method is 'best'; expected 'maximum' or 'maximal'"):
        clew.bipartite_matching(graph, method="best")
    with pytest.raises(GraphError, match="device is 'tpu'"):
        clew.bipartite_matching(graph, device="tpu")


@pytest.mark.parametrize(
    ("mate", "size", "rule"),
    [
        ([1, 0], 1, "an entry for every vertex"),
        ([1, 0, 3, 9], 2, "a mate is a vertex"),
        ([1, 2, 1, -1], 1, "mates are mutual"),
        ([1, 0, 3, 2], 1, "size is the number of pairs"),
        ([3, 2, 1, 0], 2, "an edge joins the two"),
        ([1, 0, -1, -1], 1, "no edge has two free ends"),
        ([-1, 2, 1, -1], 1, "no augmenting path is left"),
    ],
)
def test_the_checker_finds_what_is_wrong(mate, size, rule):
    graph = clew.generate.path(4)
    left = np.array([True, False, True, False])
    result = Result("bipartite_matching", {"mate": np.array(mate), "left": left}, facts={"size": size})
    with pytest.raises(VerificationError, match=rule):
        clew.verify.bipartite_matching(graph, result)


def test_the_checker_wants_edges_between_the_sides_only():
    values = {"mate": np.array([1, 0, -1]), "left": np.array([True, False, False])}
    with pytest.raises(VerificationError, match="one end on either side"):
        clew.verify.bipartite_matching(clew.generate.path(3), Result("", values, facts={"size": 1}))


@pytest.mark.parametrize("maximum", [False, True])
@settings(max_examples=40, deadline=None)
@given(bipartite())
def test_over_products(maximum, case):
    graph, left = case
    both_ways = graph.symmetrized() if graph.directed else graph
    found = over_products(Waist("reference"), both_ways, left, maximum)
    result = Result("bipartite_matching", found.values, facts=found.facts)
    assert found.size == found.trace["paths"].sum()
    clew.verify.bipartite_matching(graph, result, maximum=maximum)
    if maximum:
        assert found.size == clew.bipartite_matching(graph, left=left).size


def test_over_products_on_the_gpu():
    graph = random_bipartite(60, 50, 200, seed=4)
    result = clew.bipartite_matching(graph, device="emulated")
    clew.verify.bipartite_matching(graph, result)
    assert result.size == clew.bipartite_matching(graph).size
    assert result.trace["paths"].sum() == result.size
