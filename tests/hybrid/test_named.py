"""Under device="hybrid", named algorithms run on the GPU, and their results are in host memory."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import clew
from clew.algorithms import ALGORITHMS
from clew.engines.choice import gpu_for
from clew.errors import GraphError
from tests.on_gpu import emulation_only

GRAPH = clew.generate.random_weights(clew.generate.rmat(7, 8, seed=4), 1, 9, 1, "int32")
FIVE = ("bfs", "sssp", "sswp", "pagerank", "connected_components")
ON_GPU = (
    *FIVE,
    "bellman_ford",
    "k_core",
    "triangles",
    "label_propagation",
    "random_walk_with_restart",
    "k_truss",
    "similarity",
)


def run(name, device, graph=GRAPH):
    given = (2,) if ALGORITHMS[name].needs_source else ()
    return getattr(clew, name)(graph, *given, device=device)


@pytest.mark.parametrize("name", ON_GPU)
def test_results_are_the_gpus_in_host_memory(name):
    device = gpu_for("emulated", 0)
    launches = getattr(device, "launches", 0)
    found = run(name, "hybrid-emulated")
    assert getattr(device, "launches", 1) > launches
    for key, values in run(name, "emulated").numpy().values.items():
        assert isinstance(found.values[key], np.ndarray)
        if key != "parent":  # of several valid ones
            np.testing.assert_allclose(found.values[key], values, rtol=1e-12)
    assert "edges_cpu" not in found.trace.columns


@pytest.mark.parametrize("budget", [0, 40, 1 << 10, 1 << 20])
@pytest.mark.parametrize("name", FIVE)
def test_budgets(name, budget):
    """Of nothing, of one row, of a part, and of all edges."""
    with clew.memory(edges="auto", fast_memory=budget):
        found = run(name, "hybrid-emulated")
    for key, values in run(name, "cpu").values.items():
        if key != "parent":
            np.testing.assert_allclose(found.values[key], values, rtol=1e-9)


@pytest.mark.quick
@pytest.mark.parametrize("vertices", [0, 1])
def test_next_to_nothing(vertices):
    graph = clew.Graph.from_edges([], [], np.array([], dtype="int32"), num_vertices=vertices)
    assert clew.connected_components(graph, device="hybrid-emulated").count == vertices
    assert clew.pagerank(graph, device="hybrid-emulated").rank.tolist() == [1.0] * vertices
    if vertices:
        assert clew.bfs(graph, 0, device="hybrid-emulated").depth.tolist() == [0]


def test_products_have_their_vectors_in_host_memory():
    x = np.arange(GRAPH.num_vertices) / 3
    np.testing.assert_allclose(clew.spmv(GRAPH, x, device="hybrid-emulated"), clew.spmv(GRAPH, x, device="cpu"))
    mask = x > 20
    chosen = clew.spmv(GRAPH, x, mask=mask, device="hybrid-emulated")
    np.testing.assert_allclose(chosen, clew.spmv(GRAPH, x, mask=mask, device="cpu"))


@pytest.mark.quick
def test_what_is_not_served_says_what_is():
    graph = clew.generate.path(3)
    with pytest.raises(GraphError, match=r"'hybrid' is supported by algorithms, clew\.run and clew\.spmv; use"):
        clew.spmspv(graph, ([0], [1.0]), device="hybrid")
    with pytest.raises(GraphError, match="'auto', 'cpu', 'cuda', 'hybrid'"):
        clew.bfs(graph, device="both")


@emulation_only
@pytest.mark.parametrize("name", FIVE)
def test_a_graph_goes_at_once_with_what_it_has_on_the_device(name):
    """Without the collector of cycles, which may not come for long."""
    device = gpu_for("emulated", 0)
    gc.collect()
    before = device.memory.live_allocations
    gc.disable()
    try:
        graph = clew.generate.random_weights(clew.generate.kronecker(6, seed=1), 1, 9, seed=1)
        run(name, "hybrid-emulated", graph)
        assert device.memory.live_allocations > before
        del graph
        assert device.memory.live_allocations == before
    finally:
        gc.enable()
