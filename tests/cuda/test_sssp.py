"""Shortest paths by the kernels of the GPU, run on the CPU: against the checker and the CPU engine."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.algorithms.paths import cuda as paths
from clew.algorithms.paths.cuda import Search
from clew.algorithms.paths.cuda_problem import Tuning
from clew.algorithms.sssp import cuda as sssp_module
from clew.algorithms.sssp.cuda import sssp
from clew.engines.cuda.balance import frontiers
from clew.engines.cuda.emulation.device import EmulatedDevice, the_emulation
from clew.engines.cuda.memory.device_graph import rows_on
from tests.algorithms.weighted import weighted_graphs
from tests.cuda.lines import begun_at, read_by_lines
from tests.graph.strategies import WEIGHT_DTYPES

#: Every way to share edges among warps, and limits so low that small graphs pass them.
SMALL = {"threads": 64, "alone": (8, 24), "eager": 16, "pile": 0.1}
TUNINGS = {
    "auto": Tuning(**SMALL, long_row=4),
    "grid": Tuning(threads=64, alone=(0, 0), eager=0, long_row=4),
    "in order": Tuning(threads=64, alone=(0, 0), eager=0, long_row=4, order_from=3),
    "thread": Tuning(**SMALL, balance="thread"),
    "warp": Tuning(**SMALL, balance="warp"),
    "block": Tuning(**SMALL, balance="block", words=False),
    "merge path": Tuning(**SMALL, balance="merge_path", unroll=4),
    "degree cut": Tuning(**SMALL, balance="degree_cut", cut=4),
    "degree cut, no prefetch": Tuning(**SMALL, balance="degree_cut", cut=4, prefetch=False),
    "full pile": Tuning(threads=64, alone=(0, 0), words=False, long_row=4, pile=0.0),
}
#: Around a warp, a piece of the degree cut, a block and more than the grid.
SIZES = (1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 400)


def check(graph, source, found, *, deterministic=False):
    result = clew.Result("sssp", {"distance": found.distance, "parent": found.parent})
    clew.verify.sssp(graph, source, result)
    expected = clew.sssp(graph, source, device="cpu")
    assert found.distance.dtype == expected.distance.dtype
    np.testing.assert_array_equal(found.distance, expected.distance)
    assert found.num_reached == expected.num_reached
    if deterministic:
        again = sssp(the_emulation(), graph, source, deterministic=True)
        np.testing.assert_array_equal(found.parent, again.parent)


@lru_cache(maxsize=64)
def shape(name, size):
    made = clew.generate.grid(size, 7) if name == "grid" else getattr(clew.generate, name)(size)
    return clew.generate.random_weights(made, 0, 20, seed=size, dtype="int32")


@pytest.mark.parametrize("tuning", TUNINGS)
@pytest.mark.parametrize("name", ["path", "star", "complete", "grid"])
def test_shapes(name, tuning):
    for size in SIZES:
        if name != "complete" or size <= 65:
            graph = shape(name, size)
            source = size // 2
            check(graph, source, sssp(the_emulation(), graph, source, tuning=TUNINGS[tuning]))


@settings(max_examples=30, deadline=None)
@given(
    weighted_graphs("int32", 0, 6) | weighted_graphs("float32", 0, 6) | weighted_graphs("float64", 0, 6),
    st.sampled_from(["auto", "grid", "in order", "degree cut", "full pile"]),
    st.sampled_from([None, 0.5, 3.0, 1e9]),
    st.data(),
)
def test_small_graphs(graph, tuning, delta, data):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    steady = data.draw(st.booleans())
    found = sssp(the_emulation(), graph, source, tuning=TUNINGS[tuning], delta=delta, deterministic=steady)
    check(graph, source, found, deterministic=steady)


@pytest.mark.parametrize("tuning", TUNINGS)
@pytest.mark.parametrize("delta", [None, 10.0])
def test_skewed_graphs(tuning, delta):
    graph = clew.generate.random_weights(clew.generate.kronecker(9, seed=3), 1, 255, seed=1, dtype="int32")
    source = int(np.argmax(graph.degrees()))
    found = sssp(the_emulation(), graph, source, delta=delta, tuning=TUNINGS[tuning])
    check(graph, source, found)
    trace = found.trace()
    assert trace["frontier"][0] >= 1
    assert trace["bucket"][-1] <= found.iterations
    # A vertex of the frontier brings all its edges, and each one reached was in it at least once.
    degrees = graph.degrees()
    assert trace["edges"].sum() >= degrees[found.parent >= 0].sum()
    if tuning not in ("degree cut", "degree cut, no prefetch"):
        assert trace["frontier"].sum() >= (degrees[found.parent >= 0] > 0).sum()


@pytest.mark.quick
@pytest.mark.parametrize("tuning", TUNINGS)
@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_trees_of_tight_edges(tuning, dtype):
    """They do not depend on how the search shared its edges."""
    graph = clew.generate.random_weights(clew.generate.kronecker(8, seed=3), 0, 3, seed=1, dtype=dtype)
    source = int(np.argmax(graph.degrees()))
    found = sssp(the_emulation(), graph, source, deterministic=True, tuning=TUNINGS[tuning])
    check(graph, source, found, deterministic=True)


@pytest.mark.parametrize("dtype", WEIGHT_DTYPES)
def test_every_dtype(dtype):
    weights = np.array([4, 9, 3, 0, 1]).astype(dtype)
    graph = clew.Graph.from_edges([0, 0, 1, 2, 4], [1, 2, 2, 3, 0], weights)
    found = clew.sssp(graph, 0, device="emulated").numpy()
    clew.verify.sssp(graph, 0, found)
    expected = clew.sssp(graph, 0, device="cpu")
    assert found.distance.dtype == expected.distance.dtype
    np.testing.assert_array_equal(found.distance, expected.distance)
    np.testing.assert_array_equal(found.parent[3:], [2, -1])


@pytest.mark.parametrize("dtype", ["int64", "float64", "float32"])
def test_weights_far_apart(dtype):
    """Sums that need 64 bits, buckets that are empty for long, infinite weights."""
    weights = np.array([1, 10**12, 5, 10**15, 7]).astype(dtype)
    if dtype != "int64":
        weights[2] = np.inf
    graph = clew.Graph.from_edges([0, 1, 1, 2, 3], [1, 2, 3, 3, 0], weights)
    for delta in (None, 1.0):
        found = sssp(the_emulation(), graph, 0, delta=delta, tuning=TUNINGS["auto"])
        check(graph, 0, found)


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_cycles_of_zeros_have_trees(dtype):
    """Every vertex is tight with both neighbours, and only one way leads to the source."""
    n = 100
    around = np.arange(n)
    graph = clew.Graph.from_edges(np.r_[around, n], np.r_[(around + 1) % n, 0], np.r_[np.zeros(n), 1].astype(dtype))
    both = clew.Graph.from_edges(around, (around + 1) % n, np.zeros(n, dtype), directed=False)
    for chosen, source in ((graph, n), (both, 3)):
        for steady in (False, True):
            found = sssp(the_emulation(), chosen, source, deterministic=steady, tuning=TUNINGS["grid"])
            check(chosen, source, found, deterministic=steady)


def test_sums_that_floats_cannot_tell_apart():
    n = 50
    around = np.arange(n)
    weights = np.r_[np.full(n, 1.0), 1e30]
    graph = clew.Graph.from_edges(np.r_[around, n], np.r_[(around + 1) % n, 0], weights)
    for steady in (False, True):
        check(graph, n, sssp(the_emulation(), graph, n, deterministic=steady, tuning=TUNINGS["grid"]))


@pytest.mark.parametrize("tuning", ["auto", "grid", "full pile"])
def test_buckets_that_grow(tuning, monkeypatch):
    """What large graphs do: narrow buckets first, then wider and wider ones."""
    monkeypatch.setattr(frontiers, "LARGE", 1)
    graph = clew.generate.random_weights(clew.generate.kronecker(9, seed=3), 1, 255, seed=1, dtype="int32")
    source = int(np.argmax(graph.degrees()))
    found = sssp(the_emulation(), graph, source, tuning=TUNINGS[tuning])
    check(graph, source, found)
    steady = sssp(the_emulation(), graph, source, tuning=replace(TUNINGS[tuning], tail=100.0))
    check(graph, source, steady)
    assert found.iterations < steady.iterations / 2


def test_the_host_is_asked_between_launches(monkeypatch):
    """A long path takes several launches, with one block and with all."""
    monkeypatch.setattr(paths, "STEPS_PER_LAUNCH", 50)
    graph = clew.generate.random_weights(clew.generate.path(400), 1, 9, seed=1, dtype="int32")
    device = EmulatedDevice()
    for tuning in ("auto", "grid"):
        before = device.launches
        check(graph, 0, sssp(device, graph, 0, tuning=TUNINGS[tuning]))
        assert device.launches - before >= 400 // 50


def test_wide_ids():
    graph = shape("grid", 40)
    source, target, weights = graph.edges()
    wide = clew.Graph.from_edges(source, target, weights, graph.num_vertices, graph.directed, id_dtype="int64")
    assert wide.indices.dtype == np.int64
    check(wide, 3, sssp(the_emulation(), wide, 3, tuning=replace(TUNINGS["auto"], order_from=3)))


@pytest.mark.parametrize("last", [0, 1, 2, 5])
def test_sums_that_turn_out_to_be_large(last, monkeypatch):
    """Sums are hoped to fit in 32 bits, of which the largest number says that there is no path."""
    monkeypatch.setattr(sssp_module, "LIGHT", 1 << 40)
    seen = []
    monkeypatch.setattr(sssp_module, "Search", lambda *given: seen.append(given[3].value.itemsize) or Search(*given))
    weights = np.array([2**31, 2**31 - 3, last, 7], np.int64)
    graph = clew.Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 4], weights)
    check(graph, 0, sssp(the_emulation(), graph, 0, tuning=TUNINGS["auto"]))
    assert seen == [4] if last < 2 else seen == [4, 8]
    check(graph, 0, sssp(the_emulation(), graph, 0, tuning=TUNINGS["auto"]))
    assert seen == [4, 4] if last < 2 else seen == [4, 8, 8]  # what ran over once is not tried again


@pytest.mark.parametrize("make", [clew.generate.kronecker, clew.generate.star], ids=["skewed", "one long row"])
def test_rows_on_the_host_are_read_in_order(make, monkeypatch):
    """What large graphs do; their neighbours begin anywhere in a line."""
    graph, source, expected = read_by_lines(monkeypatch, make)
    for skew in (0, 1, 31):
        moved = begun_at(graph, skew)
        for mode, budget in (("zero_copy", None), ("tiered", graph.indices.nbytes)):
            with clew.memory(mode, budget):
                rows = rows_on(the_emulation(), moved.outgoing, paired=True)
                assert rows.paired == (mode == "tiered")
                assert rows.on_host
                assert frontiers.order_from(rows) == 5
                found = sssp(the_emulation(), moved, source, tuning=Tuning(threads=64, alone=(0, 0), long_row=4))
            np.testing.assert_array_equal(found.distance, expected.distance)


def test_memory_that_runs_out():
    """Every allocation may fail: a clear error, nothing left behind, and the next try succeeds."""
    device = EmulatedDevice()
    graph = shape("grid", 5)
    check(graph, 0, sssp(device, graph, 0, tuning=TUNINGS["auto"]))
    rows = rows_on(device, graph.outgoing)
    rows.scratch.clear()  # else the next call would use the same arrays
    live = device.memory.live_allocations
    before = device.memory.allocations
    sssp(device, graph, 0, tuning=TUNINGS["auto"])
    rows.scratch.clear()
    needed = device.memory.allocations - before
    assert needed > 5
    for k in range(1, needed + 1):
        device.memory.fail_at(k)
        with pytest.raises(clew.errors.ResourceError, match="bytes are needed"):
            sssp(device, graph, 0, tuning=TUNINGS["auto"])
        assert device.memory.live_allocations == live
    device.memory.fail_at(None)
    check(graph, 0, sssp(device, graph, 0, tuning=TUNINGS["auto"]))
