"""What traces say of iterations, whatever ran them: vertices, edges, their bytes, and how long each took."""

from __future__ import annotations

import time

import numpy as np
import pytest

import clew
from clew.algorithms.pagerank import cpu as cpu_pagerank
from clew.algorithms.pagerank import cuda as cuda_pagerank
from clew.result import edge_bytes, seconds_between, timed
from examples.vertex_programs import Components, LabelPropagation, PageRank
from tests.algorithms.graphs import thread_count

EVERY = {"edges", "bytes", "seconds"}


@pytest.fixture(scope="module")
def graph():
    return clew.generate.random_weights(clew.generate.kronecker(7, seed=1), 1, 255, seed=1, dtype="int32")


def searches(graph, device):
    """Runs, with the bytes of the edges they read: with and without weights."""
    source = int(np.argmax(graph.degrees()))
    yield lambda: clew.bfs(graph, source, device=device), 4
    yield lambda: clew.sssp(graph, source, device=device), 8
    yield lambda: clew.sswp(graph, source, device=device), 8
    yield lambda: clew.bellman_ford(graph, source, device=device), 8
    yield lambda: clew.pagerank(graph, device=device), 4
    yield lambda: clew.random_walk_with_restart(graph, source, device=device), 4
    yield lambda: clew.run(Components(), graph, device=device), 4
    yield lambda: clew.run(PageRank(), graph, device=device), 4
    if device == "cpu":
        yield lambda: clew.hits(graph), 4
        yield lambda: clew.run(LabelPropagation(), graph), 4


@pytest.mark.parametrize("device", ["cpu", "emulated"])
def test_every_iteration_has_edges_bytes_and_seconds(graph, device):
    for run, width in searches(graph, device):
        run()  # what is compiled is compiled
        start = time.perf_counter()
        result = run()
        wall = time.perf_counter() - start
        columns = result.trace.columns
        assert columns.keys() >= EVERY, result.algorithm
        assert columns.keys() & {"frontier", "active"}
        assert {len(column) for column in columns.values()} == {len(result.trace)}
        assert len(result.trace) > 1
        assert (columns["edges"] >= 0).all()
        np.testing.assert_array_equal(columns["bytes"], columns["edges"] * width, err_msg=result.algorithm)
        assert (columns["seconds"] >= 0).all()
        assert 0 < columns["seconds"].sum() <= wall, result.algorithm


def looked_at(graph, depth, level, device):
    """The edges that a pull at a level looks at: of each vertex not reached yet, up to the first from the frontier."""
    edges = 0
    for v in np.flatnonzero((depth < 0) | (depth > level)):
        row = graph.incoming.indices[graph.incoming.indptr[v] : graph.incoming.indptr[v + 1]]
        hits = np.flatnonzero(depth[row] == level)
        needed = int(hits[0]) + 1 if hits.size else row.size
        if device == "emulated":  # 16 edges by one thread, 4 at a time, the others by a warp
            needed = -(-needed // 4) * 4 if needed <= 16 else 16 + -(-(needed - 16) // 32) * 32
        edges += min(needed, row.size)
    return edges


@pytest.mark.parametrize("device", ["cpu", "emulated"])
def test_pulls_count_the_edges_they_look_at(graph, device):
    found = clew.bfs(graph, int(np.argmax(graph.degrees())), device=device)
    edges, pulled = found.trace["edges"], np.flatnonzero(found.trace["direction"] == "pull")
    assert pulled.size
    for level in pulled:
        assert edges[level] == looked_at(graph, np.asarray(found.depth), level, device)


def test_pushes_look_at_all_edges_of_the_frontier():
    """Also those right after a pull, whose edges the search need not know."""
    graph = clew.datasets.debian().reversed()
    for threads in (1, 2):
        with thread_count(threads):
            found = clew.bfs(graph, "libc6", device="cpu")
        edges, pushed = found.trace["edges"], np.flatnonzero(found.trace["direction"] == "push")
        assert 0 < pushed.size < len(found.trace)
        assert edges[pushed].tolist() == [graph.degrees()[found.depth == level].sum() for level in pushed]


def test_rounds_that_count_vertices_have_times(graph):
    for name, options in (
        ("label_propagation", {}),
        ("coloring", {"method": "rounds"}),
        ("maximal_independent_set", {}),
    ):
        trace = getattr(clew, name)(graph, device="cpu", **options).trace
        assert (trace["seconds"] >= 0).all()
        assert {len(column) for column in trace.columns.values()} == {len(trace)}, name


@pytest.mark.parametrize("directed", [False, True])
def test_label_propagation_counts_whom_it_looks_at(directed):
    """A clique that agrees soon, and a lone edge whose ends trade labels for ever."""
    source, target = np.triu_indices(50, 1)
    graph = clew.Graph.from_edges(np.append(source, 50), np.append(target, 51), directed=directed)
    for threads in (1, 2):
        with thread_count(threads):
            trace = clew.label_propagation(graph, device="cpu").trace
        assert (trace["active"][0], trace["edges"][0]) == (52, 2 * source.size + 2)  # edges from both of their ends
        assert (trace["active"][-1], trace["edges"][-1], trace["changed"][-1]) == (2, 2, 2)
        np.testing.assert_array_equal(trace["bytes"], trace["edges"] * 4)


@pytest.mark.quick
@pytest.mark.parametrize("device", ["cpu", "emulated"])
@pytest.mark.parametrize("vertices", [0, 1, 2])
def test_next_to_nothing(vertices, device):
    graph = clew.Graph.from_edges([], [], np.empty(0, dtype="int32"), num_vertices=vertices)
    results = [clew.pagerank(graph, device=device), clew.run(Components(), graph, device=device)]
    if vertices:
        results += [search(graph, 0, device=device) for search in (clew.bfs, clew.sssp, clew.bellman_ford)]
        assert all(result.trace["bytes"].sum() == 0 for result in results)
    for result in results:
        assert result.trace.columns.get("seconds", np.zeros(1)).sum() >= 0
        result.trace.plot()


def test_long_searches_have_times_as_far_as_their_trace_goes():
    weighted = clew.generate.random_weights(clew.generate.path(70_000), 1, 9, seed=1, dtype="int32")
    for search in (clew.bfs, clew.sssp, clew.bellman_ford):
        for threads in (1, 2):
            with thread_count(threads):
                search(weighted, 0, device="cpu")
                start = time.perf_counter()
                trace = search(weighted, 0, device="cpu").trace
                wall = time.perf_counter() - start
            assert len(trace) > 30_000
            assert (trace["seconds"] >= 0).all()
            assert 0 < trace["seconds"].sum() <= wall


def test_more_rounds_than_a_trace_has_room_for(graph, monkeypatch):
    for engine in (cpu_pagerank, cuda_pagerank):
        monkeypatch.setattr(engine, "TRACED_ROUNDS", 3)
    expected = clew.pagerank(graph, device="cpu")
    one_launch = clew.pagerank(graph, device="emulated")
    monkeypatch.setattr(cuda_pagerank, "products_pay", lambda *_: True)
    for found in (expected, one_launch, clew.pagerank(graph, device="emulated")):
        assert found.iterations > 3
        assert {len(column) for column in found.trace.columns.values()} == {3}
        np.testing.assert_allclose(found.trace["change"], expected.trace["change"], rtol=1e-5)


@pytest.mark.quick
def test_stamps_become_seconds():
    base = 10**18  # more than a float can tell apart
    stamps = base + np.array([0, 500, 2_000])
    np.testing.assert_allclose(seconds_between(stamps), [5e-7, 1.5e-6])
    stamps = np.array([base, 0, 0, base + 1_000, base + 3_000])
    np.testing.assert_allclose(seconds_between(stamps, np.array([0, 7, 0, 5])), np.array([1, 8, 1, 20]) * 1e-7)
    assert seconds_between(np.array([base, 0])).tolist() == [0]  # nobody looked when it ended
    assert seconds_between(np.empty(0, dtype=np.int64)).size == seconds_between(np.array([base])).size == 0


@pytest.mark.quick
def test_bytes_are_those_of_edges():
    assert edge_bytes(np.empty(0, np.int32)) == 4
    assert edge_bytes(np.empty(0, np.int64), np.empty(0, np.float32)) == 12
    told = timed({"frontier": np.array([1, 2]), "edges": np.array([3, -1])}, np.array([5, 6, 8]), 4)
    assert told["bytes"].tolist() == [12, -1]
