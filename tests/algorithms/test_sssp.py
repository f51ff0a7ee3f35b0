"""Shortest paths, against their checker, NetworkX, SciPy and known answers."""

from __future__ import annotations

import gzip

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import dijkstra

import clew
from clew import GraphError, Result, VerificationError
from clew.algorithms.paths import kernels as buckets
from clew.algorithms.sssp import cpu, kernels
from tests.algorithms.graphs import LARGE, thread_count
from tests.algorithms.weighted import large, reachable, weighted_graphs
from tests.graph.strategies import WEIGHT_DTYPES

UNREACHED = 2**63 - 1


@settings(max_examples=60, deadline=None)
@given(weighted_graphs("int32", 0, 4) | weighted_graphs("float64", 0, 4), st.data())
def test_small_graphs(graph, data):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    delta = data.draw(st.sampled_from([None, 0.01, 1, 3.5, 1e9]))
    result = clew.sssp(graph, source, delta=delta, deterministic=data.draw(st.booleans()))
    clew.verify.sssp(graph, source, result)
    expected = nx.single_source_dijkstra_path_length(graph.to_networkx(), source)
    assert reachable(result, "distance") == expected
    assert result.num_reached == len(expected)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("name", LARGE)
def test_large_graphs(name, threads):
    graph, source = large(name, 0, 255)
    with thread_count(threads):
        result = clew.sssp(graph, source)
        steady = clew.sssp(graph, source, deterministic=True)
    for found in (result, steady):
        clew.verify.sssp(graph, source, found)
    with thread_count(1):
        alone = clew.sssp(graph, source, deterministic=True)
    np.testing.assert_array_equal(result.distance, alone.distance)
    np.testing.assert_array_equal(steady.parent, alone.parent)
    assert len(result.trace) == result.iterations
    assert result.trace["frontier"].sum() >= result.num_reached
    assert (np.diff(result.trace["bucket"]) > 0).all()


@pytest.mark.parametrize("delta", [0.3, 40, 1e6])
@pytest.mark.parametrize("threads", [1, 3])
def test_delta_and_threads_change_no_distance(delta, threads):
    graph, source = large("grid", 0.0, 1.0, "float64")
    expected = clew.sssp(graph, source).distance
    np.testing.assert_allclose(expected, dijkstra(graph.to_scipy(), indices=source), rtol=1e-12)
    with thread_count(threads):
        found = clew.sssp(graph, source, delta=delta)
    np.testing.assert_array_equal(found.distance, expected)
    clew.verify.sssp(graph, source, found)


@pytest.mark.quick
def test_an_entry_that_another_thread_made_old_leaves_the_parent_alone():
    """A member has checked its entry, and then another improves the vertex and writes the parent."""
    value, parent = np.array([0, 7, 2, 3]), np.full(4, 9, np.uint32)
    paths, ids, work = (
        (value, value.view(np.uint64), parent),
        np.empty(0, np.uint32),
        np.empty(kernels.CHUNK, np.uint32),
    )
    held = (np.empty(8, np.uint32), np.empty(8, np.uint32), np.empty(8, value.dtype))
    pool = buckets.new_pool(ids, value)
    buckets.put(pool, 0, 1, 2, 7)
    buckets.put(pool, 0, 2, 0, 2)
    out = (np.zeros(5, np.uint64), np.empty(0, np.uint32))
    tip, count, _ = kernels._take_own(pool[4][0], out, paths, pool, work, held, 3)
    assert (tip, count, sorted(work[:2])) == (0, 2, [1, 2])
    assert parent.tolist() == [9] * 4
    value[1], parent[1] = 6, 3
    kernels._write_parents(paths, tuple(each[3:] for each in held), count)
    assert parent.tolist() == [9, 3, 0, 9]


def test_weights_of_very_different_sizes_go_beyond_the_window_of_buckets():
    graph = LARGE["grid"]()
    graph = clew.generate.random_weights(graph, 0.0, 1.0, seed=1)
    graph = clew.Graph.from_edges(*graph.edges()[:2], np.exp(40 * graph.edges()[2]), directed=False)
    for threads in (1, 3):
        with thread_count(threads):
            result = clew.sssp(graph, 0, delta=100.0)
        clew.verify.sssp(graph, 0, result)
    assert result.trace["bucket"].max() > 10_000


@pytest.mark.parametrize("dtype", WEIGHT_DTYPES)
def test_every_dtype(dtype):
    weights = np.array([4, 9, 3, 0, 1]).astype(dtype)
    graph = clew.Graph.from_edges([0, 0, 1, 2, 4], [1, 2, 2, 3, 0], weights)
    result = clew.sssp(graph, 0)
    clew.verify.sssp(graph, 0, result)
    floating = np.dtype(dtype).kind == "f"
    assert result.distance.dtype == (dtype if floating else "int64")
    expected = [0, 1, 1, 1] if dtype == "bool" else [0, 4, 7, 7]
    assert result.distance.tolist() == [*expected, np.inf if floating else UNREACHED]
    assert result.parent.tolist()[3:] == [2, -1]


def test_weights_that_cannot_be_used():
    graph = clew.Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(GraphError, match="sssp needs edge weights"):
        clew.sssp(graph)
    with pytest.raises(GraphError, match="the smallest weight is -1"):
        clew.sssp(graph.with_weights([1, -1]))
    with pytest.raises(GraphError, match="1 weight is NaN"):
        clew.sssp(graph.with_weights([1.0, np.nan]))
    with pytest.raises(GraphError, match="may not fit in 64 bits"):
        clew.sssp(graph.with_weights(np.array([1, 2**62])))
    with pytest.raises(GraphError, match="may not fit in 64 bits"):
        clew.sssp(graph.with_weights(np.array([1, 2**64 - 1], dtype="uint64")))
    assert clew.sssp(graph.with_weights(np.array([1, 2**61]))).distance.tolist() == [0, 1, 2**61 + 1]


def test_sums_beyond_32_bits():
    graph = clew.generate.path(5).with_weights(np.full(8, 2**31 - 1, dtype=np.int32))
    assert clew.sssp(graph).distance.tolist() == [(2**31 - 1) * steps for steps in range(5)]


def test_infinite_weights_are_no_way():
    graph = clew.Graph.from_edges([0, 0, 1], [1, 2, 3], [np.inf, 2.0, 1.0])
    result = clew.sssp(graph)
    assert result.distance.tolist() == [0, np.inf, 2, np.inf]
    assert result.parent.tolist() == [0, -1, 0, -1]
    clew.verify.sssp(graph, 0, result)
    assert clew.sssp(graph.with_weights([np.inf] * 3)).num_reached == 1


@pytest.mark.parametrize("device", ["cpu", "emulated"])
def test_weights_whose_sum_is_too_large_for_a_float(device):
    graph = clew.Graph.from_edges([0, 1, 2], [1, 2, 3], [1e308, 0.5e308, 1e308])
    result = clew.sssp(graph, device=device).numpy()
    assert result.distance.tolist() == [0, 1e308, 1.5e308, np.inf]
    assert result.parent.tolist() == [0, 0, 1, -1]


def test_weights_too_small_to_count_still_make_a_tree():
    graph = clew.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 1], [1e20, 1.0, 1.0, 1.0])
    for deterministic in (False, True):
        result = clew.sssp(graph, deterministic=deterministic)
        assert result.distance.tolist() == [0, 1e20, 1e20, 1e20]
        assert result.parent.tolist() == [0, 0, 1, 2]


def test_arguments():
    graph = clew.Graph.from_edges(["a", "b"], ["b", "c"], [1, 2])
    assert clew.sssp(graph, "b").to_dict() == {"b": 0, "c": 2}
    for delta in (0, -1, np.inf, np.nan):
        with pytest.raises(GraphError, match="delta is"):
            clew.sssp(graph, "a", delta=delta)
    with pytest.raises(GraphError, match="no vertex is called 'z'"):
        clew.sssp(graph, "z")
    with pytest.raises(GraphError, match="device is 'tpu'"):
        clew.sssp(graph, "a", device="tpu")


@pytest.mark.parametrize("name", ["rome99.gr.gz", "road-losangeles-lcc.gr.gz"])
def test_roads(shared_data, name):
    graph = clew.read(shared_data / "roads" / name, duplicates="min")  # SciPy would add them up
    result = clew.sssp(graph, graph.name(0))
    clew.verify.sssp(graph, graph.name(0), result)
    expected = dijkstra(graph.to_scipy(), indices=0)
    np.testing.assert_array_equal(np.where(result.parent >= 0, result.distance, np.inf), expected)


@pytest.mark.parametrize(
    "name", ["example-directed", "example-undirected", "test-sssp-directed", "test-sssp-undirected"]
)
def test_ldbc(shared_data, name):
    graph = clew.read(shared_data / "ldbc" / f"{name}.e")
    source = int(graph.metadata["ldbc"]["sssp.source-vertex"])
    lines = (shared_data / "ldbc" / f"{name}-SSSP").read_text().splitlines()
    expected = {int(v): float(d.replace("Infinity", "inf")) for v, d in map(str.split, lines)}
    reached = {v: distance for v, distance in expected.items() if distance < np.inf}
    assert clew.sssp(graph, source).to_dict() == pytest.approx(reached, rel=1e-4)


@pytest.mark.parametrize("directed", [True, False])
def test_p2p31(shared_data, directed):
    folder = shared_data / "ldbc_p2p31"
    source, target, weights = np.loadtxt(folder / "p2p-31.e.gz").T
    vertices = np.loadtxt(folder / "p2p-31.v.gz", dtype=np.int64, usecols=0)
    ids = [np.searchsorted(vertices, ends.astype(np.int64)) for ends in (source, target)]
    graph = clew.Graph.from_edges(*ids, weights, vertices.size, directed, names=vertices)
    with gzip.open(folder / f"p2p-31-SSSP{'-directed' if directed else ''}.gz", "rt") as lines:
        expected = {int(v): float(d) for v, d in (line.replace("infinity", "inf").split() for line in lines)}
    found = clew.sssp(graph, 6)
    clew.verify.sssp(graph, 6, found)
    reached = {v: distance for v, distance in expected.items() if distance < np.inf}
    assert found.to_dict() == pytest.approx(reached, rel=1e-4)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda d, p: d.__setitem__(0, 1), "the source has value 0"),
        (lambda d, p: p.__setitem__(2, -1), "exactly the vertices with a value"),
        (lambda d, p: d.__setitem__(3, 9), "gives a vertex its value"),
        (lambda d, p: p.__setitem__(3, 0), "gives a vertex its value"),
        (lambda d, p: (p.__setitem__(2, 0), d.__setitem__(2, 9), d.__setitem__(3, 9)), "a better value"),
        (lambda d, p: (p.__setitem__(3, -1), d.__setitem__(3, UNREACHED)), "a better value"),
        (lambda d, p: p.__setitem__(3, 77), "a parent is a vertex"),
        (lambda d, p: p.__setitem__(2, 3), "leads to the source"),
    ],
)
def test_the_checker_finds_what_is_wrong(change, rule):
    graph = clew.Graph.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 2], [4, 9, 3, 0, 0])
    result = clew.sssp(graph, 0)
    distance, parent = result.distance.copy(), result.parent.copy()
    change(distance, parent)
    with pytest.raises(VerificationError, match=rule):
        clew.verify.sssp(graph, 0, Result("sssp", {"distance": distance, "parent": parent}))


def test_the_checker_looks_at_the_count():
    graph = clew.Graph.from_edges([0], [1], [2], num_vertices=3)
    for search, check in ((clew.sssp, clew.verify.sssp), (clew.sswp, clew.verify.sswp)):
        result = search(graph, 0)
        check(graph, 0, result)
        with pytest.raises(VerificationError, match="num_reached is the number"):
            check(graph, 0, Result("wrong", result.values, facts={"num_reached": 3}))


def test_another_thread_may_take_the_last_trace(monkeypatch):
    class TakenMeanwhile(list):
        def __bool__(self):
            return True  # when one looks; when one takes, there is none

    monkeypatch.setattr(cpu, "_cleared", TakenMeanwhile())
    assert clew.sssp(clew.Graph.from_edges([0], [1], [2]), 0).distance.tolist() == [0, 2]


def test_advice_on_negative_weights_leads_somewhere():
    negative = clew.Graph.from_edges([0, 1], [1, 2], [-1, 2])
    with pytest.raises(GraphError, match=r"smallest weight is -1; .* Try clew.bellman_ford"):
        clew.sssp(negative, 0)
    assert clew.bellman_ford(negative, 0).distance.tolist() == [0, -1, 1]
    for refused in (negative.symmetrized(), clew.Graph.from_edges([0, 1], [1, 2], [-np.inf, 2])):
        with pytest.raises(GraphError, match="smallest weight is") as caught:
            clew.sssp(refused, 0)
        assert "bellman" not in str(caught.value) + caught.value.on_command_line()
        with pytest.raises(GraphError):
            clew.bellman_ford(refused, 0)
