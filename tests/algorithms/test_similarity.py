"""Similarity of pairs and the most similar vertices, compared with NetworkX, matrices and their checkers."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError, VerificationError, verify
from clew.algorithms.similarity import METHODS
from tests.algorithms.graphs import graphs, thread_count

SKEWED = clew.generate.rmat(9, 8, seed=3, directed=False, duplicates="drop", loops="drop")
PAIRS = np.random.default_rng(1).integers(0, SKEWED.num_vertices, (2000, 2))
SERVED = {
    "jaccard": nx.jaccard_coefficient,
    "adamic_adar": nx.adamic_adar_index,
    "resource_allocation": nx.resource_allocation_index,
}


@pytest.mark.parametrize("method", SERVED)
def test_the_numbers_of_networkx(method):
    other = SKEWED.to_networkx()
    pairs = PAIRS[PAIRS[:, 0] != PAIRS[:, 1]]
    expected = [score for *_, score in SERVED[method](other, [tuple(pair) for pair in pairs.tolist()])]
    np.testing.assert_allclose(clew.similarity(SKEWED, pairs, method=method).score, expected, rtol=1e-12)
    edges = np.stack(SKEWED.edges()[:2], axis=1)  # pairs with the same first vertex follow each other
    expected = [score for *_, score in SERVED[method](other, [tuple(edge) for edge in edges.tolist()])]
    np.testing.assert_allclose(clew.similarity(SKEWED, method=method).score, expected, rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(graphs(min_vertices=1), st.sampled_from(METHODS), st.data())
def test_small_graphs(graph, method, data):
    vertex = st.integers(0, graph.num_vertices - 1)
    pairs = data.draw(st.lists(st.tuples(vertex, vertex), max_size=9))
    k = data.draw(st.integers(1, graph.num_vertices))
    for device in ("cpu", "reference"):
        found = clew.similarity(graph, pairs, method=method, device=device)
        verify.similarity(graph, found, pairs=pairs, method=method)
        verify.similarity(graph, clew.similarity(graph, method=method, device=device), method=method)
        found = clew.most_similar(graph, k=k, method=method, device=device)
        verify.most_similar(graph, found, k=k, method=method)


def test_the_best_of_all_for_any_number_of_threads():
    found = []
    for count in (1, 2, 5):
        with thread_count(count):
            found.append(clew.most_similar(SKEWED, k=3))
        np.testing.assert_array_equal(found[-1].similar, found[0].similar)
        np.testing.assert_array_equal(found[-1].score, found[0].score)
    pairs = np.stack([np.arange(SKEWED.num_vertices), found[0].similar[:, 0]], axis=1)
    real = pairs[:, 1] >= 0
    np.testing.assert_allclose(found[0].score[real, 0], clew.similarity(SKEWED, pairs[real]).score)


def test_names_go_in_and_come_out():
    graph = clew.Graph.from_edges(["ann", "ann", "bob", "bob"], ["cy", "dan", "cy", "eve"], directed=False)
    found = clew.similarity(graph, [("ann", "bob"), ("cy", "eve")])
    assert found.to_pandas().to_dict("list") == {
        "source": ["ann", "cy"],
        "target": ["bob", "eve"],
        "score": [1 / 3, 0.5],
    }
    assert found.of(("cy", "eve")) == 0.5
    with pytest.raises(GraphError, match="'ann' and 'cy' are no pair of this result"):
        found.of(("ann", "cy"))
    best = clew.most_similar(graph, k=2)
    assert best.of("cy", "similar") == ["dan", "eve"]
    assert best.to_pandas()["similar"].tolist()[0].tolist() == ["bob", None]


def test_wrong_arguments_get_a_sentence():
    with pytest.raises(GraphError, match="pairs has an entry that is no pair"):
        clew.similarity(SKEWED, [(1, 2, 3)])
    with pytest.raises(GraphError, match="expected an integer from 0 to"):
        clew.similarity(SKEWED, np.array([[0, 10**6]]))
    with pytest.raises(GraphError, match="method is 'dice'; expected 'jaccard'"):
        clew.similarity(SKEWED, method="dice")
    with pytest.raises(GraphError, match="k is 0"):
        clew.most_similar(SKEWED, k=0)


def test_the_checkers_find_what_is_wrong():
    found = clew.most_similar(SKEWED, k=2)
    found.similar[5] = found.similar[5][::-1].copy()
    with pytest.raises(VerificationError):
        verify.most_similar(SKEWED, found, k=2)
    found = clew.similarity(SKEWED)
    found.score[7] += 0.1
    with pytest.raises(VerificationError, match="follows from the shared neighbours"):
        verify.similarity(SKEWED, found)
