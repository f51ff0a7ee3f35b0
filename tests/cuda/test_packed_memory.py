"""What packed rows take in the memory of a GPU besides their words: first neighbours, a directory, and weights."""

from __future__ import annotations

import numpy as np
import pytest

import clew
from clew.engines.cuda.emulation.device import the_emulation
from clew.engines.cuda.memory import packed_rows
from clew.engines.cuda.memory.device_graph import graph_on
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.memory.ledger import forget_all, ledger_of
from clew.engines.cuda.memory.packed_rows import edges_on, packed_on
from clew.packed import packed as as_packed
from tests.cuda.test_packed_rows import graph_of, run
from tests.on_gpu import emulation_only


@pytest.mark.parametrize("directed", [True, False])
def test_searches_read_the_first_neighbours_unpacked(directed, monkeypatch):
    """They are there if there is room: small graphs would not have it."""
    lengths = [500, 1, 2, 3, 4, 5, 0, 8, 9, 31, 33, 0, 63, 64, 65, 127, 1500, 1]
    monkeypatch.setattr(packed_rows, "FIRSTS_PART", 1e9)
    for id_dtype in ("int32", "int64"):
        graph = graph_of(lengths, id_dtype, 3)
        graph = graph if directed else clew.Graph.from_edges(*graph.edges()[:2], directed=False, id_dtype=id_dtype)
        with clew.memory(packed=True):
            for name in ("bfs", "connected_components"):
                forget_all()
                assert np.array_equal(run(name, graph, "emulated"), run(name, graph, "cpu")), name
                assert edges_on(the_emulation(), graph.outgoing, weights=False, firsts=True).packed.firsts is not None
        forget_all()


@pytest.mark.parametrize(
    ("name", "directed", "part"), [("bfs", True, 2.0), ("bfs", False, 0.8), ("connected_components", False, 0.8)]
)
def test_words_make_room_for_the_first_neighbours(name, directed, part, monkeypatch):
    """Rows on the host are then read little. Both together are within the budget."""
    monkeypatch.setattr(packed_rows, "FIRSTS_PART", 1e9)
    graph, device = clew.generate.uniform(1 << 10, 1 << 15, directed=directed, seed=1), the_emulation()
    size, room = graph.packed().outgoing.neighbours.words.nbytes, graph.num_vertices * 16
    into, parts = (graph.incoming, 2) if directed else (graph.outgoing, 1)

    def rows(firsts: bool) -> DeviceRows:
        return edges_on(device, into, weights=False, parts=parts, firsts=firsts)

    forget_all()
    with clew.memory("tiered", int(part * size), packed=True):
        assert np.array_equal(run(name, graph, "emulated"), run(name, graph, "cpu"))
        parents = clew.bfs(graph, 0, device="emulated", deterministic=True).parent
        assert np.array_equal(parents, clew.bfs(graph, 0, device="cpu", deterministic=True).parent)
        there = rows(firsts=True)
        assert there.in_two_memories
        assert there.packed.firsts.nbytes == there.plan.spare == room
        assert there.plan.fast_bytes + room <= ledger_of(device).charged() <= part * size
        forget_all()
        placed = rows(firsts=False).plan
        assert np.array_equal(run(name, graph, "emulated"), run(name, graph, "cpu"))
        assert rows(firsts=True).plan is placed  # nothing is moved for them
        assert placed.spare == 0
    forget_all()
    with clew.memory("tiered", room, packed=True):  # more than they may take
        assert rows(firsts=True).plan.spare == 0
    forget_all()


@emulation_only
@pytest.mark.parametrize("directed", [True, False])
def test_the_directory_is_made_where_there_is_room(directed, monkeypatch):
    """It is charged to the budget, and planned. Without room, rows are read without it."""
    monkeypatch.setattr(packed_rows, "FIRSTS_PART", 0)
    device, lengths = the_emulation(), [500, 1, 31, 32, 33, 0, 63, 64, 65, 127, 1500, 1]
    graph = graph_of(lengths, "int32", 3)
    graph = graph if directed else clew.Graph.from_edges(*graph.edges()[:2], directed=False, id_dtype="int32")
    expected, parts = run("bfs", graph, "cpu"), 2 if directed else 1
    ways = [graph.outgoing, graph.incoming][:parts]
    sizes = [as_packed(rows).neighbours.words.nbytes for rows in ways]
    words, directory = max(sizes), -(-graph.num_arcs // 64) * packed_rows.DIRECTORY_BYTES

    enough, little = parts * (words + directory), parts * (min(sizes) + directory) - 1
    for fast, room in ((1 << 20, True), (enough, True), (little, False)):
        forget_all()
        with clew.memory("auto", fast, packed=True):
            assert np.array_equal(run("bfs", graph, "emulated"), expected)
            made = [
                packed_on(device, rows, weights=False, parts=parts).packed.directory is not None for rows in ways
            ].count(True)
            assert (made == parts) == room
            assert ledger_of(device).charged() == sum(sizes) + made * directory <= fast
    for fast, room in ((1 << 20, True), (parts * words, False)):
        with clew.memory("auto", fast, packed=True):
            plan = clew.explain(graph, "bfs", device="emulated", source=0)
        planned = [share.bytes for share in plan.memory if share.what == "directory of packed edges"]
        assert planned == ([parts * directory] if room else [])
    forget_all()


@emulation_only
def test_a_directory_that_cannot_be_allocated_is_done_without(monkeypatch):
    device, graph = the_emulation(), graph_of([500, 1, 31, 32, 33, 0, 63, 64, 65, 127, 1500, 1], "int32", 3)
    empty, size = device.empty, -(-graph.num_arcs // 64) * packed_rows.DIRECTORY_BYTES
    refused = []

    def failing(count, dtype, *more, **options):
        if count == size and dtype is np.uint8:
            refused.append(count)
            raise clew.ResourceError("no room", remedy="none")
        return empty(count, dtype, *more, **options)

    forget_all()
    monkeypatch.setattr(device, "empty", failing)
    with clew.memory(packed=True):
        assert np.array_equal(run("bfs", graph, "emulated"), run("bfs", graph, "cpu"))
        assert packed_on(device, graph.outgoing, weights=False, parts=2).packed.directory is None
    assert refused
    forget_all()


@emulation_only
def test_weights_are_where_their_neighbours_are():
    graph, device = clew.generate.uniform(1 << 10, 1 << 15, directed=False, seed=1), the_emulation()
    graph = clew.generate.random_weights(graph, 1, 255, seed=2)
    words = graph.packed().outgoing.neighbours.words
    for part in (0.3, 0.7):
        with clew.memory("tiered", int(part * (words.nbytes + graph.num_arcs)), packed=True):
            assert np.array_equal(run("sssp", graph, "emulated"), run("sssp", graph, "cpu"))
            derived = graph_on(device, graph.indices).derived
            plans = [
                graph_on(device, one).edges.plan for one in (derived["packed"].words, derived["narrow weights"][1])
            ]
            assert [1 - plan.slow_share for plan in plans] == pytest.approx([part, part], abs=0.03)
    forget_all()
