"""Strongly connected components, against the checker, SciPy and known answers."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components as scipy_components

import clew
from clew import GraphError, Result, VerificationError
from clew.algorithms.strongly_connected_components import cpu as strong
from tests.algorithms.graphs import LARGE, graphs, thread_count
from tests.algorithms.test_connected_components import smallest_members


def expected_labels(graph: clew.Graph) -> np.ndarray:
    return smallest_members(scipy_components(graph.to_scipy(), connection="strong")[1])


@settings(max_examples=120, deadline=None)
@given(graphs(), st.sampled_from([0, strong.SEARCHED_FIRST]))
def test_small_graphs(graph, searched_first):
    with mock.patch.object(strong, "SEARCHED_FIRST", searched_first):
        result = clew.strongly_connected_components(graph)
    clew.verify.strongly_connected_components(graph, result)
    if graph.num_vertices:
        assert result.label.tolist() == expected_labels(graph).tolist()


@pytest.mark.parametrize("name", LARGE)
def test_large_graphs(name):
    graph = LARGE[name]()
    result = clew.strongly_connected_components(graph)
    np.testing.assert_array_equal(result.label, expected_labels(graph))
    if name != "path":  # the checker searches a vertex at a time there
        clew.verify.strongly_connected_components(graph, result)
    check_that_nothing_depends_on_threads_or_the_way(graph, result)


@pytest.mark.parametrize("degree", [1, 1.5, 3])
def test_sparse_random_graphs(degree):
    """Around the degree where components begin to grow, there are some of every size."""
    n = 40_000
    ends = np.random.default_rng(7).integers(0, n, (2, int(degree * n)))
    graph = clew.Graph.from_edges(ends[0], ends[1], num_vertices=n)
    result = clew.strongly_connected_components(graph)
    np.testing.assert_array_equal(result.label, expected_labels(graph))
    check_that_nothing_depends_on_threads_or_the_way(graph, result)


def check_that_nothing_depends_on_threads_or_the_way(graph: clew.Graph, result: Result) -> None:
    with mock.patch.object(strong, "SEARCHED_FIRST", 0):
        for threads in (1, 2, 5):
            with thread_count(threads):
                again = clew.strongly_connected_components(graph)
            np.testing.assert_array_equal(again.label, result.label)


def test_long_paths_and_cycles_need_no_recursion():
    n = 300_000
    ring = np.random.default_rng(5).permutation(n)
    cycle = clew.Graph.from_edges(ring, np.roll(ring, 1))
    result = clew.strongly_connected_components(cycle)
    assert (result.count, result.largest, result.label.max()) == (1, n, 0)
    path = clew.Graph.from_edges(ring[:-1], ring[1:], id_dtype="int64")
    result = clew.strongly_connected_components(path)
    assert result.label.dtype == np.int64
    assert (result.count, result.largest) == (n, 1)


def test_a_chain_of_cycles_that_lead_to_each_other_one_way():
    size, cycles = 3, 1_000
    vertex = np.arange(size * cycles)
    around = np.where(vertex % size == size - 1, vertex - size + 1, vertex + 1)
    bridges = vertex[::size]
    for start, end in ((bridges[:-1], bridges[1:]), (bridges[1:], bridges[:-1])):
        graph = clew.Graph.from_edges(np.append(vertex, start), np.append(around, end))
        result = clew.strongly_connected_components(graph)
        np.testing.assert_array_equal(result.label, vertex // size * size)
        assert result.sizes.tolist() == [size] * cycles
        clew.verify.strongly_connected_components(graph, result)


def test_device():
    with pytest.raises(GraphError, match="device is 'tpu'"):
        clew.strongly_connected_components(clew.generate.path(3), device="tpu")


@pytest.mark.parametrize(
    ("name", "count", "largest"),
    [
        ("web-NotreDame", 203_609, 53_968),
        ("soc-Epinions1", None, 32_223),
        ("wiki-Vote", None, 1_300),
    ],
)
def test_published_sizes(shared_data, name, count, largest):
    result = clew.strongly_connected_components(clew.read(shared_data / "snap" / f"{name}.txt.gz"))
    assert result.largest == largest
    assert count is None or result.count == count


@pytest.mark.parametrize(
    ("label", "rule"),
    [
        ([0, 1, 1, 1], "its label leads to every vertex"),
        ([0, 0, 0, 3], "from every vertex of a component there is a way"),
        ([0, 1, 2, 3], "no cycle runs through several components"),
        ([0, 2, 2, 3], "a label is the smallest"),
    ],
)
def test_the_checker_finds_what_is_wrong(label, rule):
    graph = clew.Graph.from_edges([0, 1, 2, 3], [1, 2, 1, 1])
    sizes = np.unique(label, return_counts=True)[1]
    facts = {"count": sizes.size, "sizes": sizes}
    with pytest.raises(VerificationError, match=rule):
        clew.verify.strongly_connected_components(graph, Result("", {"label": np.array(label)}, facts=facts))
