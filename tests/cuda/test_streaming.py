"""Streaming as users have it: clew.memory, PageRank, traces; and the parts below: choice, ring, compaction."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import clew
from clew.engines.cuda.emulation.device import EmulatedDevice, the_emulation
from clew.engines.cuda.outofcore import chunks, gather, when
from clew.engines.cuda.outofcore.choice import ALL_WAYS, Active, Options, choose
from clew.engines.cuda.outofcore.chunks import chunked
from clew.engines.cuda.outofcore.loop import Passes
from clew.engines.cuda.outofcore.pagerank import pagerank
from clew.engines.cuda.outofcore.ring import Ring
from clew.engines.cuda.rows import forget_all
from tests.on_gpu import emulation_only

PLAIN = {"frontier", "edges", "bytes", "link_bytes", "seconds", "link_share", "why"}
COLUMNS = PLAIN | {"resident", "copied", "compacted", "zero_copy"}


def streamed(name, *given):
    """Whether a run goes over chunks, which is what no other counts."""
    return "copied" in getattr(clew, name)(*given, device="emulated").trace.columns


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(when, "CHUNK_BYTES", 256)
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 256)
    yield
    forget_all()


@pytest.fixture(scope="module")
def graph():
    return clew.generate.random_weights(clew.generate.kronecker(6, seed=5), 1, 20, seed=1, dtype="int32")


@pytest.fixture(scope="module")
def directed():
    return clew.generate.random_weights(clew.generate.rmat(6, 6, 0.45, 0.22, 0.22, seed=4), 0, 9, seed=1, dtype="int32")


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("mode", ["stream", "auto"])
def test_any_budget_gives_the_same_results(graph, mode, share):
    whole = graph.num_arcs * 8
    budgets = {0, int(whole * share), max(0, int(whole * share) - 1)}
    expected = clew.sssp(graph, 0, device="cpu").distance
    for budget in budgets:
        with clew.memory(edges=mode, fast_memory=budget):
            found = clew.sssp(graph, 0, device="emulated")
            clew.verify.sssp(graph, 0, found)
            np.testing.assert_array_equal(found.distance, expected)
            clew.verify.sswp(graph, 0, clew.sswp(graph, 0, device="emulated"))
            clew.verify.bfs(graph, 0, clew.bfs(graph, 0, device="emulated"))
            clew.verify.connected_components(graph, clew.connected_components(graph, device="emulated"))
            clew.verify.pagerank(graph, clew.pagerank(graph, device="emulated"))


def test_the_trace_counts_what_was_moved(graph):
    edge_bytes = graph.num_arcs * 4
    with clew.memory(edges="stream", fast_memory=edge_bytes // 2):
        ranks = clew.pagerank(graph, device="emulated", tolerance=0, max_iterations=3)
        found = clew.bfs(graph, 0, device="emulated")
    assert (COLUMNS - {"frontier"}) | {"change"} <= set(ranks.trace.columns)
    assert set(found.trace.columns) >= COLUMNS
    slot = edge_bytes // 2 // when.SLOTS_SHARE // chunks.SLOTS // 4 * 4  # copies have their part of the budget
    assert set(ranks.trace["link_bytes"].tolist()) == {edge_bytes - edge_bytes // 2 // 4 * 4 + chunks.SLOTS * slot}
    assert (ranks.trace["resident"] == 1).all()
    assert ranks.trace["copied"][0] == -(-ranks.trace["link_bytes"][0] // slot)
    assert found.trace["edges"].sum() == graph.degrees()[found.depth >= 0].sum()
    assert found.trace["link_bytes"].sum() > 0
    assert (ranks.trace["seconds"] > 0).all()
    assert (ranks.trace["link_share"] > 0).all()


def test_auto_reads_what_does_not_fit_in_place(graph):
    sparse = clew.generate.grid(9, 9)
    for mode in ("auto", "tiered", "zero_copy"):
        with clew.memory(edges=mode, fast_memory=None if mode == "zero_copy" else 100):
            for shape in (graph, sparse):
                for name in ("bfs", "pagerank", "connected_components"):
                    assert not streamed(name, shape), (mode, name)
            assert not streamed("sssp", graph, 0), mode


@emulation_only
def test_a_device_smaller_than_the_graph(monkeypatch):
    graph = clew.generate.random_weights(clew.generate.kronecker(11, seed=1), 1, 255, seed=2, dtype="int32")
    device = the_emulation()
    gc.collect()
    monkeypatch.setattr(device.memory, "capacity", device.live_bytes + graph.num_arcs * 7 // 2)  # of 4 bytes an edge
    found = clew.pagerank(graph, device="emulated")
    assert found.trace["link_bytes"].sum() > 0
    clew.verify.pagerank(graph, found)
    monkeypatch.setattr(device.memory, "capacity", device.live_bytes + graph.num_arcs * 8)  # sssp has much to remember
    clew.verify.sssp(graph, 0, clew.sssp(graph, 0, device="emulated"))


def test_chunks_that_are_made_anew_again_and_again_leave_nothing_with_the_graph():
    graph = clew.generate.rmat(6, 30, seed=1)

    def change_budgets(times):
        for budget in (4000, 6000) * times:
            with clew.memory("stream", budget):
                clew.bfs(graph, 0, device="emulated")
        gc.collect()
        return weakref.getweakrefcount(graph.indices)

    assert change_budgets(1) == change_budgets(8)


@emulation_only
def test_nothing_is_left_when_the_graph_is_gone():
    device = the_emulation()
    made = clew.generate.kronecker(5, seed=9)
    gc.collect()
    before = device.live_bytes
    with clew.memory(edges="stream", fast_memory=500):
        clew.bfs(made, 0, device="emulated")
        held = device.live_bytes
        clew.bfs(made, 0, device="emulated")
        gc.collect()
        assert device.live_bytes == held  # the second found what the first had made
    assert held > before
    del made
    gc.collect()
    assert device.live_bytes == before


@pytest.mark.parametrize("options", [
    {}, {"weighted": True}, {"dtype": "float32"}, {"personalization": {3: 2.0, 5: 1.0}}, {"damping": 0.0},
    {"start": {3: 2.0, 5: 1.0}}, {"start": {3: 1}, "personalization": {5: 1}, "tolerance": 0, "max_iterations": 2},
], ids=str)  # fmt: skip
def test_ranks_are_those_of_the_cpu(directed, options):
    expected = clew.pagerank(directed, device="cpu", **options)
    for budget in (0, 700, 1 << 20):
        with clew.memory(edges="stream", fast_memory=budget):
            found = clew.pagerank(directed, device="emulated", **options)
        close = 1e-6 if options.get("dtype") == "float32" else 1e-12
        np.testing.assert_allclose(found.rank, expected.rank, rtol=0, atol=close)
        assert (found.iterations, found.converged) == (expected.iterations, expected.converged)


def test_rows_longer_than_chunks_and_blocks():
    star = clew.generate.star(5000)
    expected = clew.pagerank(star, device="cpu", tolerance=0, max_iterations=4).rank
    for split, chunk_bytes in ((star.num_arcs, 4 * 3000), (2500, 4 * 2100), (0, 1)):
        rows = chunked(the_emulation(), star.incoming, split, chunk_bytes=chunk_bytes)
        walk = {"damping": 0.85, "tolerance": 0.0, "max_iterations": 4, "jumps": None, "value": np.dtype("float64")}
        found = pagerank(rows, star.incoming.indptr, None, Options(slots=2), **walk)
        np.testing.assert_allclose(found.rank, expected, rtol=0, atol=1e-12)


def test_an_empty_graph_has_ranks_and_components():
    empty = clew.Graph.from_edges([], [], None, 0)
    with clew.memory(edges="stream", fast_memory=0):
        assert clew.pagerank(empty, device="emulated").rank.size == 0
        assert clew.connected_components(empty, device="emulated").count == 0


CHUNK = 8 << 20  # edges, of 4 bytes


@pytest.mark.parametrize(
    ("rows", "edges", "ways", "expected"),
    [
        (CHUNK // 16, CHUNK, ALL_WAYS, "filter"),
        (CHUNK // 32, CHUNK // 2, ALL_WAYS, "filter"),
        (100, 1600, ALL_WAYS, "zero_copy"),
        (10, CHUNK // 2, ALL_WAYS, "zero_copy"),  # long rows
        (100, 1600, ("filter", "compact"), "compact"),
        (1, 1, ("filter",), "filter"),
    ],
)
def test_the_cheapest_way_is_chosen(rows, edges, ways, expected):
    active = Active(*(np.array([number, number]) for number in (rows, edges, CHUNK)))
    choice = choose(active, 4, 0, Options(ways=ways))
    assert [ways[k] for k in choice.way] == [expected] * 2
    assert choice.bytes.tolist() == [4 * (CHUNK if expected == "filter" else edges)] * 2
    assert choice.why.startswith(f"{expected} for 2: ")
    assert choice.why.count("µs") == len(ways)


def test_compaction_clips_rows_at_the_ends_of_a_chunk():
    rows = np.array([(2, 5, 0), (7, 20, 3), (30, 41, 16)], dtype=[("first", "u4"), ("end", "u4"), ("rank", "u4")])
    source, target = np.arange(50, dtype=np.float32), np.empty(13, np.float32)
    gather.gather(rows[1:], 10, 33, 6, source, target)  # edges 10…19 and 30…32; 6 listed ones come before
    np.testing.assert_array_equal(target, [*range(10, 20), *range(30, 33)])


def test_runs_at_the_same_time_have_slots_of_their_own(graph):
    rows = chunked(the_emulation(), graph.outgoing, graph.num_arcs, chunk_bytes=400)
    first, second = Passes(rows, Options()), Passes(rows, Options())
    rings = {id(first.ring), id(second.ring)}
    assert first.ring is first.ring
    assert len(rings) == 2
    del first, second
    later = Passes(rows, Options())
    assert id(later.ring) in rings  # kept for the next run


class _Ordered(EmulatedDevice):
    """Notes what waits for what."""

    def __init__(self):
        super().__init__()
        self.notes, self.points = [], 0

    def side_stream(self):
        return "side"

    def record(self, stream=None):
        self.points += 1
        self.notes.append(("record", stream, self.points))
        return self.points

    def wait(self, event, stream=None):
        self.notes.append(("wait", stream, event))

    def copy_to(self, target, source, stream=None):
        self.notes.append(("copy", stream, int(source[0])))


def test_copies_wait_for_kernels_and_kernels_for_copies(graph):
    device = _Ordered()
    rows = chunked(device, graph.outgoing, graph.num_arcs, chunk_bytes=400)
    ring = Ring(rows, 2)
    device.notes.clear()
    used = []
    for job, slot in ring.passes(range(5), lambda job, slot: [(slot.neighbours[:1], np.array([job]))]):
        device.notes.append(("kernel", None, job))
        used.append(ring.slots.index(slot))
    assert used == [0, 1, 0, 1, 0]
    places = {note: k for k, note in enumerate(device.notes)}
    for job in range(5):
        copy, kernel = places["copy", "side", job], places["kernel", None, job]
        assert copy < kernel
        # Recorded right after the copy, waited for right before the kernel.
        assert device.notes[kernel - 1] == ("wait", None, device.notes[copy + 1][2])
        if job >= 2:  # the slot's last kernel comes before the point that the copy waits for
            what, stream, event = device.notes[copy - 1]
            assert (what, stream) == ("wait", "side")
            assert places["kernel", None, job - 2] < places["record", None, event] < copy
    assert places["copy", "side", 2] < places["kernel", None, 1]  # ahead by as many as there are slots
    assert device.notes[-1][:2] == ("wait", None)
