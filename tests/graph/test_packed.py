from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import build
from clew import packed as rows_packed
from clew.packed import PackedAdjacency, narrowed
from clew.packed.code import PackedArray, pack
from clew.packed.kernels import BLOCK
from tests.io.graphs import graphs

LENGTHS = (0, 0, 1, 2, 31, 32, 33, 63, 64, 65, 129)


@st.composite
def rows(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows whose lengths are around those of a group, with gaps from 0 to those that need 62 bits."""
    lengths = draw(st.lists(st.sampled_from(LENGTHS), max_size=12))
    largest = draw(st.sampled_from([0, 1, 30, 2**31 - 2, 2**32, 2**62]))
    dtype = np.int32 if largest < 2**31 else np.int64
    random = np.random.default_rng(draw(st.integers(0, 99)))
    small = random.random() < 0.5  # most gaps are small, and a few are not
    values = [random.integers(0, largest, length, endpoint=True, dtype=np.int64) for length in lengths]
    for row in values:
        if small:
            row[: row.size * 7 // 8] %= 100
        row.sort()
    indptr = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return indptr, np.concatenate([np.empty(0, dtype), *values]).astype(dtype), largest


def unpacked(array: PackedArray, indptr: np.ndarray) -> np.ndarray:
    whole = PackedAdjacency(pack(indptr, int(indptr[-1])), array)
    whole.check()
    assert np.array_equal(whole.indptr, indptr)
    each = [whole.row(row) for row in range(indptr.size - 1)]  # before all of them are unpacked
    assert np.array_equal(np.concatenate([np.empty(0, array.dtype), *each]), whole.indices)
    return whole.indices


@pytest.mark.quick
@settings(max_examples=150, deadline=None)
@given(rows())
def test_rows_come_back(given_rows: Any) -> None:
    indptr, values, largest = given_rows
    array = pack(values, largest, indptr)
    again = unpacked(array, indptr)
    assert again.dtype == values.dtype
    assert np.array_equal(again, values)


def test_rows_over_several_blocks_come_back_for_any_number_of_threads() -> None:
    random = np.random.default_rng(1)
    size = 5 * BLOCK + 7
    indptr = np.concatenate(([0], np.sort(random.integers(0, size, 999)), [size]))
    values = np.concatenate([np.sort(part) for part in np.split(random.integers(0, 1 << 20, size), indptr[1:-1])])
    arrays = []
    for count in (1, 3):
        clew.threads.set_count(count)
        try:
            arrays.append(pack(values, 1 << 20, indptr))
            assert np.array_equal(unpacked(arrays[-1], indptr), values)
        finally:
            clew.threads.set_count(None)
    assert all(np.array_equal(getattr(arrays[0], part), getattr(arrays[1], part)) for part in ("words", "heads"))


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_a_packed_graph_is_the_same_graph(graph: clew.Graph) -> None:
    small = graph.packed()
    assert small.is_packed
    assert not graph.is_packed
    assert (small.num_vertices, small.num_edges, small.num_loops) == (
        graph.num_vertices,
        graph.num_edges,
        graph.num_loops,
    )
    assert small.weight_dtype == graph.weight_dtype
    for direction in ("out", "in"):
        assert np.array_equal(small.degrees(direction), graph.degrees(direction))
    if graph.num_vertices:
        assert small.neighbors(small.name(0)) == graph.neighbors(graph.name(0))
    assert not small.outgoing.is_unpacked  # nothing so far needed more than a pass
    again = small.unpacked()
    assert again == graph
    assert again.indices.dtype == graph.indices.dtype
    assert not small.outgoing.is_unpacked
    assert small == graph
    assert pickle.loads(pickle.dumps(small)) == graph
    incoming = small.incoming.plain()
    assert np.array_equal(incoming.indptr, graph.incoming.indptr)
    assert np.array_equal(incoming.indices, graph.incoming.indices)
    assert small.packed() is small
    assert graph.unpacked() is graph


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("weights", [None, "int32", "float64"])
def test_memory_is_returned_while_packing(weights: str | None, directed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    returned, real = [], build.give_back
    monkeypatch.setattr(build, "give_back", lambda *given: returned.append(given[1:]) or real(*given))
    graph = clew.generate.rmat(12, 16, directed=directed)
    graph = graph if weights is None else clew.generate.random_weights(graph, 1, 255, seed=1, dtype=weights)
    graph = clew.Graph.from_edges(
        *graph.edges(), graph.num_vertices, directed=directed
    )  # which shares its arrays with no other
    expected, old, size = graph.packed(), graph.indices, graph.num_arcs
    returned.clear()
    small = graph.packed(consume=True)
    assert sorted(returned)[0][0] == 0
    assert [end for _, end in sorted(returned)] == [*(first for first, _ in sorted(returned)[1:]), size]
    assert len(returned) > 4
    assert not old.flags.writeable
    assert np.count_nonzero(old) < size / 2  # its pages are gone
    assert small is graph
    assert graph.is_packed
    assert graph == expected
    assert np.array_equal(graph.incoming.indices, expected.incoming.indices)
    assert np.array_equal(graph.outgoing.neighbours.words, expected.outgoing.neighbours.words)


def test_chunks_have_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = clew.generate.rmat(8, 8, duplicates="keep")
    expected, into, loops = graph.indices, graph.degrees("in"), graph.num_loops
    monkeypatch.setattr(rows_packed, "CHUNK", 100)
    monkeypatch.setattr("clew.build.rows.SMALL", 0)
    monkeypatch.setattr("clew.transform.SMALL", 0)
    small = graph.packed()
    parts = list(small.outgoing.chunks())
    assert len(parts) > 10
    assert np.array_equal(np.concatenate([part.indices for _, part in parts]), expected)
    assert small.num_loops == loops
    assert np.array_equal(small.degrees("in"), into)


@pytest.mark.parametrize(
    ("weights", "stored"),
    [
        (np.array([0, 127, -128]), "int8"),
        (np.array([0, 255]), "uint8"),
        (np.array([-1, 255]), "int16"),
        (np.array([0, 2**32 - 1]), "uint32"),
        (np.array([0, 2**32]), "int64"),
        (np.array([1.0, 2.0, 300.0]), "uint16"),
        (np.array([1.0, 2.5]), "float64"),
        (np.array([1.0, -0.0]), "float64"),
        (np.array([1.0, np.nan]), "float64"),
        (np.array([1.0, np.inf]), "float64"),
        (np.array([2.0**24, 1.0], "float32"), "float32"),
        (np.array([True, False]), "bool"),
        (np.array([], "float64"), "float64"),
    ],
)
def test_weights_are_as_narrow_as_they_can_be_without_loss(weights: np.ndarray, stored: str) -> None:
    assert narrowed(weights).dtype == stored
    graph = clew.Graph.from_edges([0] * weights.size, [0] * weights.size, weights, 1)
    back = graph.packed().weights
    assert back.dtype == weights.dtype
    assert back.tobytes() == graph.weights.tobytes()


@pytest.mark.quick
def test_sizes_are_below_half_of_the_plain_ones() -> None:
    graph = clew.generate.rmat(14, 16, directed=False)
    small = graph.packed()
    assert small.nbytes < 1.3 * graph.num_arcs
    assert "packed" in repr(small)
    before = small.nbytes
    clew.bfs(small, 0)
    assert small.nbytes >= before  # what has been unpacked counts


@pytest.mark.parametrize("change", ["place", "widths", "bases"])
def test_arrays_that_would_read_outside_are_refused(change: str) -> None:
    graph = clew.generate.rmat(8, 8)
    array = graph.packed().outgoing.neighbours
    words, heads, bases = array.words.copy(), array.heads.copy(), array.bases.copy()
    if change == "place":
        heads[-1] |= (1 << 19) - 1
    elif change == "widths":
        heads[-1] |= 63 << 19 | 63 << 25
    else:
        bases[0] = 2**60
    broken = PackedArray(words, heads, bases, array.size, array.largest, array.dtype)
    with pytest.raises(clew.GraphError, match="ends after its block"):
        broken.check()


def test_no_thread_writes_into_the_block_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """64 groups of 3 bits fill the words of a block, and entries of no bits follow: pieces may come in any order."""
    values = np.full(5 * BLOCK, 5, np.int32)
    expected = pack(values, 7)
    monkeypatch.setattr("clew.threads.pieces", lambda *_: 5)
    monkeypatch.setattr(
        "clew.threads.each", lambda kernel, pieces, *given: [kernel(k, *given) for k in range(pieces)[::-1]]
    )
    found = pack(values, 7)
    np.testing.assert_array_equal(found.words, expected.words)
    np.testing.assert_array_equal(found.unpacked(), values)
