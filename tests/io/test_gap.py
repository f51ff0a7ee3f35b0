from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew.io import binary
from clew.io.source import Match
from tests.io.fuzzing import fuzz
from tests.io.graphs import graphs, prefixes, refused, small, stored

FIT = ("bool", "int8", "int16", "int32", "uint8", "uint16")


def raw(directed: bool, *sides: tuple[list[int], list[Any]]) -> bytes:
    """A file put together by hand; entries are ids, or pairs of an id and a weight."""
    offsets, entries = sides[0]
    data = struct.pack("<?qq", directed, len(entries), len(offsets) - 1)
    for offsets, entries in sides:
        data += np.array(offsets, "<i8").tobytes() + np.array(entries, "<i4").tobytes()
    return data


@settings(max_examples=40, deadline=None)
@given(graphs(named=False, weight_dtypes=FIT))
def test_round_trip(graph: clew.Graph) -> None:
    data = stored(graph, ".wsg" if graph.weighted else ".sg")
    again = clew.read(data, format="gap")
    if graph.weights is None or not graph.num_arcs:
        assert again.with_weights(None) == graph.with_weights(None)
    else:
        assert again.weights.dtype == np.int32
        assert again == graph.with_weights(graph.weights.astype(np.int32))


def test_known_bytes() -> None:
    out, into = ([0, 2, 3, 3], [1, 2, 2]), ([0, 0, 1, 3], [0, 0, 1])
    graph = clew.Graph.from_edges([0, 0, 1], [1, 2, 2])
    assert clew.read(raw(True, out, into)) == graph
    assert stored(graph, ".sg") == raw(True, out, into)
    weighted = (out[0], [[1, 5], [2, -6], [2, 7]]), (into[0], [[0, 5], [0, -6], [1, 7]])
    graph = clew.Graph.from_edges([0, 0, 1], [1, 2, 2], np.array([5, -6, 7], dtype=np.int32))
    assert clew.read(raw(True, *weighted)) == graph
    assert stored(graph, ".wsg") == raw(True, *weighted)


def test_undirected_graphs_store_both_directions() -> None:
    """GAP counts the entries it stores, twice the edges."""
    data = raw(False, ([0, 1, 3, 4], [1, 0, 2, 1]))
    graph = clew.read(data)
    assert not graph.directed
    assert graph.num_edges == 2
    assert stored(graph, ".sg") == data


def test_the_suffix_decides_about_weights(tmp_path: Path) -> None:
    with pytest.raises(clew.FormatError, match=r"Name it \.wsg"):
        clew.write(small(), tmp_path / "graph.sg")
    assert not list(tmp_path.iterdir())
    clew.write(small(weights=None), tmp_path / "graph.wsg")
    assert clew.read(tmp_path / "graph.wsg").weights.tolist() == [1] * 5
    clew.write(clew.Graph.from_edges([], []), tmp_path / "empty.wsg")
    assert clew.read(tmp_path / "empty.wsg").weighted


@pytest.mark.parametrize("weights", [[0.5] * 5, [2**31] * 5, [np.nan] * 5, np.array([2**63] * 5, dtype=np.uint64)])
def test_weights_that_do_not_fit(weights: Any, tmp_path: Path) -> None:
    with pytest.raises(clew.FormatError, match="weights of int32"):
        clew.write(small(weights=weights), tmp_path / "graph.wsg")


def test_options() -> None:
    data = stored(small(), ".wsg")
    assert not clew.read(data, weights=False).weighted
    assert clew.read(data, weight_dtype="int64") == small()
    assert clew.read(data, loops="drop").num_loops == 0
    assert clew.read(stored(small(directed=False), ".wsg"), directed=True).num_edges == 9
    refused(data, "gap", "said to be undirected", directed=False)
    refused(stored(small(weights=None), ".sg"), "gap", "weights=True", weights=True)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("weights", [None, (3, 1, 2, 5, 4)])
def test_every_truncation_is_refused(directed: bool, weights: Any) -> None:
    data = stored(small(directed=directed, weights=weights), ".sg" if weights is None else ".wsg")
    for cut in prefixes(data):
        refused(cut, "gap")


def test_refusals(tmp_path: Path) -> None:
    good = raw(False, ([0, 1, 3, 4], [1, 0, 2, 1]))
    refused(b"", "gap", "0 bytes")
    refused(good + b"\0", "gap", "cut short")
    refused(b"\2" + good[1:], "gap", "a byte 0 or 1")
    refused(raw(False, ([0, 1, 3, 4], [1, 0, 3, 1])), "gap", "contain 3")
    refused(raw(False, ([0, 1, 3, 4], [1, 0, -2, 1])), "gap", "contain -2")
    refused(raw(False, ([0, 3, 1, 4], [1, 0, 2, 1])), "gap", "ascend")
    refused(raw(False, ([0, 1, 3, 4], [1, 0, 2, 0])), "gap", "undirected")
    refused(raw(True, ([0, 2, 3, 3], [1, 2, 2]), ([0, 1, 1, 3], [0, 0, 1])), "gap", "contradict")
    with pytest.raises(clew.FormatError, match="directory"):
        clew.read(tmp_path, format="gap")


@pytest.mark.parametrize("place", [1, 9])
@pytest.mark.parametrize("number", [-1, 0, 2, 8, 2**31, 2**32, 2**62, 2**63 - 1, -(2**63)])
def test_headers_that_lie(place: int, number: int) -> None:
    data = bytearray(raw(False, ([0, 1, 3, 4], [1, 0, 2, 1])))
    data[place : place + 8] = struct.pack("<q", number)
    refused(bytes(data), "gap")


def test_sniff() -> None:
    data = stored(small(), ".wsg")
    assert binary.sniff_gap(data) == Match.MAYBE
    assert binary.sniff_gap(data[:-1]) == Match.NO
    assert binary.sniff_gap(b"0 1\n1 2\n") == Match.NO
    assert binary.sniff_gap(b"\0" * 24) == Match.NO
    large = clew.Graph.from_edges(np.arange(20_000), (np.arange(20_000) + 1) % 20_000)
    assert binary.sniff_gap(stored(large, ".sg")[:65536]) == Match.MAYBE
    assert clew.read(stored(large, ".sg")) == large


def test_the_suites_example(shared_data: Path, tmp_path: Path) -> None:
    """The 4-vertex-a-side example of the suite, as rows by hand from its edge list."""
    pairs = np.loadtxt(shared_data / "gapbs" / "4.el", dtype=np.int64)
    graph = clew.Graph.from_edges(pairs[:, 0], pairs[:, 1])
    clew.write(graph, tmp_path / "4.sg")
    assert clew.read(tmp_path / "4.sg") == graph


def test_fuzz() -> None:
    cases = [stored(small(directed=directed), ".wsg") for directed in (True, False)]
    cases += [stored(small(directed=directed, weights=None), ".sg") for directed in (True, False)]
    fuzz(cases, "gap")
