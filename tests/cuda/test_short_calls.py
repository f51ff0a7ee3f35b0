"""A call on a graph that is on the GPU already: few launches, allocations, and waits of the host for the device."""

import gc

import pytest

import clew
from clew.engines.cuda.emulation.device import the_emulation
from clew.engines.cuda.memory.ledger import forget_layouts
from clew.engines.cuda.memory.packed_rows import edges_on
from tests.on_gpu import emulation_only

pytestmark = emulation_only

WEIGHTED = clew.generate.random_weights(clew.generate.rmat(7, edge_factor=8, seed=1), 1, 9, seed=1)
UNDIRECTED = clew.generate.random_weights(clew.generate.rmat(7, edge_factor=8, seed=1, directed=False), 1, 9, seed=1)
GRAPHS = {
    "directed": WEIGHTED,
    "undirected": UNDIRECTED,
    "packed": UNDIRECTED.packed(),
    "unpacked by the device": UNDIRECTED.packed(),
}
#: With launches, read-backs and allocations; those are the results. Traces take turns in memory that nobody reads.
CALLS = {
    "bfs": (lambda graph: clew.bfs(graph, 1, device="emulated"), 1, 1, 2),
    "sssp": (lambda graph: clew.sssp(graph, 1, device="emulated"), 3, 1, 2),
    "sswp": (lambda graph: clew.sswp(graph, 1, device="emulated"), 3, 1, 2),
    "pagerank": (lambda graph: clew.pagerank(graph, tolerance=0, max_iterations=5, device="emulated"), 1, 1, 1),
    "connected_components": (lambda graph: clew.connected_components(graph, device="emulated"), 1, 0, 1),
}
#: PageRank on packed rows is some launches a round, which are looked up.
CASES = [(name, graph) for name in CALLS for graph in GRAPHS if (name, graph) != ("pagerank", "packed")]


def reading(form: str) -> clew.memory:
    """The policy for graphs whose kernels read packed rows."""
    return clew.memory(packed=True if form == "packed" else "auto")


@pytest.fixture
def calls(monkeypatch):
    """What the device does, by the name of its method."""
    device, seen = the_emulation(), []

    def noted(what):
        real = getattr(device, what)
        monkeypatch.setattr(device, what, lambda *args, **options: seen.append(what) or real(*args, **options))

    for what in ("start", "download", "upload", "zeros", "full", "kernel"):
        noted(what)
    return seen


@pytest.mark.parametrize(("name", "graph"), CASES)
def test_a_second_call_costs_no_more_than_it_must(name, graph, calls):
    call, *expected = CALLS[name]
    memory = the_emulation().memory
    with reading(graph):
        call(GRAPHS[graph])
        calls.clear()
        before = memory.allocations
        call(GRAPHS[graph])
    assert [calls.count("start"), calls.count("download"), memory.allocations - before] == expected
    assert set(calls) <= {"start", "download"}  # nothing is zeroed, uploaded or looked up


def test_a_second_run_by_products_allocates_its_results_and_what_products_carry(calls):
    for allocations in (None, 1 + 3):
        before = the_emulation().memory.allocations
        with reading("packed"):
            clew.pagerank(GRAPHS["packed"], tolerance=0, max_iterations=3, device="emulated")
        assert allocations in (None, the_emulation().memory.allocations - before)
        if allocations is None:
            calls.clear()
    assert "zeros" not in calls


def test_components_are_counted_when_somebody_asks(calls):
    graph = clew.Graph.from_edges([0, 3], [2, 4], num_vertices=6)
    result = clew.connected_components(graph, device="emulated")
    calls.clear()
    assert not hasattr(result, "__fspath__")
    assert result.label.tolist() == [0, 1, 0, 3, 3, 5]
    assert calls == []
    assert (result.count, result.sizes.tolist(), result.largest) == (4, [2, 1, 2, 1], 2)
    assert "start" in calls


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


@pytest.mark.parametrize("name", ["bfs", "sssp", "sswp", "pagerank"])
def test_a_loop_that_keeps_its_last_result_has_memory_for_traces(name):
    call, memory = CALLS[name][0], the_emulation().memory
    result = traces = None
    for _ in range(4):
        before = memory.allocations
        result = call(WEIGHTED)
        traces = memory.allocations - before - CALLS[name][3]
    assert traces == 0
    kept = [call(WEIGHTED) for _ in range(3)]  # all of which have a trace of their own
    columns = [{key: value.tolist() for key, value in each.trace.columns.items() if key != "seconds"} for each in kept]
    assert columns[0] == columns[1] == columns[2]
    assert len(result.trace)


@pytest.mark.parametrize("form", ["plain", "packed"])
def test_scratch_arrays_go_with_the_rows(form):
    device, graph = the_emulation(), clew.generate.path(40)
    graph = graph.packed() if form == "packed" else graph
    live = device.memory.live_allocations
    with reading(form):
        for call in CALLS:
            if call not in ("sssp", "sswp"):
                CALLS[call][0](graph)
    assert device.memory.live_allocations > live
    del graph
    gc.collect()
    assert device.memory.live_allocations == live


@pytest.mark.parametrize("form", ["plain", "packed"])
def test_scratch_arrays_make_room(form):
    graph = clew.generate.random_weights(clew.generate.path(40), 1, 9, seed=1)
    graph = graph.packed() if form == "packed" else graph
    with reading(form):
        clew.sssp(graph, 0, device="emulated")
        rows = edges_on(the_emulation(), graph.outgoing)
        assert rows.scratch
        assert forget_layouts()
        assert not rows.scratch
        assert not forget_layouts()
        clew.sssp(graph, 0, device="emulated")  # and are there again
        assert rows.scratch


def test_large_scratch_arrays_are_not_kept(monkeypatch):
    graph, device = clew.generate.path(4000), the_emulation()
    monkeypatch.setattr(device.memory, "capacity", 64 * 4000 * 16)  # a search takes more than 16 bytes a vertex
    clew.bfs(graph, 0, device="emulated")
    assert not edges_on(device, graph.outgoing, weights=False).scratch
