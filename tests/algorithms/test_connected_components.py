"""Connected components and the largest of them, against the checker, SciPy and known answers."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.sparse.csgraph import connected_components as scipy_components

import clew
from clew import GraphError, Result, VerificationError
from tests.algorithms.graphs import LARGE, graphs, thread_count


def smallest_members(number: np.ndarray) -> np.ndarray:
    """Any numbering of groups as the smallest member of each."""
    _, first, group = np.unique(number, return_index=True, return_inverse=True)
    return first[group]


@settings(max_examples=80, deadline=None)
@given(graphs())
def test_small_graphs(graph):
    result = clew.connected_components(graph)
    clew.verify.connected_components(graph, result)
    if graph.num_vertices:
        count, number = scipy_components(graph.to_scipy(), connection="weak")
        assert (result.count, result.label.tolist()) == (count, smallest_members(number).tolist())
    _ = graph.incoming  # which are used where they are there
    np.testing.assert_array_equal(clew.connected_components(graph).label, result.label)
    largest = graph.largest_component()
    assert largest.num_vertices == result.largest == result.sizes.max(initial=0)
    assert clew.connected_components(largest).count == min(1, graph.num_vertices)
    assert largest.directed == graph.directed


@pytest.mark.parametrize("name", LARGE)
def test_large_graphs(name):
    graph = LARGE[name]()
    with thread_count(1):
        alone = clew.connected_components(graph)
    clew.verify.connected_components(graph, alone)
    for threads in (2, 5):
        with thread_count(threads):
            result = clew.connected_components(graph)
        np.testing.assert_array_equal(result.label, alone.label)
        np.testing.assert_array_equal(result.sizes, alone.sizes)
        if graph.directed:
            turned = graph.reversed()
            assert turned.has_incoming
            with thread_count(threads):
                np.testing.assert_array_equal(clew.connected_components(turned).label, alone.label)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("directed", [False, True])
def test_many_components_with_shuffled_ids(threads, directed):
    """Chains that run up and down the ids and across the threads' shares, beside each other."""
    n, length = 200_000, 50
    order = np.random.default_rng(3).permutation(n)
    chain = np.delete(np.arange(n - 1), np.arange(length - 1, n - 1, length))
    graph = clew.Graph.from_edges(order[chain], order[chain + 1], num_vertices=n, directed=directed)
    with thread_count(threads):
        result = clew.connected_components(graph)
    expected = np.empty(n, dtype=np.int64)
    expected[order] = np.repeat(order.reshape(-1, length).min(axis=1), length)
    np.testing.assert_array_equal(result.label, expected)
    assert result.count == n // length
    assert (result.sizes == length).all()


def test_edges_one_way_into_and_out_of_the_largest_tree():
    """What only an edge from, or to, the largest tree joins to it is found, though that tree is left out."""
    n = 5_000
    ring = np.arange(1, n)
    source = np.concatenate((ring, ring, ring, [n - 1, n + 1]))
    target = np.concatenate((np.roll(ring, 1), np.roll(ring, 2), np.roll(ring, 3), [n, 1]))
    graph = clew.Graph.from_edges(source, target)
    result = clew.connected_components(graph)
    assert result.label.tolist() == [0, *[1] * (n + 1)]
    assert graph.largest_component().num_edges == graph.num_edges


def test_wide_ids_and_names():
    graph = clew.Graph.from_edges([1, 5, 2], [4, 2, 5], num_vertices=7, id_dtype="int64")
    assert clew.connected_components(graph).label.dtype == np.int64
    assert clew.connected_components(graph).label.tolist() == [0, 1, 2, 3, 1, 2, 6]
    named = clew.Graph.from_edges(["a", "c", "d"], ["b", "d", "e"], directed=False)
    assert clew.connected_components(named).to_dict() == {"a": "a", "b": "a", "c": "c", "d": "c", "e": "c"}
    assert sorted(named.largest_component().names.array.to_pylist()) == ["c", "d", "e"]


def test_the_largest_component_keeps_weights_and_takes_the_first_of_equals():
    graph = clew.Graph.from_edges([3, 0], [2, 1], [5, 7], directed=False)
    largest = graph.largest_component()
    assert largest.names.array.to_pylist() == [0, 1]
    assert largest.weights.tolist() == [7, 7]
    assert clew.Graph.from_edges([], []).largest_component().num_vertices == 0


def test_device():
    with pytest.raises(GraphError, match="device is 'tpu'"):
        clew.connected_components(clew.generate.path(3), device="tpu")


def labels_in(path: Path) -> dict[int, int]:
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    return dict(tuple(map(int, line.split())) for line in text.splitlines())


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        *(
            (f"ldbc/{name}.e", f"ldbc/{name}-WCC")
            for name in ("example-directed", "example-undirected", "test-wcc-directed", "test-wcc-undirected")
        ),
        ("ldbc_p2p31/p2p-31.e.gz", "ldbc_p2p31/p2p-31-WCC.gz"),
    ],
)
def test_ldbc(shared_data, graph, expected):
    result = clew.connected_components(clew.read(shared_data / graph)).to_dict()
    known = labels_in(shared_data / expected)
    vertices = sorted(known)
    assert sorted(result) == vertices
    found, named = (np.array([labels[v] for v in vertices]) for labels in (result, known))
    np.testing.assert_array_equal(smallest_members(found), smallest_members(named))


def test_the_largest_component_of_email_enron(shared_data):
    graph = clew.read(shared_data / "snap" / "email-Enron.txt.gz", directed=False)
    assert clew.connected_components(graph).largest == 33_696
    assert graph.largest_component().num_vertices == 33_696


@pytest.mark.parametrize(
    ("label", "facts", "rule"),
    [
        ([0, 0, 2], {}, "a label for every vertex"),
        ([0, 0, 7, 7], {}, "a label is a vertex"),
        ([1, 1, 2, 2], {}, "a label is the smallest"),
        ([0, 0, 1, 1], {}, "has that label itself"),
        ([0, 0, 2, 3], {"count": 3, "sizes": [2, 1, 1]}, "both ends of an edge"),
        ([0, 0, 0, 0], {"count": 1, "sizes": [4]}, "with one label are connected"),
        ([0, 0, 2, 2], {"count": 3}, "the count is"),
        ([0, 0, 2, 2], {"sizes": [1, 3]}, "the sizes count"),
        ([0, 0, 2, 2], {"largest": 3}, "largest is"),
    ],
)
def test_the_checker_finds_what_is_wrong(label, facts, rule):
    graph = clew.Graph.from_edges([0, 3], [1, 2])
    wrong = Result("connected_components", {"label": np.array(label)}, facts={"count": 2, "sizes": [2, 2]} | facts)
    with pytest.raises(VerificationError, match=rule):
        clew.verify.connected_components(graph, wrong)
