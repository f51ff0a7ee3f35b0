"""A call on a graph that is on the GPU already: few launches, allocations, and waits of the host for the device."""

import pytest

import clew
from clew.engines.cuda.emulation.device import the_emulation
from tests.on_gpu import emulation_only

pytestmark = emulation_only

GRAPH = clew.generate.rmat(7, edge_factor=8, seed=1)
WEIGHTED = clew.generate.random_weights(GRAPH, 1, 9, seed=1)
CALLS = {  # with launches, read-backs and allocations
    "bfs": (lambda: clew.bfs(GRAPH, 1, device="emulated"), 1, 1, 7),
    "sssp": (lambda: clew.sssp(WEIGHTED, 1, device="emulated"), 3, 1, 10),
    "sswp": (lambda: clew.sswp(WEIGHTED, 1, device="emulated"), 3, 1, 10),
    "pagerank": (lambda: clew.pagerank(GRAPH, device="emulated"), 1, 1, 6),
    "connected_components": (lambda: clew.connected_components(GRAPH, device="emulated"), 1, 0, 4),
}


@pytest.fixture
def calls(monkeypatch):
    """What the device does, by the name of its method."""
    device, seen = the_emulation(), []

    def noted(what):
        real = getattr(device, what)
        monkeypatch.setattr(device, what, lambda *args, **options: seen.append(what) or real(*args, **options))

    for what in ("_launch", "download"):
        noted(what)
    return seen


@pytest.mark.parametrize("name", CALLS)
def test_a_second_call_costs_no_more_than_it_must(name, calls):
    call, *expected = CALLS[name]
    call()
    memory = the_emulation().memory
    calls.clear()
    before = memory.allocations
    call()
    assert [calls.count("_launch"), calls.count("download"), memory.allocations - before] == expected


def test_components_are_counted_when_somebody_asks(calls):
    graph = clew.Graph.from_edges([0, 3], [2, 4], num_vertices=6)
    result = clew.connected_components(graph, device="emulated")
    calls.clear()
    assert not hasattr(result, "__fspath__")
    assert result.label.tolist() == [0, 1, 0, 3, 3, 5]
    assert calls == []
    assert (result.count, result.sizes.tolist(), result.largest) == (4, [2, 1, 2, 1], 2)
    assert "_launch" in calls
