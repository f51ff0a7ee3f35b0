"""Searches and components over edges in chunks: any budget, any size of chunks, every way to move them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.engines.cuda.emulation.device import EmulatedDevice, the_emulation
from clew.engines.cuda.outofcore.bfs import bfs
from clew.engines.cuda.outofcore.choice import ALL_WAYS, Options, Rates
from clew.engines.cuda.outofcore.chunks import chunked
from clew.engines.cuda.outofcore.components import connected_components
from clew.engines.cuda.outofcore.sssp import sssp
from clew.engines.cuda.outofcore.sswp import sswp
from clew.graph import Graph
from tests.algorithms.weighted import weighted_graphs

EDGE = 8  # bytes, of ids and weights in 32 bits
WAYS = {"filter": ("filter",), "compact": ("compact",), "zero_copy": ("zero_copy",), "auto": ALL_WAYS}
#: Rates by which chunks of small graphs are given all three ways in one step.
MIXED = Rates(link=8, in_place=1e9, lines=0.25, gather=16, gathered_rows=1e9, calls=1e9)


def check_searches(graph, source, split, chunk_bytes, options, *, deterministic=False, delta=None):
    """Everything over one graph's out-edges, against the checkers and the CPU."""
    device = the_emulation()
    plain = chunked(device, graph.outgoing, split, chunk_bytes=chunk_bytes)
    found = bfs(plain, source, options, deterministic=deterministic)
    result = clew.Result("bfs", {"depth": found.depth, "parent": found.parent})
    clew.verify.bfs(graph, source, result)
    expected = clew.bfs(graph, source, deterministic=deterministic, device="cpu")
    assert (found.levels, found.reached) == (expected.iterations, expected.num_reached)
    if deterministic:
        np.testing.assert_array_equal(found.parent, expected.parent)
    label = connected_components(plain, options, both_ways=not graph.directed).label
    np.testing.assert_array_equal(label, clew.connected_components(graph, device="cpu").label)
    if graph.weights is None:
        return
    rows = chunked(device, graph.outgoing, split, weights=graph.weights, chunk_bytes=chunk_bytes)
    widest = sswp(rows, source, graph.weights, options, deterministic=deterministic)
    clew.verify.sswp(graph, source, clew.Result("sswp", {"width": widest.value, "parent": widest.parent}))
    if graph.weights.dtype.kind == "b" or not (graph.weights < 0).any():
        shortest = sssp(rows, source, graph.weights, options, deterministic=deterministic, delta=delta)
        expected = clew.sssp(graph, source, device="cpu")
        result = clew.Result("sssp", {"distance": shortest.value, "parent": shortest.parent})
        clew.verify.sssp(graph, source, result)
        np.testing.assert_array_equal(shortest.value, expected.distance)
        assert shortest.reached == expected.num_reached


def weighted(graph: Graph) -> Graph:
    return clew.generate.random_weights(graph, 0, 20, seed=1, dtype="int32")


SHAPES = {
    "kronecker": lambda: weighted(clew.generate.kronecker(5, seed=1)),
    "star": lambda: weighted(clew.generate.star(100)),
    "path": lambda: weighted(clew.generate.path(20)),
    "directed": lambda: weighted(clew.generate.rmat(6, 6, 0.45, 0.22, 0.22, seed=4)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_way_over_every_cut(shape, way):
    graph = SHAPES[shape]()
    arcs = graph.num_arcs
    for split, edges in ((arcs, 37), (arcs // 2, 50), (arcs - 1, arcs), (1, 1)):
        options = Options(ways=WAYS[way], small=0, slots=2, delta=np.inf if edges == 50 else None)
        check_searches(graph, 0, split, edges * EDGE, options)


@pytest.mark.parametrize("small", [3, 40, 1 << 20])
@pytest.mark.parametrize("shape", SHAPES)
def test_small_frontiers_stay_on_the_device(shape, small):
    graph = SHAPES[shape]()
    for delta in (None, 7.0):
        check_searches(graph, 1, graph.num_arcs // 2, 400, Options(small=small), deterministic=True, delta=delta)


def test_a_long_path_takes_few_launches():
    device = EmulatedDevice()
    graph = clew.generate.path(300)
    rows = chunked(device, graph.outgoing, 400)
    before = device.launches
    found = bfs(rows, 0, Options())
    assert device.launches - before < 5
    assert found.levels == 300
    assert found.trace["frontier"].tolist() == [1] * 300


def test_steps_that_copy_nothing_take_few_launches_however_many_chunks_there_are():
    device = EmulatedDevice()
    graph = weighted(clew.generate.kronecker(7, seed=3))
    arcs = graph.num_arcs
    rows = chunked(device, graph.outgoing, arcs * 3 // 4, weights=graph.weights, chunk_bytes=arcs * 6 // 64)
    assert len(rows.chunks) > 60
    before = device.launches
    found = sssp(rows, 0, graph.weights, Options(ways=("zero_copy",), small=0))
    steps = len(found.trace)
    assert found.trace["zero_copy"].max() > 20
    # A list, the chunks on the host, a clearing, those in device memory; and a few before and after.
    assert device.launches - before <= 4 * steps + 5


def test_gathered_chunks_share_a_slot():
    device = EmulatedDevice()
    graph = weighted(clew.generate.kronecker(7, seed=3))
    rows = chunked(device, graph.outgoing, graph.num_arcs, weights=graph.weights, chunk_bytes=160)
    copies = []
    device.copy_to = lambda target, source, stream=None: copies.append(EmulatedDevice.copy_to(device, target, source))
    found = sssp(rows, 0, graph.weights, Options(ways=("compact",), small=0))
    assert len(copies) < 1.5 * found.trace["compacted"].sum()  # one of neighbours and one of weights for each part
    np.testing.assert_array_equal(found.value, clew.sssp(graph, 0, device="cpu").distance)


def test_all_ways_in_one_step():
    graph = weighted(clew.generate.kronecker(7, seed=3))
    rows = chunked(the_emulation(), graph.outgoing, graph.num_arcs, chunk_bytes=40)
    options = Options(small=0, rates=MIXED)
    found = bfs(rows, 0, options)
    taken = np.array([found.trace[name] for name in ("copied", "compacted", "zero_copy")])
    assert (taken > 1).all(axis=0).any()
    for split in (graph.num_arcs, graph.num_arcs // 2):
        check_searches(graph, 0, split, 80, options)


def test_one_edge_a_chunk():
    graph = SHAPES["star"]()
    check_searches(graph, 3, 20, 1, Options(small=0, slots=1))


@settings(max_examples=25, deadline=None)
@given(
    graph=weighted_graphs("int32", 0, 9),
    data=st.data(),
    chunk=st.sampled_from([1, 8, 24, 10_000]),
    way=st.sampled_from(sorted(WAYS)),
    small=st.sampled_from([0, 2, 1000]),
    slots=st.integers(1, 4),
    deterministic=st.booleans(),
)
def test_any_graph(graph, data, chunk, way, small, slots, deterministic):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    split = data.draw(st.integers(0, graph.num_arcs))
    delta = data.draw(st.sampled_from([None, 2.0]))
    options = Options(ways=WAYS[way], small=small, slots=slots, rates=MIXED)
    check_searches(graph, source, split, chunk, options, deterministic=deterministic, delta=delta)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "float64"])
def test_weights_of_other_types(dtype):
    plain = clew.generate.kronecker(6, seed=2)
    weights = np.random.default_rng(3).integers(0, 2 if dtype == "bool" else 5, plain.num_arcs).astype(dtype)
    graph = Graph.from_csr(plain.indptr, plain.indices, weights, directed=True)
    for options in (Options(small=0, delta=0.5), Options(ways=("compact",), small=30)):
        check_searches(graph, 0, graph.num_arcs // 3, 300, options)


def test_wide_ids():
    made = clew.generate.kronecker(5, seed=2)
    source, target, _ = made.edges()
    graph = Graph.from_edges(source, target, None, made.num_vertices, id_dtype="int64")
    for small in (0, 50):
        check_searches(graph, 0, graph.num_arcs // 2, 200, Options(small=small), deterministic=True)


@pytest.mark.parametrize("num_vertices", [1, 40])
def test_no_edges(num_vertices):
    graph = Graph.from_edges([], [], [], num_vertices)
    graph = graph.with_weights(np.empty(0, np.int32))
    check_searches(graph, num_vertices - 1, 0, 100, Options())
    check_searches(graph, 0, 0, 100, Options(small=0))
