"""Any budget for edges in GPU memory: the same results, down to nothing at all."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import clew
from clew.engines.cuda.emulation.device import the_emulation
from clew.engines.cuda.memory.ledger import forget_all
from tests.on_gpu import emulation_only


@pytest.fixture(autouse=True)
def _no_edges_are_left():
    yield
    forget_all()


@pytest.fixture(scope="module")
def graph():
    return clew.generate.random_weights(clew.generate.kronecker(6, seed=5), 1, 20, seed=1, dtype="int32")


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("mode", ["auto", "tiered"])
def test_any_budget_gives_the_same_results(graph, mode, share):
    whole = graph.num_arcs * 8
    budgets = {0, int(whole * share), max(0, int(whole * share) - 1)}
    expected = clew.sssp(graph, 0, device="cpu").distance
    for budget in budgets:
        for packed in (False, True):
            with clew.memory(edges=mode, fast_memory=budget, packed=packed):
                found = clew.sssp(graph, 0, device="emulated")
                clew.verify.sssp(graph, 0, found)
                np.testing.assert_array_equal(found.distance, expected)
                clew.verify.sswp(graph, 0, clew.sswp(graph, 0, device="emulated"))
                clew.verify.bfs(graph, 0, clew.bfs(graph, 0, device="emulated"))
                clew.verify.connected_components(graph, clew.connected_components(graph, device="emulated"))
                clew.verify.pagerank(graph, clew.pagerank(graph, device="emulated"))


@emulation_only
def test_a_device_smaller_than_the_graph(monkeypatch):
    graph = clew.generate.random_weights(clew.generate.kronecker(11, seed=1), 1, 255, seed=2, dtype="int32")
    device = the_emulation()
    gc.collect()
    monkeypatch.setattr(device.memory, "capacity", device.memory.live_bytes + graph.num_arcs * 7 // 2)
    found = clew.pagerank(graph, device="emulated")
    assert found.trace["link_bytes"].sum() > 0
    clew.verify.pagerank(graph, found)
    monkeypatch.setattr(device.memory, "capacity", device.memory.live_bytes + graph.num_arcs * 8)
    clew.verify.sssp(graph, 0, clew.sssp(graph, 0, device="emulated"))


@emulation_only
def test_a_device_smaller_than_the_packed_graph(monkeypatch):
    graph = clew.generate.rmat(11, 64, seed=1)
    graph = clew.generate.random_weights(graph, 1, 255, seed=2, dtype="int32").packed()
    device, words = the_emulation(), graph.outgoing.neighbours.words.nbytes
    for name, room in (("pagerank", 120_000), ("sssp", 470_000)):  # besides the edges
        forget_all()
        gc.collect()
        monkeypatch.setattr(device.memory, "capacity", device.memory.live_bytes + room + words // 2)
        sources = (0,) if name == "sssp" else ()
        found = getattr(clew, name)(graph, *sources, device="emulated")
        assert found.trace["link_bytes"].sum() > 0
        getattr(clew.verify, name)(graph, *sources, found)
