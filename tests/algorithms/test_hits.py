"""Hubs and authorities, against their checker, NetworkX and dense eigenvectors."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings

import clew
from clew import GraphError, Result, VerificationError
from tests.algorithms.graphs import LARGE, graphs, thread_count


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_small_graphs(graph):
    result = clew.hits(graph, max_iterations=5000)
    clew.verify.hits(graph, result)
    clew.verify.hits(graph, clew.hits(graph, max_iterations=3))
    matrix = np.zeros((graph.num_vertices,) * 2)
    np.add.at(matrix, (np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr)), graph.indices), 1.0)
    values, vectors = np.linalg.eigh(matrix @ matrix.T)
    assume(graph.num_arcs)
    leading = values > values[-1] * (1 - 1e-9)
    assume(leading.all() or values[~leading].max() < 0.97 * values[-1])
    # The uniform start, projected on what is stretched most: there the rounds lead.
    hub = vectors[:, leading] @ vectors[:, leading].sum(axis=0)
    assert result.converged
    np.testing.assert_allclose(result.hub, hub / hub.sum(), atol=1e-6)
    authority = matrix.T @ hub
    np.testing.assert_allclose(result.authority, authority / authority.sum(), atol=1e-6)


@pytest.mark.parametrize("directed", [False, True])
def test_networkx(directed):
    graph = clew.generate.rmat(9, 6, 0.5, 0.2, 0.2, seed=8)
    other = nx.DiGraph(graph.to_networkx()) if directed else nx.Graph(graph.to_networkx())
    graph = clew.Graph.from_networkx(other, weight=None)
    hubs, authorities = nx.hits(other, tol=1e-12)
    result = clew.hits(graph, tolerance=1e-12, max_iterations=1000)
    assert result.converged
    assert result.to_dict("hub") == pytest.approx(hubs, abs=1e-9)
    assert result.to_dict("authority") == pytest.approx(authorities, abs=1e-9)


@pytest.mark.parametrize("name", LARGE)
def test_large_graphs_to_the_last_bit_with_any_number_of_threads(name):
    graph = LARGE[name]()
    found = []
    for threads in (1, 2, 5):
        with thread_count(threads):
            found.append(clew.hits(graph))
        for value in ("hub", "authority"):
            np.testing.assert_array_equal(found[-1].values[value], found[0].values[value])
    clew.verify.hits(graph, found[0])
    assert len(found[0].trace) == found[0].iterations
    assert found[0].converged == (name not in ("path", "grid"))


def test_known_answers():
    none = clew.hits(clew.Graph.from_edges([], [], num_vertices=3))
    assert none.hub.tolist() == none.authority.tolist() == [0, 0, 0]
    assert none.converged
    assert none.iterations == 0
    clew.verify.hits(clew.Graph.from_edges([], [], num_vertices=3), none)
    star = clew.hits(clew.Graph.from_edges([0] * 4, [1, 2, 3, 4]))
    assert star.hub.tolist() == [1, 0, 0, 0, 0]
    assert star.authority.tolist() == [0, 0.25, 0.25, 0.25, 0.25]
    twice = clew.hits(clew.Graph.from_edges(["a", "a", "a"], ["b", "b", "c"]))  # parallel edges count each
    assert twice.authority.tolist() == pytest.approx([0, 2 / 3, 1 / 3])


def test_errors():
    graph = clew.Graph.from_edges([0], [1])
    with pytest.raises(GraphError, match="tolerance is inf"):
        clew.hits(graph, tolerance=float("inf"))
    with pytest.raises(GraphError, match="max_iterations is 0"):
        clew.hits(graph, max_iterations=0)
    with pytest.raises(GraphError, match="device is 'tpu'"):
        clew.hits(graph, device="tpu")


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda hub, authority: (hub[:-1], authority), "an entry for every vertex"),
        (lambda hub, authority: (-hub, authority), "numbers of 0 or more"),
        (lambda hub, authority: (hub, authority * 2), "scores sum to 1"),
        (lambda hub, authority: (hub, authority[::-1]), "sums of the authorities"),
        (lambda hub, authority: (np.array([0.5, 0.25, 0, 0.25]), np.array([0, 0, 0.25, 0.75])), "sums of the auth"),
        (lambda hub, authority: (np.array([2, 1, 0, 0]) / 3, np.array([0, 0, 0.5, 0.5])), "one more round"),
    ],
)
def test_the_checker_finds_what_is_wrong(change, rule):
    graph = clew.Graph.from_edges([0, 0, 1], [2, 3, 3])
    hub, authority = change(*clew.hits(graph).values.values())
    with pytest.raises(VerificationError, match=rule):
        clew.verify.hits(graph, Result("hits", {"hub": hub, "authority": authority}))
