"""Packing on the emulated GPU: the same words, heads and bases as on the host. Unpacking gives the neighbours."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.adjacency import Adjacency
from clew.engines.choice import gpu_for
from clew.engines.cuda.emulation.device import the_emulation
from clew.engines.cuda.memory import packed_rows, packer
from clew.engines.cuda.memory.device_graph import graph_on, offsets_on, rows_on
from clew.engines.cuda.memory.ledger import forget_all
from clew.packed.code import PARTS, pack
from tests.on_gpu import emulation_only

LENGTHS = (0, 0, 1, 2, 31, 32, 33, 63, 64, 65, 129, 500, 5000)


def rows_of(lengths: list[int], dtype: str, columns: int, seed: int = 0) -> Adjacency:
    """Rows of these lengths, each within a range of its own: gaps of every size, and of none."""
    random = np.random.default_rng(seed)
    targets = [np.empty(0, np.int64)]
    for length in lengths:
        low, high = sorted(random.integers(0, columns, 2, endpoint=True).tolist())
        targets.append(np.sort(random.integers(low, max(low + 1, high), length)) % columns)
        targets[-1].sort()
    indptr = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    return Adjacency(indptr, np.concatenate(targets).astype(dtype), width=columns)


def check(rows: Adjacency) -> None:
    """The device and the host pack alike, in pieces of one block; and the device unpacks what they packed."""
    expected = pack(rows.indices, max(0, rows.num_columns - 1), rows.indptr)
    found = packer._on_device(
        the_emulation(), rows, graph_on(the_emulation(), rows.indices), max(0, rows.num_columns - 1)
    )
    for part in PARTS:
        assert np.array_equal(getattr(found, part), getattr(expected, part)), part
    assert (found.size, found.largest, found.dtype) == (expected.size, expected.largest, expected.dtype)
    if rows.num_arcs:
        device = the_emulation()
        plain = device.download(packer.unpacked_neighbours(device, expected, offsets_on(device, rows)))
        assert plain.dtype == rows.id_dtype
        assert np.array_equal(plain, rows.indices)
    forget_all()


@pytest.fixture(params=[1, 1 << 14], ids=["block by block", "at once"])
def _pieces(request, monkeypatch):
    monkeypatch.setattr(packer, "PIECE", request.param)


@pytest.mark.usefixtures("_pieces")
@pytest.mark.parametrize(("dtype", "columns"), [("int32", 1), ("int32", 2**31 - 1), ("int64", 900), ("int64", 2**40)])
def test_rows_around_the_size_of_a_group(dtype, columns):
    lengths = [0, 1, 31, 32, 33, 0, 63, 64, 65, 0, 0, 127, 128, 129, 500, 9000, 1]
    for last in (0, 1, 2, 62, 63, 64):
        check(rows_of([*lengths, last], dtype, columns, last))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(LENGTHS), min_size=1, max_size=30),
    st.sampled_from([("int32", 3), ("int32", 70_000), ("int32", 2**31 - 1), ("int64", 2**33), ("int64", 2**50)]),
    st.integers(0, 9),
)
def test_any_rows(lengths, kind, seed):
    if sum(lengths):
        check(rows_of(lengths, *kind, seed))


def test_gaps_above_32_bits_and_gaps_of_none():
    wide = np.array([0, 0, 2**33, 2**34 + 5, 2**50, 2**50, 2**56 - 1], np.int64)
    check(Adjacency(np.array([0, 0, 7, 7, 14]), np.concatenate([wide, wide]), width=2**56))
    check(Adjacency(np.array([0, 64, 128]), np.zeros(128, np.int32), width=1))
    check(Adjacency(np.array([0, 1]), np.array([2**56 - 1]), width=2**56))


def test_rows_without_edges_in_between():
    indptr = np.zeros(5000, np.int64)
    indptr[2500:] = 3
    indptr[-1] = 70
    rows = Adjacency(indptr, np.sort(np.random.default_rng(0).integers(0, 4999, 70).astype(np.int32)), width=4999)
    check(Adjacency(rows.indptr, np.concatenate([rows.indices[:3], rows.indices[3:]]), width=4999))


def test_edges_that_are_on_the_device_are_packed_there(monkeypatch):
    graph = clew.generate.rmat(9, 16)
    rows_on(the_emulation(), graph.outgoing, weights=False)
    sent = []
    monkeypatch.setattr(type(the_emulation()), "upload", lambda _, array: sent.append(array.size) or array.copy())
    check(graph.outgoing)
    assert graph.num_arcs not in sent


@emulation_only
def test_the_host_packs_if_the_device_has_no_room(monkeypatch):
    """Every allocation of the packer may fail: the same arrays, and nothing is left behind."""
    monkeypatch.setattr(packer, "ON_DEVICE_FROM", 1)
    graph, device = clew.generate.rmat(7, 8), gpu_for("emulated", 0)
    expected = pack(graph.indices, graph.num_vertices - 1, graph.indptr)
    by_host = []
    monkeypatch.setattr(packer, "pack", lambda *given: by_host.append(1) or pack(*given))
    for k in range(1, 50):
        forget_all()
        before, failed = device.memory.live_allocations, len(by_host)
        device.memory.fail_at(k)
        try:
            found = packer.packed_neighbours(device, graph.outgoing, graph_on(device, graph.indices))
        finally:
            device.memory.fail_at(None)
        assert np.array_equal(found.words, expected.words)
        forget_all()
        assert device.memory.live_allocations == before
        if len(by_host) == failed:
            break
    assert len(by_host) == k - 1 >= 5


@emulation_only  # a GPU's pages are larger than this graph
def test_graphs_that_do_not_fit_are_packed_on_the_device(monkeypatch):
    monkeypatch.setattr(packer, "ON_DEVICE_FROM", 1)
    monkeypatch.setattr(packed_rows, "MANY", 1)
    monkeypatch.setattr(packer, "pack", None)
    graph = clew.generate.rmat(11, 16, directed=False)
    with clew.memory(fast_memory=2 * graph.num_arcs):
        depth = clew.bfs(graph, 0, device="emulated").depth
    assert "packed" in graph_on(gpu_for("emulated", 0), graph.indices).derived
    assert np.array_equal(depth, clew.bfs(graph, 0, device="cpu").depth)
