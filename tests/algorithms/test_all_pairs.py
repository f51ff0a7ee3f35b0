"""Distances between all vertices, against their checker, SciPy, NetworkX and known answers."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse.csgraph as sg
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError, ResourceError, Result, VerificationError
from clew.engines import base
from tests.algorithms.graphs import as_networkx, graphs, thread_count

FAR = 2**63 - 1
METHODS = ["auto", "floyd_warshall", "sparse"]


def as_floats(distance):
    return np.where(distance == FAR, np.inf, distance)


def weighted(graph, data, low, dtype):
    """The same graph with weights from ``low`` up, in either direction the same."""
    source, target, _ = graph.edges()
    weights = data.draw(st.lists(st.integers(low, 9), min_size=source.size, max_size=source.size))
    return clew.Graph.from_edges(source, target, np.array(weights, dtype=dtype), graph.num_vertices, graph.directed)


def lightest(graph):
    """For NetworkX, which has no duplicates here: the lightest of equal edges."""
    return clew.Graph.from_edges(*graph.edges(), graph.num_vertices, graph.directed, duplicates="min")


@settings(max_examples=32, deadline=None)
@given(graphs(), st.sampled_from(METHODS))
def test_unweighted(graph, method):
    result = clew.all_pairs(graph, method=method)
    assert result.distance.dtype == np.int64
    clew.verify.all_pairs(graph, result)
    expected = np.full((graph.num_vertices, graph.num_vertices), FAR)
    for source, found in nx.all_pairs_shortest_path_length(as_networkx(graph)):
        expected[source, list(found)] = list(found.values())
    np.testing.assert_array_equal(result.distance, expected)


@settings(max_examples=32, deadline=None)
@given(graphs(), st.sampled_from(METHODS), st.sampled_from(["uint8", "int64", "float32", "float64"]), st.data())
def test_weights_of_0_and_more(graph, method, dtype, data):
    graph = weighted(graph, data, 0, dtype)
    result = clew.all_pairs(graph, method=method)
    assert result.distance.dtype == (dtype if dtype.startswith("float") else np.int64)
    clew.verify.all_pairs(graph, result)
    expected = nx.floyd_warshall_numpy(as_networkx(lightest(graph))) if graph.num_vertices else np.empty((0, 0))
    np.fill_diagonal(expected, 0)
    np.testing.assert_array_equal(as_floats(result.distance), expected)


@settings(max_examples=32, deadline=None)
@given(graphs(directed=True, min_vertices=1), st.sampled_from(["int8", "float64"]), st.data())
def test_negative_weights(graph, dtype, data):
    graph = weighted(graph, data, -2, dtype)
    other = as_networkx(lightest(graph))
    if nx.negative_edge_cycle(other):
        with pytest.raises(GraphError, match="is on a negative cycle") as error:
            clew.all_pairs(graph, method="floyd_warshall")
        vertex = int(str(error.value).split("vertex ")[1].split()[0])
        around = next(part for part in nx.strongly_connected_components(other) if vertex in part)
        assert nx.negative_edge_cycle(other.subgraph(around).copy())
        return
    result = clew.all_pairs(graph)
    clew.verify.all_pairs(graph, result)
    np.testing.assert_array_equal(as_floats(result.distance), nx.floyd_warshall_numpy(other))


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("size", [63, 64, 65, 150, 300])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_several_tiles(size, dtype, threads):
    directed = clew.generate.uniform(size, 6 * size, seed=size, directed=True)
    graph = clew.generate.random_weights(directed, 1, 1000, dtype=dtype)
    with thread_count(threads):
        tiled = clew.all_pairs(graph, method="floyd_warshall").distance
        searched = clew.all_pairs(graph, method="sparse").distance
    expected = sg.dijkstra(lightest(graph).to_scipy())
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(as_floats(tiled), expected, rtol=tolerance)
    np.testing.assert_allclose(as_floats(searched), expected, rtol=tolerance)
    with thread_count(1):
        np.testing.assert_array_equal(clew.all_pairs(graph, method="floyd_warshall").distance, tiled)
    steps = clew.all_pairs(graph.with_weights(None)).distance
    np.testing.assert_array_equal(as_floats(steps), sg.shortest_path(graph.to_scipy(), unweighted=True))


def test_known_matrices(shared_data):
    graph = clew.read(shared_data / "lagraph" / "test_BF.mtx")
    expected = sg.floyd_warshall(graph.to_scipy())
    for method in METHODS:
        np.testing.assert_array_equal(clew.all_pairs(graph, method=method).distance, expected)
    graph = clew.read(shared_data / "lagraph" / "test_FW_2003.mtx")
    expected = sg.dijkstra(graph.to_scipy())
    for method in METHODS[1:]:
        np.testing.assert_array_equal(clew.all_pairs(graph, method=method).distance, expected)


def test_the_method_that_is_used():
    road = clew.generate.grid(100, 100)
    dense = clew.generate.complete(50)
    assert clew.all_pairs(dense).method == "sparse"  # 64 searches at once
    assert clew.all_pairs(clew.generate.random_weights(dense, 1, 9)).method == "floyd_warshall"
    assert clew.all_pairs(clew.generate.random_weights(dense, 2**50, 2**51)).method == "sparse"
    from clew.algorithms.all_pairs.cpu import methods

    assert methods(clew.generate.random_weights(road, 1, 9))[0] == "sparse"


def test_large_integers():
    graph = clew.Graph.from_edges([0, 1], [1, 2], np.array([2**60, 2**60], dtype=np.int64))
    assert clew.all_pairs(graph).distance.tolist() == [[0, 2**60, 2**61], [FAR, 0, 2**60], [FAR, FAR, 0]]
    with pytest.raises(GraphError, match="Floyd-Warshall is exact up to"):
        clew.all_pairs(graph, method="floyd_warshall")
    with pytest.raises(GraphError, match="more than int64 holds"):
        clew.all_pairs(graph.with_weights(np.array([2**63, 1], dtype=np.uint64)))


def test_infinite_weights_lead_nowhere():
    graph = clew.Graph.from_edges([0, 1], [1, 2], [np.inf, 1.0])
    for method in METHODS:
        result = clew.all_pairs(graph, method=method)
        assert result.distance.tolist() == [[0, np.inf, np.inf], [np.inf, 0, 1], [np.inf, np.inf, 0]]
        clew.verify.all_pairs(graph, result)
    with pytest.raises(GraphError, match="a weight is -inf"):
        clew.all_pairs(graph.with_weights([-np.inf, 1.0]))


def test_errors(monkeypatch):
    graph = clew.Graph.from_edges(["a", "b", "c"], ["b", "c", "b"], [1.0, -2.0, 1.0])
    with pytest.raises(clew.NegativeCycleError, match="vertex 'b' is on a negative cycle"):
        clew.all_pairs(graph)
    with pytest.raises(GraphError, match=r"Try method=.floyd_warshall"):
        clew.all_pairs(graph, method="sparse")
    with pytest.raises(GraphError, match="vertex 0 is on a negative cycle"):
        clew.all_pairs(clew.Graph.from_edges([0, 1], [1, 2], [-1, 5], directed=False))
    with pytest.raises(GraphError, match="1 weight is NaN"):
        clew.all_pairs(graph.with_weights([1.0, np.nan, 1.0]))
    with pytest.raises(GraphError, match="method is 'johnson'"):
        clew.all_pairs(graph, method="johnson")
    with pytest.raises(GraphError, match="device is 'tpu'"):
        clew.all_pairs(graph, device="tpu")
    monkeypatch.setattr(base, "UNCHECKED", 0)
    monkeypatch.setattr(base, "available_bytes", lambda: 10_000)
    for method in METHODS:
        with pytest.raises(ResourceError, match=r"100 vertices needs 80,000 bytes, but 10,000 bytes"):
            clew.all_pairs(clew.generate.path(100), method=method)


def test_many_negative_cycles_do_not_overflow_into_nonsense():
    for dtype in ("float32", "float64", "int32"):
        graph = clew.generate.complete(200)
        with pytest.raises(GraphError, match="is on a negative cycle"):
            clew.all_pairs(graph.with_weights(np.full(graph.num_arcs, -1000, dtype=dtype)))


@pytest.mark.parametrize(
    ("place", "value", "rule"),
    [
        ((1, 1), 1, "distance 0 from itself"),
        ((0, 3), 9, "edges agree with distances from vertex 0"),
        ((0, 3), FAR, "is reached"),
        ((0, 3), 4, "a path from vertex 0"),
        ((3, 0), 7, "is reached|a path from vertex 3"),
    ],
)
@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_the_checker_finds_what_is_wrong(place, value, rule, dtype):
    graph = clew.Graph.from_edges([0, 1, 2], [1, 2, 3], np.array([1, 2, 3], dtype=dtype))
    distance = clew.all_pairs(graph).distance.copy()
    distance[place] = np.inf if value == FAR and dtype == "float64" else value
    with pytest.raises(VerificationError, match=rule):
        clew.verify.all_pairs(graph, Result("all_pairs", {"distance": distance}))
    with pytest.raises(VerificationError, match="for every pair"):
        clew.verify.all_pairs(graph, Result("all_pairs", {"distance": distance[:3]}))


def test_the_checker_is_not_fooled_by_a_cycle_of_zeros():
    graph = clew.Graph.from_edges([0, 1, 2], [1, 2, 1], [5, 0, 0])
    distance = clew.all_pairs(graph).distance.copy()
    distance[0, 1:] = 3
    with pytest.raises(VerificationError, match="a path from vertex 0"):
        clew.verify.all_pairs(graph, Result("all_pairs", {"distance": distance}))


@pytest.mark.parametrize("value", [np.nan, -np.inf])
def test_the_checker_wants_inf_where_there_is_no_path(value):
    graph = clew.Graph.from_edges([0], [1], [1.0])
    distance = clew.all_pairs(graph).distance.copy()
    distance[1, 0] = value
    with pytest.raises(VerificationError, match="inf where there is no path"):
        clew.verify.all_pairs(graph, Result("all_pairs", {"distance": distance}))
