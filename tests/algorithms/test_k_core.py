"""Core numbers, against the checker, NetworkX and known answers."""

from __future__ import annotations

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew import GraphError, Result, VerificationError
from clew.algorithms.k_core import kernels
from tests.algorithms.graphs import LARGE, as_networkx, graphs, thread_count


@settings(max_examples=80, deadline=None)
@given(graphs())
def test_small_graphs(graph):
    result = clew.k_core(graph)
    clew.verify.k_core(graph, result)
    other = as_networkx(graph)
    other.remove_edges_from(list(nx.selfloop_edges(other)))
    expected = nx.core_number(other)
    assert result.to_dict() == expected
    assert result.degeneracy == max(expected.values(), default=0)
    if expected:
        assert dict(zip(*result.trace.columns.values(), strict=True)) == Counter(expected.values())


@pytest.mark.parametrize("name", LARGE)
def test_large_graphs(name):
    graph = LARGE[name]()
    with thread_count(1):
        alone = clew.k_core(graph)
    clew.verify.k_core(graph, alone)
    for threads in (2, 5):
        for _ in range(3):  # who takes which vertex differs from run to run
            with thread_count(threads):
                np.testing.assert_array_equal(clew.k_core(graph).core, alone.core)


def test_levels_without_vertices_are_skipped():
    """Cliques far apart in size: between their cores there is nothing to take."""
    parts = [np.array(np.triu_indices(size, 1)) + start for size, start in ((500, 0), (100, 500), (2, 600))]
    source, target = np.concatenate(parts, axis=1)
    graph = clew.Graph.from_edges(source, target, num_vertices=603, directed=False)
    for threads in (1, 5):
        with thread_count(threads):
            result = clew.k_core(graph)
        assert result.core.tolist() == [499] * 500 + [99] * 100 + [1] * 2 + [0]
        assert result.trace["core"].tolist() == [0, 1, 99, 499]
        assert result.trace["vertices"].tolist() == [1, 2, 100, 500]
        assert result.iterations == 4


def test_loops_and_duplicates_do_not_count_but_both_directions_do():
    graph = clew.Graph.from_edges([0, 0, 0, 1, 2, 2], [0, 1, 1, 2, 2, 0], directed=False)
    assert clew.k_core(graph).core.tolist() == [2, 2, 2]
    both = clew.Graph.from_edges([0, 0, 1], [1, 1, 0], directed=True)
    assert clew.k_core(both).core.tolist() == [2, 2]
    assert clew.k_core(both.symmetrized()).core.tolist() == [1, 1]


def test_wide_ids():
    ends = clew.generate.kronecker(12).edges()[:2]
    graph, wide = (clew.Graph.from_edges(*ends, directed=False, id_dtype=dtype) for dtype in ("int32", "int64"))
    for threads in (1, 5):
        with thread_count(threads):
            result = clew.k_core(wide)
        assert result.core.dtype == np.int64
        np.testing.assert_array_equal(result.core, clew.k_core(graph).core)


def test_empty_graphs_and_errors():
    assert clew.k_core(clew.Graph.from_edges([], [])).degeneracy == 0
    assert clew.k_core(clew.Graph.from_edges([], [], num_vertices=3)).core.tolist() == [0, 0, 0]
    with pytest.raises(GraphError, match="device is 'tpu'"):
        clew.k_core(clew.generate.path(3), device="tpu")


def test_a_core_by_its_definition(shared_data):
    graph = clew.read(shared_data / "snap" / "facebook_combined.txt.gz", directed=False)
    result = clew.k_core(graph)
    clew.verify.k_core(graph, result)
    assert result.degeneracy == 115  # as NetworkX finds
    for k in (20, 115):
        assert graph.subgraph(result.core >= k).degrees().min() >= k


@pytest.mark.parametrize(
    ("core", "rule"),
    [
        ([2, 2, 2], "a core number for every vertex"),
        ([2, 2, 2, -1], "0 or more"),
        ([2, 2, 2, 2], "has k neighbours or more"),
        ([1, 1, 1, 1], "peeling takes every vertex"),
    ],
)
def test_the_checker_finds_what_is_wrong(core, rule):
    graph = clew.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False)
    wrong = Result("k_core", {"core": np.array(core)}, facts={"degeneracy": max(core)})
    with pytest.raises(VerificationError, match=rule):
        clew.verify.k_core(graph, wrong)
    wrong = Result("k_core", {"core": np.array([2, 2, 2, 1])}, facts={"degeneracy": 3})
    with pytest.raises(VerificationError, match="the degeneracy is"):
        clew.verify.k_core(graph, wrong)


def test_the_number_of_threads_may_be_set_meanwhile(monkeypatch):
    """A team has no more members than there was room made for: others would write beyond the arrays."""
    graph = clew.generate.kronecker(13, seed=3)
    sizes = []

    def watched(member, size, state, *args):
        sizes.append((size, args[-1].size))
        return kernel(member, size, state, *args)

    kernel = kernels.k_core
    monkeypatch.setattr(kernels, "k_core", watched)
    counts = iter([2])
    monkeypatch.setattr("clew.threads.count", lambda: next(counts, 5))
    clew.verify.k_core(graph, clew.k_core(graph))
    assert set(sizes) == {(2, 2)}
