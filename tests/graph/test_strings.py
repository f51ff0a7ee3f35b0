"""Strings are numbered alike by Arrow and by our own hash table."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import names, strings
from clew.io.source import Source
from clew.io.text import columns


def both_ways(*columns: pa.Array) -> tuple:
    """Numbers and names, by Arrow and by the table."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strings, "MANY", 1 << 60)
        by_arrow = names.encode(*columns)
        patch.setattr(strings, "MANY", 1)
        return by_arrow, names.encode(*columns)


def check(*columns: pa.Array) -> None:
    (ids, known), (own_ids, own) = both_ways(*columns)
    assert own == known
    own.array.validate(full=True)
    for one, other, column in zip(ids, own_ids, columns, strict=True):
        np.testing.assert_array_equal(one, other)
        assert own.take(other).equals(column.cast(pa.large_string()))


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_numbers_and_names_are_the_same(data):
    # Few letters: strings that differ in one byte, in length alone, or not at all.
    words = st.lists(st.text("ab\0é", max_size=20), min_size=1, max_size=60)
    first, second = pa.array(data.draw(words)), pa.array(data.draw(words), pa.large_string())
    check(first, second)
    check(first[len(first) // 2 :], second[1:], first)


def test_a_table_that_grows():
    words = pa.array([f"{'x' * (number % 19)}{number % 9_000}" for number in range(30_000)])
    check(words, words.take(pa.array(np.arange(30_000)[::-1])))


def test_a_table_that_is_half_full():
    # In a small table many strings share a slot, and are found in one of the next.
    from clew import kernels_strings as kernels

    words = pa.array([f"name {number}" for number in range(40)], pa.large_string())
    _, places, data = words.buffers()
    offsets, read = np.frombuffer(places, np.uint64)[:41], np.frombuffer(data, np.uint8)
    table, ends, text = np.zeros(64, np.uint64), np.zeros(41, np.uint64), np.zeros(read.size, np.uint8)
    numbers = np.empty(40, np.int32)
    assert kernels.number_strings(offsets, read, 0, table, 0, ends, text, numbers) == (32, 32)  # then it is half full
    assert np.count_nonzero(table) == 32
    larger = np.zeros(256, np.uint64)
    kernels.enter(larger, 32, ends, text)
    assert kernels.number_strings(offsets, read, 32, larger, 32, ends, text, numbers) == (40, 40)
    assert numbers.tolist() == list(range(40))
    assert text.tobytes() == read.tobytes()[: text.size]


def test_edge_lists_of_names_in_many_blocks(monkeypatch):
    rng = np.random.default_rng(2)
    pairs = [f"v{u},{'w' * (v % 9)}{v}" for u, v in rng.integers(0, 300, (2_000, 2))]
    text = "\n".join(["source,target", *pairs, ""]).encode()
    expected = clew.read(text)
    monkeypatch.setattr(columns, "MANY", 1)
    whole = Source.blocks
    monkeypatch.setattr(Source, "blocks", lambda self, size=1_000, start=0: whole(self, 1_000, start))
    assert clew.read(text) == expected


def test_a_graph_of_many_strings():
    rng = np.random.default_rng(1)
    source, target = (pa.array([f"v{number}" for number in rng.integers(0, 5_000, 100_000)]) for _ in range(2))
    graph = clew.Graph.from_edges(source, target)
    assert graph.num_vertices == 5_000
    assert sorted(
        map(tuple, zip(*(graph.to_arrow()[side].to_pylist() for side in ("source", "target")), strict=True))
    ) == (sorted(zip(source.to_pylist(), target.to_pylist(), strict=True)))
