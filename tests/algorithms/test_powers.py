"""Eigenvector and Katz centrality, compared with NetworkX, dense matrices and their checkers."""

import networkx as nx
import numpy as np
import pytest

import clew
from clew import GraphError, verify


@pytest.fixture(scope="module", params=[False, True], ids=["undirected", "directed"])
def graph(request):
    graph = clew.generate.rmat(6, 4, seed=2)
    return clew.generate.random_weights(graph if request.param else graph.symmetrized(), 1, 9, seed=1)


def matrix(graph, weighted):
    dense = np.zeros((graph.num_vertices,) * 2)
    source = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    np.add.at(dense, (graph.indices, source), graph.weights if weighted else 1)
    return dense


@pytest.mark.parametrize("weighted", [False, True])
def test_dense_answers(graph, weighted):
    dense = matrix(graph, weighted)
    values, vectors = np.linalg.eig(dense)
    leading = np.abs(vectors[:, values.real.argmax()].real)
    options = {"weighted": weighted, "tolerance": 1e-10, "max_iterations": 1000}
    found = clew.eigenvector(graph, **options)
    np.testing.assert_allclose(found.centrality, leading, atol=1e-8)
    verify.eigenvector(graph, found, weighted=weighted, tolerance=1e-10)
    beta = np.arange(1.0, graph.num_vertices + 1)
    found = clew.katz(graph, beta=beta, **options)
    expected = np.linalg.solve(np.eye(graph.num_vertices) - found.alpha * dense, beta)
    np.testing.assert_allclose(found.centrality, expected, rtol=1e-9)
    verify.katz(graph, found, beta=beta, weighted=weighted, tolerance=1e-10)
    again = clew.katz(graph, beta=beta, start=found.centrality, **options)
    assert again.iterations < found.iterations


def test_the_numbers_of_networkx():
    graph = nx.karate_club_graph()
    ours = clew.Graph.from_networkx(graph)
    theirs = nx.eigenvector_centrality(graph, tol=1e-10, weight="weight", max_iter=1000)
    found = clew.eigenvector(ours, weighted=True, tolerance=1e-10, max_iterations=1000)
    np.testing.assert_allclose(found.centrality, list(theirs.values()), rtol=1e-6)
    theirs = nx.katz_centrality(graph, alpha=0.05, normalized=False, tol=1e-10)
    np.testing.assert_allclose(clew.katz(ours, alpha=0.05).centrality, list(theirs.values()), rtol=1e-6)


def test_what_does_not_converge_says_so():
    grid = clew.generate.grid(20, 20)
    assert not clew.eigenvector(grid, max_iterations=5).converged
    with pytest.raises(clew.DivergenceError, match=r"alpha is 1, and the scores grow without bound.*Omit alpha"):
        clew.katz(grid, alpha=1)
    assert clew.katz(grid).alpha == 1 / 5
    assert clew.katz(grid).converged


def test_wrong_arguments_get_a_sentence():
    graph = clew.Graph.from_edges(["a"], ["b"])
    for wrong in (-1, "a lot", float("inf")):
        with pytest.raises(GraphError, match=r"alpha is .*expected a number of 0 or more"):
            clew.katz(graph, alpha=wrong)
    with pytest.raises(GraphError, match="beta has a negative, infinite or NaN entry"):
        clew.katz(graph, beta={"a": -1})
    with pytest.raises(GraphError, match="start is 0 everywhere"):
        clew.eigenvector(graph, start={"a": 0})
    for find in (clew.eigenvector, clew.katz):
        with pytest.raises(GraphError, match=r"\(weighted=True\) needs edge weights"):
            find(graph, weighted=True)
