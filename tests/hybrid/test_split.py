"""Algorithms on CPU and GPU together give what either gives alone, wherever the cut between their rows is."""

from __future__ import annotations

import gc
import time
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.engines.choice import gpu_for
from clew.engines.cuda.rows import rows_on
from clew.engines.hybrid import buffers, components, pagerank, plans, split
from clew.engines.hybrid.pipeline import Settings
from clew.engines.hybrid.plans import SPLIT
from clew.engines.hybrid.rates import Rates
from clew.errors import GraphError
from tests.algorithms.graphs import graphs
from tests.on_gpu import emulation_only

COLUMNS = ["frontier", "edges_cpu", "edges_gpu", "bytes_up", "bytes_down", "seconds_cpu", "seconds_gpu", "form"]
RANKS = {"damping": 0.85, "tolerance": 1e-9, "max_iterations": 60, "jumps": None, "weighted": False, "dtype": "float64"}


def weighted(graph, seed=1):
    return clew.generate.random_weights(graph, 1, 9, seed, "int32")


def check(graph, source, how):
    device = gpu_for("emulated", 0)
    found = split.bfs(device, graph, source, plan=SPLIT, settings=how)
    clew.verify.bfs(graph, source, clew.Result("bfs", {"depth": found.depth, "parent": found.parent}))
    paths = split.sssp(device, graph, source, graph.weights, plan=SPLIT, settings=how)
    clew.verify.sssp(graph, source, clew.Result("sssp", {"distance": paths.value, "parent": paths.parent}))
    widest = split.sswp(device, graph, source, graph.weights, plan=SPLIT, settings=how)
    clew.verify.sswp(graph, source, clew.Result("sswp", {"width": widest.value, "parent": widest.parent}))
    assert found.reached == paths.reached == widest.reached == np.count_nonzero(found.depth >= 0)
    joined = components.connected_components(device, graph, plan=SPLIT, settings=how)
    expected = clew.connected_components(graph, device="cpu")
    np.testing.assert_array_equal(joined.label, expected.label)
    np.testing.assert_array_equal(joined.sizes, expected.sizes)
    ranks = pagerank.pagerank(device, graph, plan=SPLIT, settings=how, **RANKS)
    expected = clew.pagerank(graph, tolerance=1e-9, max_iterations=60, device="cpu")
    np.testing.assert_allclose(ranks.rank, expected.rank, rtol=1e-9)
    assert (ranks.rounds, ranks.converged) == (expected.iterations, expected.converged)
    return found, paths


@settings(max_examples=10, deadline=None)
@given(graphs(min_vertices=1), st.data())
def test_any_graph_any_cut_any_form(graph, data):
    graph = weighted(graph)
    first_row = data.draw(st.sampled_from([None, 0, 1, 64, 128, 10**9]))
    form = data.draw(st.sampled_from([None, "sparse", "bitmap", "dense"]))
    check(graph, data.draw(st.integers(0, graph.num_vertices - 1)), Settings(form, first_row, 0))


@pytest.mark.parametrize("cuts", [(1, 0, 1), (1, 1, 0), (0, 1, 0)])
def test_ranks_wherever_the_cut_moves(cuts, monkeypatch):
    graph = clew.generate.rmat(7, 8, seed=2)  # one block of rows
    wanted = iter(cuts)
    monkeypatch.setattr(Rates, "cut", lambda *_: next(wanted))
    how = {**RANKS, "tolerance": 0.0, "max_iterations": 5}
    ranks = pagerank.pagerank(gpu_for("emulated", 0), graph, plan=SPLIT, **how)
    expected = clew.pagerank(graph, tolerance=0, max_iterations=5, device="cpu")
    np.testing.assert_allclose(ranks.rank, expected.rank, rtol=1e-9)


@pytest.mark.parametrize("cut", [0, 1])
def test_ranks_begin_at_the_start(cut, monkeypatch):
    graph = clew.generate.rmat(7, 8, seed=2)
    monkeypatch.setattr(Rates, "cut", lambda *_: cut)
    start, jumps = np.zeros(graph.num_vertices), np.zeros(graph.num_vertices)
    start[3] = jumps[5] = 1
    how = {**RANKS, "tolerance": 0.0, "max_iterations": 2, "start": start, "jumps": jumps}
    ranks = pagerank.pagerank(gpu_for("emulated", 0), graph, plan=SPLIT, **how)
    walk = {"start": start, "personalization": jumps, "tolerance": 0, "max_iterations": 2}
    np.testing.assert_allclose(ranks.rank, clew.pagerank(graph, device="cpu", **walk).rank, rtol=1e-9, atol=1e-15)


def test_memory_is_given_back_by_finalizers_that_run_anywhere():
    with buffers._lock:  # by the same thread
        buffers._give_back((0, 64), np.zeros(64, np.uint8))
    assert (0, 64) not in buffers._free


@pytest.mark.parametrize("first_row", [0, 200, 320, 10**9])
def test_both_sides_do_their_share(first_row):
    graph = weighted(clew.generate.rmat(9, 8, seed=2).symmetrized())
    found, paths = check(graph, 3, Settings(None, first_row))
    for trace in (found.trace, paths.trace):
        assert list(trace.columns) == COLUMNS
        assert (trace["edges_gpu"].sum() > 0) == (first_row < 10**9)
        assert (trace["edges_cpu"].sum() > 0) == (first_row > 0)
        assert (trace["bytes_up"].sum() > 0) == (first_row < 10**9)


@pytest.mark.parametrize("budget", [0, 40, 1 << 10, 1 << 20])
def test_budgets(budget):
    """Of nothing, of one row, of a part, and of all edges."""
    graph = weighted(clew.generate.rmat(8, 8, seed=5))
    with clew.memory(edges="auto", fast_memory=budget):
        check(graph, 1, Settings(None, 64))
        for _ in range(3):  # one way after the other is tried
            np.testing.assert_array_equal(
                clew.sssp(graph, 1, device="hybrid-emulated").distance, clew.sssp(graph, 1, device="cpu").distance
            )


def test_long_paths_are_left_to_the_cpu():
    graph = weighted(clew.generate.path(5000))
    device = gpu_for("emulated", 0)
    launches = getattr(device, "launches", 0)
    found = split.bfs(device, graph, 0, plan=SPLIT)
    assert found.depth.tolist() == list(range(5000))
    assert found.levels == 5000
    assert found.trace["frontier"].size == 5000
    assert set(found.trace["form"]) == {"cpu"}
    assert getattr(device, "launches", 0) - launches < 50  # not one a level


@pytest.mark.parametrize("vertices", [0, 1])
def test_next_to_nothing(vertices):
    graph = clew.Graph.from_edges([], [], np.array([], dtype="int32"), num_vertices=vertices)
    assert clew.connected_components(graph, device="hybrid-emulated").count == vertices
    assert clew.pagerank(graph, device="hybrid-emulated").rank.tolist() == [1.0] * vertices
    if vertices:
        check(graph, 0, Settings(None, 0))
        assert clew.bfs(graph, 0, device="hybrid-emulated").depth.tolist() == [0]


@emulation_only  # whose pages are small enough to have half of these edges
def test_edges_are_put_back_as_the_gpu_likes_them(monkeypatch):
    """Sharing rows takes them as they are; searches of the GPU alone have them in pairs, after a try of that too."""
    graph, device = weighted(clew.generate.rmat(7, 8, seed=2)), gpu_for("emulated", 0)
    monkeypatch.setattr(split, "_searched", partial(slowed, split._searched))
    with clew.memory("auto", graph.num_arcs * 4):
        while not plans.is_settled("sssp", graph, device):
            found = clew.sssp(graph, 0, device="hybrid-emulated")
        assert np.isfinite(plans.measured("sssp", graph, device)[SPLIT])
        assert rows_on(device, graph.outgoing, paired=True).paired
    np.testing.assert_array_equal(found.distance, clew.sssp(graph, 0, device="cpu").distance)


def slowed(run, *args):
    """So that it is not taken."""
    time.sleep(0.3)
    return run(*args)


def test_other_weights_are_left_to_one_side():
    graph = clew.generate.random_weights(clew.generate.rmat(6, 4, seed=1), 1, 9, 1, "float64")
    for _ in range(2):
        found = clew.sssp(graph, 0, device="hybrid-emulated")
        clew.verify.sssp(graph, 0, found)
        clew.verify.sswp(graph, 0, clew.sswp(graph, 0, device="hybrid-emulated"))
        assert set(found.trace["form"]) <= {"cpu", "gpu"}


def test_the_public_functions():
    graph = weighted(clew.generate.rmat(7, 8, seed=4))
    for _ in range(4):
        clew.verify.bfs(graph, 2, clew.bfs(graph, 2, deterministic=True, device="hybrid-emulated"))
        clew.verify.sswp(graph, 2, clew.sswp(graph, 2, device="hybrid-emulated"))
        clew.verify.pagerank(graph, clew.pagerank(graph, device="hybrid-emulated"))
    assert list(clew.pagerank(graph, device="hybrid-emulated").trace.columns) == ["change", *COLUMNS]
    x = np.arange(graph.num_vertices) / 3
    np.testing.assert_allclose(clew.spmv(graph, x, device="hybrid-emulated"), clew.spmv(graph, x, device="cpu"))
    mask = x > 20
    chosen = clew.spmv(graph, x, mask=mask, device="hybrid-emulated")
    np.testing.assert_allclose(chosen, clew.spmv(graph, x, mask=mask, device="cpu"))


def test_what_is_not_served_says_what_is():
    graph = clew.generate.path(3)
    for call in (clew.triangles, clew.hits, clew.k_core, clew.label_propagation):
        with pytest.raises(GraphError, match=r"'hybrid', which serves clew\.bfs.*clew\.spmv; use"):
            call(graph, device="hybrid")
    with pytest.raises(GraphError, match="which serves"):
        clew.spmspv(graph, ([0], [1.0]), device="hybrid")
    with pytest.raises(GraphError, match="'auto', 'cpu', 'cuda', 'hybrid'"):
        clew.bfs(graph, device="both")


@emulation_only
@pytest.mark.parametrize("name", ["bfs", "sssp", "sswp", "pagerank", "connected_components"])
def test_a_graph_goes_at_once_with_what_it_has_on_the_device(name):
    """Without the collector of cycles, which may not come for long."""
    device = gpu_for("emulated", 0)
    gc.collect()
    before = device.live_allocations
    gc.disable()
    try:
        graph = clew.generate.random_weights(clew.generate.kronecker(6, seed=1), 1, 9, seed=1)
        source = () if name in ("pagerank", "connected_components") else (0,)
        getattr(clew, name)(graph, *source, device="hybrid-emulated")
        assert device.live_allocations > before
        del graph
        assert device.live_allocations == before
    finally:
        gc.enable()
