"""A call on a graph that is on the GPU already: few launches, allocations, and waits of the host for the device."""

import gc

import pytest

import clew
from clew.engines.cuda.emulation.device import the_emulation
from tests.on_gpu import emulation_only

pytestmark = emulation_only

GRAPH = clew.generate.rmat(7, edge_factor=8, seed=1)
WEIGHTED = clew.generate.random_weights(GRAPH, 1, 9, seed=1)
CALLS = {  # with launches, read-backs and allocations
    "bfs": (lambda: clew.bfs(GRAPH, 1, device="emulated"), 1, 1, 4),
    "sssp": (lambda: clew.sssp(WEIGHTED, 1, device="emulated"), 3, 1, 3),
    "sswp": (lambda: clew.sswp(WEIGHTED, 1, device="emulated"), 3, 1, 3),
    "pagerank": (lambda: clew.pagerank(GRAPH, device="emulated"), 1, 1, 4),
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


@pytest.mark.parametrize("name", ["bfs", "sssp", "sswp"])
def test_a_later_call_leaves_earlier_results_alone(name):
    """Calls use the same scratch arrays, but a trace is downloaded when somebody asks for it."""

    def search(source):
        return getattr(clew, name)(WEIGHTED, source, device="emulated")

    expected = [search(source).numpy() for source in (1, 2)]
    traces = [result.trace.columns for result in expected]
    first, second = search(1), search(2)
    for result, known, trace in zip((first, second), expected, traces, strict=True):
        assert {key: value.tolist() for key, value in result.trace.columns.items() if key != "seconds"} == {
            key: value.tolist() for key, value in trace.items() if key != "seconds"
        }
        for key, value in known.values.items():
            assert key == "parent" or result.values[key].tolist() == value.tolist()


def test_scratch_arrays_go_with_the_rows():
    device, graph = the_emulation(), clew.generate.path(40)
    live = device.memory.live_allocations
    clew.bfs(graph, 0, device="emulated")
    assert device.memory.live_allocations > live
    del graph
    gc.collect()
    assert device.memory.live_allocations == live
