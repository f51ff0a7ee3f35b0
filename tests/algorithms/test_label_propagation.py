"""Label propagation, against its checker, a few lines of Python and the answers of LDBC."""

from __future__ import annotations

import gzip
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError, Result, VerificationError
from tests.algorithms.graphs import LARGE, graphs, thread_count


def by_definition(graph: clew.Graph, rounds: int) -> list[int]:
    source, target, _ = graph.edges()
    votes: list[list[int]] = [[] for _ in range(graph.num_vertices)]
    for u, v in zip(source.tolist(), target.tolist(), strict=True):
        votes[u].append(v)
        if u != v or graph.directed:
            votes[v].append(u)
    labels = list(range(graph.num_vertices))
    for _ in range(rounds):
        counts = [Counter(labels[u] for u in near) for near in votes]
        labels = [
            min(count, key=lambda label: (-count[label], label)) if count else old
            for count, old in zip(counts, labels, strict=True)
        ]
    return labels


@settings(max_examples=40, deadline=None)
@given(graphs(), st.integers(0, 12))
def test_small_graphs(graph, rounds):
    result = clew.label_propagation(graph, max_iterations=rounds)
    clew.verify.label_propagation(graph, result)
    assert result.label.tolist() == by_definition(graph, rounds)
    assert result.count == len(set(result.label.tolist()))
    assert result.iterations == rounds or result.converged


@pytest.mark.parametrize("name", LARGE)
def test_large_graphs(name):
    graph = LARGE[name]()
    with thread_count(1):
        alone = clew.label_propagation(graph, max_iterations=12)
    clew.verify.label_propagation(graph, alone)
    for threads in (2, 5):
        with thread_count(threads):
            again = clew.label_propagation(graph, max_iterations=12)
        np.testing.assert_array_equal(again.label, alone.label)
        np.testing.assert_array_equal(again.trace["changed"], alone.trace["changed"])


def test_it_ends_when_nothing_changes():
    star = clew.generate.star(70_000)
    result = clew.label_propagation(clew.generate.uniform(20_000, 400_000, seed=2), max_iterations=100)
    assert result.converged
    assert result.iterations < 100
    assert result.trace["changed"][-1] == 0
    assert result.count == 1
    swinging = clew.label_propagation(star, max_iterations=7)
    assert not swinging.converged
    assert swinging.trace["changed"].tolist() == [star.num_vertices] * 7
    nothing = clew.label_propagation(clew.Graph.from_edges([], []))
    assert (nothing.converged, nothing.count) == (True, 0)


def test_what_counts_twice():
    """Vertex 0 has one edge to 1, and edges to 2 and from 2: label 2 wins over the smaller label 1."""
    graph = clew.Graph.from_edges([0, 0, 2], [1, 2, 0])
    assert clew.label_propagation(graph, max_iterations=1).label.tolist() == [2, 0, 0]
    with_duplicate = clew.Graph.from_edges([0, 0, 0], [1, 2, 2], directed=False)
    assert clew.label_propagation(with_duplicate, max_iterations=1).label.tolist() == [2, 0, 0]


@pytest.mark.parametrize("rounds", [-1, 2.5, "3", 2**31])
def test_errors(rounds):
    with pytest.raises(GraphError, match=r"max_iterations is .*; expected (an integer\.|0 to 2,147,483,647)"):
        clew.label_propagation(clew.generate.path(3), max_iterations=rounds)
    with pytest.raises(GraphError, match="device is 'abacus'"):
        clew.label_propagation(clew.generate.path(3), device="abacus")


@pytest.mark.parametrize("direction", ["directed", "undirected"])
@pytest.mark.parametrize("kind", ["example", "test-cdlp"])
def test_ldbc(shared_data, kind, direction):
    folder = shared_data / "ldbc"
    graph = clew.read(folder / f"{kind}-{direction}.e")
    result = clew.label_propagation(graph, max_iterations=int(graph.metadata["ldbc"]["cdlp.max-iterations"]))
    lines = (folder / f"{kind}-{direction}-CDLP").read_text().splitlines()
    assert result.to_dict() == dict(map(int, line.split()) for line in lines)


def test_ldbc_p2p31(shared_data):
    folder = shared_data / "ldbc_p2p31"
    graph = clew.read(folder / "p2p-31.e.gz", format="ldbc", directed=False)
    with gzip.open(folder / "p2p-31-CDLP.gz", "rt") as file:
        expected = dict(map(int, line.split()) for line in file)
    assert clew.label_propagation(graph, max_iterations=10).to_dict() == expected


def test_the_checker_finds_what_is_wrong():
    graph = clew.Graph.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], directed=False)
    result = clew.label_propagation(graph)
    wrong = result.label.copy()
    wrong[4] = 5
    for label, converged, count, rule in [
        (wrong, True, 2, "what most neighbours had.* at vertex 4"),
        (result.label[:3], True, 2, "an entry for every vertex"),
        (result.label, False, 2, "converged exactly if"),
        (result.label, True, 3, "the different labels are counted"),
    ]:
        other = Result("x", {"label": label}, facts={"count": count}, iterations=result.iterations, converged=converged)
        with pytest.raises(VerificationError, match=rule):
            clew.verify.label_propagation(graph, other)
