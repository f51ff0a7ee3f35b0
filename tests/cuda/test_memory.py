"""Edges in any memory: the same results, whatever fits, and nothing left behind."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import ClassVar

import numpy as np
import pytest

import clew
from clew.build import on_device
from clew.engines.choice import gpu_for
from clew.engines.cuda.memory import device_graph
from clew.engines.cuda.memory.bandwidth import OnHost, link_rate, with_link
from clew.engines.cuda.memory.device_graph import plan_of, rows_on
from clew.engines.cuda.memory.ledger import forget_all
from clew.engines.hybrid.program import PIPELINE, run_hybrid
from clew.memory import MODES, current
from clew.placement import AllSlow, Hot
from clew.program import _mask, _state
from examples.vertex_programs import BreadthFirst, PageRank

pytestmark = pytest.mark.usefixtures("small_heap")

DIRECTED = clew.generate.random_weights(clew.generate.rmat(6, 6, seed=3), 1, 9, seed=1)
UNDIRECTED = clew.generate.random_weights(clew.generate.rmat(6, 4, seed=4).symmetrized(), 1, 9, seed=1)
PLACED = Hot(fast_memory=900).place(DIRECTED).apply(DIRECTED)
GRAPHS = {"directed": DIRECTED, "undirected": UNDIRECTED, "placed": PLACED}
SETTINGS = [
    ("device", None),
    ("managed", None),
    ("managed+prefetch", None),
    ("zero_copy", None),
    ("tiered", 700),
    ("auto", 0),
    ("auto", 1500),
]


class Spread(clew.VertexProgram):
    """The smallest id that can be reached over edges of either direction."""

    fields: ClassVar = {"least": "int32"}
    message = "int32"
    reduce = clew.monoids.min
    direction = "both"

    def start(self, graph):
        return {"least": np.arange(graph.num_vertices)}, None

    @staticmethod
    def send(vertex):
        return vertex.least

    @staticmethod
    def process(message, weight, vertex):  # noqa: ARG004
        return message

    @staticmethod
    def apply(total, vertex):
        changed = total < vertex.least
        vertex.least = min(total, vertex.least)
        return changed


def on(graph, **options):
    return {"graph": graph, "device": "emulated", **options}


ALGORITHMS = {
    "bfs": lambda g: clew.bfs(**on(g), deterministic=True),
    "sssp": lambda g: clew.sssp(**on(g), deterministic=True),
    "sswp": lambda g: clew.sswp(**on(g)).width,
    "bellman_ford": lambda g: clew.bellman_ford(**on(g)).distance,
    "pagerank": lambda g: clew.pagerank(**on(g)),
    "weighted_pagerank": lambda g: clew.pagerank(**on(g), weighted=True),
    "connected_components": lambda g: clew.connected_components(**on(g)),
    "triangles": lambda g: clew.triangles(**on(g)),
    "clustering_coefficient": lambda g: clew.clustering_coefficient(**on(g)),
    "label_propagation": lambda g: clew.label_propagation(**on(g)),
    "betweenness": lambda g: clew.betweenness(**on(g)),
    "leiden": lambda g: clew.leiden(**on(g)),
    "k_core": lambda g: clew.k_core(**on(g)),
    "minimum_spanning_forest": lambda g: clew.minimum_spanning_forest(**on(g)),
    "k_truss": lambda g: clew.k_truss(**on(g)),
    "strongly_connected_components": lambda g: clew.strongly_connected_components(**on(g)),
    "condensation": lambda g: clew.condensation(**on(g)),
    "similarity": lambda g: clew.similarity(**on(g)),
    "multi_source_bfs": lambda g: clew.multi_source_bfs(**on(g), sources=[0, 3, 3]),
    "most_similar": lambda g: clew.most_similar(**on(g), k=3),
    "coloring": lambda g: clew.coloring(**on(g)),
    "maximal_independent_set": lambda g: clew.maximal_independent_set(**on(g)),
    "all_pairs": lambda g: clew.all_pairs(**on(g)),
    "program": lambda g: clew.run(Spread(), g, device="emulated"),
    "spmv": lambda g: clew.spmv(g, np.arange(g.num_vertices, dtype=np.float64), device="emulated"),
    "spmspv": lambda g: clew.spmspv(g, ([1, 3], [1.0, 2.0]), device="emulated"),
}


def arrays(found):
    if isinstance(found, clew.Result):
        return [np.array(array) for array in found.numpy().values.values()]
    return [np.array(array) for array in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_results_are_the_same_in_every_mode(name):
    for kind, graph in GRAPHS.items():
        if kind == "placed" and name in ("all_pairs", "betweenness"):
            continue  # nothing that the other graphs do not show
        expected = None
        for edges, fast_memory in SETTINGS:
            with clew.memory(edges, fast_memory):
                found = arrays(ALGORITHMS[name](graph))
            expected = expected or found
            for array, reference in zip(found, expected, strict=True):
                if array.dtype.kind == "f":
                    np.testing.assert_allclose(array, reference, rtol=1e-9, err_msg=f"{kind} {edges} {fast_memory}")
                else:
                    assert np.array_equal(array, reference), (kind, edges, fast_memory)
    forget_all()


@pytest.fixture
def device():
    if gpu_for("emulated", 0).name != "emulated":
        pytest.skip("the memory of a real GPU is not for tests to fill")
    device = gpu_for("emulated", 0)
    capacity = device.memory.capacity
    forget_all()
    gc.collect()
    yield device
    device.memory.capacity = capacity
    device.memory.fail_at(None)
    forget_all()


EDGES = UNDIRECTED.num_arcs * 8


@pytest.mark.parametrize(
    ("fast_memory", "mode", "fast_bytes"),
    [
        (0, "zero_copy", 0),
        (int(UNDIRECTED.outgoing.degrees()[-1]) * 8 + 8, "zero_copy", 0),  # one row, which is less than a page
        (EDGES // 2, "tiered", EDGES // 2 // 8 * 8),
        (EDGES - 1, "tiered", EDGES - 8),
        (EDGES, "device", EDGES),
        (f"{EDGES + 1}B", "device", EDGES),
    ],
)
def test_budgets_are_kept(device, fast_memory, mode, fast_bytes):
    expected = clew.sssp(UNDIRECTED, 0, device="cpu").distance
    before = device.memory.live_bytes
    with clew.memory(fast_memory=fast_memory), clew.memory("tiered", fast_memory):  # the inner one counts
        assert np.array_equal(clew.sssp(UNDIRECTED, 0, device="emulated").distance, expected)
    plan = plan_of(device, UNDIRECTED.outgoing)
    assert (plan.mode, plan.fast_bytes, plan.slow_bytes) == (mode, fast_bytes, EDGES - fast_bytes)
    offsets = 4 * (UNDIRECTED.num_vertices + 1)
    gc.collect()
    assert device.memory.live_bytes - before <= offsets + fast_bytes  # the page of the cut is on the host
    assert plan.slow_share == pytest.approx(plan.slow_bytes / EDGES)


def test_a_placement_says_which_rows_are_fast(device):
    with clew.memory("tiered"):
        clew.sssp(PLACED, PLACED.names[0], device="emulated")
    plan = plan_of(device, PLACED.outgoing)
    boundary = PLACED.metadata["placement_boundary"]
    assert plan.cut == PLACED.indptr[boundary] > 0
    assert "placement" in plan.why
    with clew.memory("tiered", plan.fast_bytes - 80):
        clew.sssp(PLACED, PLACED.names[0], device="emulated")
    assert plan_of(device, PLACED.outgoing).cut == plan.cut + 10
    slow = AllSlow().place(DIRECTED).apply(DIRECTED)
    assert slow.indices is DIRECTED.indices  # nobody has another number, and yet the edges belong elsewhere
    with clew.memory("tiered"):
        clew.bfs(DIRECTED, 0, device="emulated")
        assert plan_of(device, DIRECTED.outgoing).mode == "device"
        clew.bfs(slow, 0, device="emulated")
    assert plan_of(device, slow.outgoing).mode == plan_of(device, slow.incoming).mode == "zero_copy"
    with clew.memory("auto"):
        clew.bfs(slow, 0, device="emulated")
    assert plan_of(device, slow.outgoing).mode == "device"


def test_what_does_not_fit_is_said_or_left_on_the_host(device):
    expected = clew.bfs(DIRECTED, 0, device="cpu").depth
    device.memory.capacity = device.memory.live_bytes + 7_000
    for edges in ("device", "managed", "managed+prefetch"):
        with clew.memory(edges, 1000), pytest.raises(clew.ResourceError, match=r"edges and in-edges, and .* 1,000,"):
            clew.bfs(DIRECTED, 0, device="emulated")
    found = clew.bfs(DIRECTED, 0, device="emulated")
    assert np.array_equal(found.depth, expected)
    del found
    device.memory.capacity = device.memory.live_bytes + 100
    forget_all()
    device.memory.capacity = device.memory.live_bytes + 300  # not even what the search itself needs
    with pytest.raises(clew.ResourceError, match="bytes are free"):
        clew.bfs(DIRECTED, 0, device="emulated")


def test_other_graphs_make_room(device):
    others = [clew.generate.rmat(7, 8, seed=seed) for seed in range(3)]
    for other in others:
        clew.connected_components(other, device="emulated")
    device.memory.capacity = device.memory.live_bytes + 1000
    assert clew.bfs(UNDIRECTED, 0, device="emulated").num_reached > 1
    assert plan_of(device, others[0].outgoing) is None


@pytest.mark.parametrize("name", ["pagerank", "triangles", "program", "bfs", "spmv", "spmspv", "spgemm"])
def test_other_graphs_make_room_for_what_is_needed_before_the_edges(device, name):
    graph, other = clew.generate.grid(40, 50), clew.generate.rmat(6, 16_000, seed=1)  # few vertices leave little free
    runs = {
        "bfs": lambda device: clew.bfs(graph, 0, device=device).numpy().depth,
        "pagerank": lambda device: clew.pagerank(graph, device=device).numpy().rank,
        "triangles": lambda device: clew.triangles(graph, device=device).numpy().count,
        "program": lambda device: clew.run(Spread(), graph, device=device).numpy().least,
        "spmv": lambda device: clew.spmv(graph, np.ones(2000), device=device),
        "spmspv": lambda device: clew.spmspv(graph, (np.arange(900), np.ones(900)), device=device)[1],
        "spgemm": lambda device: clew.spgemm(graph, graph, device=device).weights,
    }
    clew.connected_components(other, device="emulated")
    device.memory.capacity = device.memory.live_bytes + 5000
    np.testing.assert_allclose(runs[name]("emulated"), runs[name]("cpu"), rtol=1e-5)
    assert plan_of(device, other.outgoing) is None


def with_every_failure(device, run):
    """Let every allocation of a run fail, one in each try; gives how many tries there were, and how many succeeded.

    Whatever happens the error is clear, a result is right, and nothing is left behind.
    """
    expected = arrays(run())
    forget_all()
    gc.collect()
    before = device.memory.live_allocations
    fine = 0
    for k in range(1, 200):
        device.memory.fail_at(k)
        found = None
        try:
            found = arrays(run())
        except clew.ResourceError as error:
            assert "bytes" in str(error)  # noqa: PT017, it may also succeed
        never_reached = device.memory.will_fail
        device.memory.fail_at(None)
        for array, reference in zip(found or expected, expected, strict=True):
            np.testing.assert_allclose(array, reference, rtol=1e-9)
        fine += found is not None
        del found
        forget_all()
        if device.memory.live_allocations != before:  # a cycle may hold some
            gc.collect()
        assert device.memory.live_allocations == before, f"memory is left after failure {k}"
        if never_reached:
            return k, fine
    raise AssertionError("the tries do not end")


@pytest.mark.parametrize(
    ("name", "edges", "fast_memory", "packed"),
    [
        ("bfs", "auto", None, False),
        ("sssp", "auto", 1500, False),
        ("pagerank", "tiered", 700, False),
        ("program", "auto", 1500, False),
        ("bfs", "auto", None, True),
        ("sssp", "auto", 500, True),
        ("pagerank", "tiered", 200, True),
        ("spmv", "auto", 500, True),
    ],
)
def test_every_allocation_may_fail(device, name, edges, fast_memory, packed):
    def run():
        with clew.memory(edges, fast_memory, packed=packed):
            return ALGORITHMS[name](DIRECTED)

    tries, fine = with_every_failure(device, run)
    assert tries > 4
    # What fails before any edges have been put somewhere cannot be helped by putting them elsewhere.
    assert fine >= (tries - 4 if edges == "auto" else 2)


@pytest.mark.parametrize("program", [BreadthFirst(0), PageRank()], ids=lambda program: type(program).__name__)
def test_every_allocation_of_the_pipeline_may_fail(device, program):
    def run():
        initial, active = program.start(DIRECTED)
        state, chosen = _state(program, initial, np.arange(DIRECTED.num_vertices)), _mask(active, DIRECTED.num_vertices)
        values = run_hybrid(device, program, DIRECTED, state, chosen, order=(PIPELINE,))[1]
        return tuple(values.values())

    tries, fine = with_every_failure(device, run)
    assert tries > 4
    assert fine >= 1


def test_graphs_are_let_go(device):
    before = device.memory.live_allocations
    for edges in ("device", "zero_copy", "tiered"):
        graph = clew.generate.random_weights(clew.generate.rmat(5, 4, seed=9), 1, 5)
        with clew.memory(edges, None if edges == "device" else 300):
            clew.bfs(graph, 0, device="emulated")
            clew.sssp(graph, 0, device="emulated")
            clew.run(Spread(), graph, device="emulated")
        gone = weakref.ref(graph.indices)
        del graph
        gc.collect()
        assert gone() is None, edges
        assert device.memory.live_allocations == before, edges


def test_drivers_that_cannot_split(device, monkeypatch):
    monkeypatch.setattr(type(device), "why_not_split", lambda _: "this driver is too old")
    with clew.memory("tiered", 700):
        found = clew.bfs(UNDIRECTED, 0, device="emulated")
    plan = plan_of(device, UNDIRECTED.outgoing)
    assert (plan.mode, "this driver is too old" in plan.why) == ("zero_copy", True)
    assert np.array_equal(found.depth, clew.bfs(UNDIRECTED, 0, device="cpu").depth)
    monkeypatch.undo()
    forget_all()

    def refuse(*_):
        raise clew.errors.DeviceError("CUDA_ERROR_NOT_SUPPORTED")

    monkeypatch.setattr(type(device), "split", refuse)
    with clew.memory("tiered", 700):
        clew.bfs(UNDIRECTED, 0, device="emulated")
    plan = plan_of(device, UNDIRECTED.outgoing)
    assert (plan.mode, plan.fast_bytes, "NOT_SUPPORTED" in plan.why) == ("zero_copy", 0, True)


def test_a_host_without_room_for_a_second_copy(device, monkeypatch):
    monkeypatch.setattr(device_graph, "available_bytes", lambda: 99)
    before = device.memory.live_bytes
    with clew.memory("auto", 700):
        found = clew.sssp(UNDIRECTED, 0, device="emulated")
    plan = plan_of(device, UNDIRECTED.outgoing)
    assert (plan.mode, plan.fast_bytes) == ("zero_copy", 0)
    assert "99 bytes free" in plan.why
    assert np.array_equal(found.distance, clew.sssp(UNDIRECTED, 0, device="cpu").distance)
    with (
        clew.memory("tiered", 700),
        pytest.raises(clew.ResourceError, match=r"needs \d+,\d+ bytes of host .* 99 bytes"),
    ):
        clew.sssp(UNDIRECTED, 0, device="emulated")
    del found
    forget_all()
    gc.collect()
    assert device.memory.live_bytes == before
    with clew.memory("tiered", EDGES):  # all in GPU memory: nothing is copied on the host
        clew.sssp(UNDIRECTED, 0, device="emulated")


@pytest.mark.quick
def test_what_cannot_be_asked_for():
    with pytest.raises(clew.GraphError, match=r"edges is 'disk'; expected one of 'auto', 'device'"):
        clew.memory("disk")
    with pytest.raises(clew.GraphError, match="not an amount of memory"):
        clew.memory(fast_memory="much")
    assert list(MODES) == ["auto", "device", "managed", "managed+prefetch", "zero_copy", "tiered"]


@pytest.mark.quick
def test_streaming_was_removed_and_the_error_says_what_to_use():
    with pytest.raises(
        clew.GraphError, match=r'"stream" was removed.*Use clew\.memory\(edges="tiered"\) or "auto"'
    ) as caught:
        clew.memory("stream")
    assert "--edges tiered" in caught.value.on_command_line()


def test_edges_that_the_build_left_on_the_device_are_room_for_them(device):
    rows = UNDIRECTED.outgoing
    left = on_device.device_copies[rows.indices] = device.upload(rows.indices)
    device.memory.capacity = device.memory.live_bytes + 4 * (rows.num_vertices + 1)
    with clew.memory("device"):
        assert rows_on(device, rows, weights=False).neighbours is left
    with clew.memory("zero_copy"):
        rows_on(device, rows, weights=False)
    assert rows.indices not in on_device.device_copies


def test_threads_enter_the_same_policy_in_any_order():
    policy, inside, may_leave = clew.memory("zero_copy"), threading.Event(), threading.Event()
    seen = []

    def other():
        with policy:
            inside.set()
            may_leave.wait(10)
            seen.append(current())
        seen.append(current())

    thread = threading.Thread(target=other)
    thread.start()
    assert inside.wait(10)
    with policy, clew.memory("device"), policy:
        assert current() is policy
        may_leave.set()
        thread.join()
    assert [policy.edges for policy in (*seen, current())] == ["zero_copy", "auto", "auto"]


@pytest.mark.parametrize(("mode", "fast"), [("device", None), ("zero_copy", None), ("tiered", 700)])
def test_traces_tell_what_came_over_the_link(mode, fast):
    with clew.memory(mode, fast):
        for name, given in (("bfs", [0]), ("sssp", [0]), ("sswp", [0]), ("bellman_ford", [0]), ("pagerank", [])):
            check_link(getattr(clew, name)(UNDIRECTED, *given, device="emulated").trace, mode)
        for program in (Spread(), PageRank()):
            check_link(clew.run(program, UNDIRECTED, device="emulated").trace, mode)


def check_link(trace, mode):
    if mode == "device":
        assert not {"link_bytes", "link_share"} & set(trace.columns)
        return
    device = gpu_for("emulated", 0)
    share = plan_of(device, UNDIRECTED.outgoing).slow_share
    assert (0 < share < 1) == (mode == "tiered" and device.page < 700)  # less than a page stays on the host
    assert trace["bytes"].sum() > 0
    np.testing.assert_array_equal(trace["link_bytes"], np.rint(trace["bytes"] * share))
    could = np.maximum(trace["seconds"], 1e-9) * link_rate(device)
    np.testing.assert_allclose(trace["link_share"], trace["link_bytes"] / could)


def test_either_direction_has_its_own_part_on_the_host():
    told = {"direction": np.array(["push", "pull"]), "bytes": np.array([400, 400]), "seconds": np.array([1.0, 0.0])}
    found = with_link(told, OnHost(pushed=0.25, pulled=0.5))
    assert found["link_bytes"].tolist() == [100, 200]
    assert np.isfinite(found["link_share"]).all()
    assert with_link(told, OnHost(0.0, 0.0)).keys() == told.keys()
