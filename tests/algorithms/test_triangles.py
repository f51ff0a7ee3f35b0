"""Triangles, against their checker, NetworkX, SciPy and known answers."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew import GraphError, Result, VerificationError
from tests.algorithms.graphs import LARGE, as_networkx, graphs, thread_count


def without_loops(graph: clew.Graph) -> nx.Graph:
    other = as_networkx(graph).to_undirected()
    other.remove_edges_from(list(nx.selfloop_edges(other)))
    return other


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_small_graphs(graph):
    result = clew.triangles(graph)
    clew.verify.triangles(graph, result)
    expected = nx.triangles(without_loops(graph))
    assert result.to_dict() == expected
    assert result.total == sum(expected.values()) // 3
    quick = clew.triangles(graph, per_vertex=False)
    clew.verify.triangles(graph, quick)
    assert quick.values == {}


@pytest.mark.parametrize("name", LARGE)
def test_large_graphs(name):
    graph = LARGE[name]()
    with thread_count(1):
        alone = clew.triangles(graph)
    clew.verify.triangles(graph, alone)
    for threads in (1, 2, 5):
        with thread_count(threads):
            np.testing.assert_array_equal(clew.triangles(graph).count, alone.count)
            assert clew.triangles(graph, per_vertex=False).total == alone.total


@pytest.mark.parametrize("threads", [1, 5])
def test_short_rows_with_triangles_loops_and_duplicates(threads):
    """A strip of squares with one diagonal each is merged in place; edges twice, and loops, change nothing."""
    squares = 30_000
    low = np.arange(squares)
    source = np.concatenate([2 * low, 2 * low + 1, 2 * low, 2 * low, [0]])
    target = np.concatenate([2 * low + 2, 2 * low + 3, 2 * low + 1, 2 * low + 3, [0]])
    clean = clew.Graph.from_edges(source, target, directed=False, loops="drop")
    messy = clew.Graph.from_edges(np.tile(source, 2), np.tile(target, 2), directed=False)
    with thread_count(threads):
        for graph in (clean, messy):
            assert clew.triangles(graph, per_vertex=False).total == 2 * squares - 1
            clew.verify.triangles(graph, clew.triangles(graph))


def test_complete_graph_and_nothing():
    complete = clew.Graph.from_numpy(np.ones((90, 90), dtype=bool), directed=False)
    result = clew.triangles(complete)
    assert result.total == 90 * 89 * 88 // 6
    assert set(result.count.tolist()) == {89 * 88 // 2}
    assert clew.triangles(clew.Graph.from_edges([], [])).total == 0
    assert clew.triangles(clew.Graph.from_edges([], [], num_vertices=3), per_vertex=False).total == 0


def test_against_a_product_of_matrices():
    graph = clew.generate.rmat(11, 12, 0.5, 0.2, 0.2, seed=8)
    matrix = graph.to_scipy().astype(bool).astype(np.int64)
    either = ((matrix + matrix.T) > 0).astype(np.int64)
    either.setdiag(0)
    closed = (either @ either).multiply(either).sum(axis=1)
    np.testing.assert_array_equal(clew.triangles(graph).count, np.asarray(closed).ravel() // 2)


@pytest.mark.parametrize(("name", "total"), [("facebook_combined", 1_612_010), ("email-Enron", 727_044)])
def test_real_graphs(shared_data, name, total):
    graph = clew.read(shared_data / "snap" / f"{name}.txt.gz")
    assert clew.triangles(graph).total == total
    assert clew.triangles(graph.symmetrized(), per_vertex=False).total == total


def test_errors():
    with pytest.raises(GraphError, match="device is 'abacus'"):
        clew.triangles(clew.generate.path(3), device="abacus")


def test_the_checker_finds_what_is_wrong():
    graph = clew.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False)
    for count, total, rule in [
        ([1, 1, 1, 0], 2, "there are 1 triangles"),
        ([1, 1, 0, 1], 1, "a vertex counts the triangles it is in; broken 2 times, first at vertex 2"),
        ([1, 1, 1], 1, "an entry for every vertex"),
    ]:
        with pytest.raises(VerificationError, match=rule):
            clew.verify.triangles(graph, Result("triangles", {"count": np.array(count)}, facts={"total": total}))
