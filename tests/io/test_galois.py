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


def raw(version: int, ends: list[int], targets: list[int], weights: Any = None, *, edges: int | None = None) -> bytes:
    """A file put together by hand."""
    data = np.array([] if weights is None else weights)
    size = 0 if weights is None else data.itemsize
    count = len(targets) if edges is None else edges
    header = struct.pack("<4Q", version, size, len(ends), count)
    body = np.array(ends, "<u8").tobytes() + np.array(targets, "<u4" if version == 1 else "<u8").tobytes()
    padding = b"\0" * (4 * (len(targets) % 2) if version == 1 else 0)
    return header + body + padding + (data.tobytes() if size else b"")


@settings(max_examples=40, deadline=None)
@given(graphs(named=False, weight_dtypes=["bool", "int8", "int64", "uint16", "uint64"]))
def test_round_trip(graph: clew.Graph) -> None:
    if graph.weights is not None and graph.num_arcs and graph.weights.min() < 0:
        graph = graph.with_weights(graph.weights & np.iinfo(graph.weights.dtype).max)
    data = stored(graph, ".gr", format="galois")
    again = clew.read(data, directed=graph.directed)
    assert again.with_weights(None) == graph.with_weights(None)
    assert again.weighted == graph.weighted
    assert graph.weights is None or again.weights.tolist() == graph.weights.astype("u8").tolist()


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(
    ("weights", "bits", "says"),
    [
        (np.array([1.5, 2.5]), np.uint64, "the weights are float64, but a Galois file does not say so"),
        (np.array([1, 2], np.float32), np.uint32, r"graph\.weights\.view\('uint32'\)\) and read .*'float32'"),
        (np.array([-3, 4]), np.uint64, "the smallest weight is -3, but weights in a Galois file are unsigned"),
        (np.array([-3, 4], np.int32), np.uint32, "read them with weight_dtype='int32'"),
    ],
)
def test_weights_that_would_be_read_as_others(weights: Any, bits: Any, says: str, directed: bool) -> None:
    graph = clew.Graph.from_edges([0, 1], [1, 2], weights, directed=directed)
    with pytest.raises(clew.FormatError, match=says) as caught:
        stored(graph, ".gr", format="galois")
    assert "--weights none" in caught.value.on_command_line()
    data = stored(graph.with_weights(graph.weights.view(bits)), ".gr", format="galois")
    assert clew.read(data, weight_dtype=weights.dtype, directed=directed) == graph


def test_narrow_negative_weights_are_refused_too() -> None:
    graph = clew.Graph.from_edges([0], [1], np.array([-1], np.int8))
    with pytest.raises(clew.FormatError, match=r"astype\('int32'\)\.view\('uint32'\)"):
        stored(graph, ".gr", format="galois")


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("targets", [[1, 2, 2], [1, 2, 2, 0]])
def test_known_bytes(version: int, targets: list[int]) -> None:
    ends = [2, 3, len(targets)]
    graph = clew.read(raw(version, ends, targets))
    assert graph == clew.Graph.from_csr([0, *ends], targets)
    weights = np.arange(7, 7 + len(targets), dtype=np.uint32)
    assert clew.read(raw(version, ends, targets, weights)) == clew.Graph.from_csr([0, *ends], targets, weights)
    wide = np.array([0.5] * len(targets))
    assert clew.read(raw(version, ends, targets, wide), weight_dtype="f8").weights.tolist() == wide.tolist()
    assert clew.read(raw(version, ends, targets, wide)).weights.dtype == np.uint64


def test_written_bytes() -> None:
    graph = clew.Graph.from_edges([0, 1, 1], [1, 0, 2], np.array([7, 8, 9], dtype=np.uint16))
    assert stored(graph, ".gr", format="galois") == raw(1, [1, 3, 3], [1, 0, 2], np.array([7, 8, 9], dtype=np.uint32))
    assert stored(graph.with_weights(None), ".gr", format="galois") == raw(1, [1, 3, 3], [1, 0, 2])


def test_version_2_is_written_where_version_1_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binary, "MAX_VERSION_1_VERTICES", 2)
    graph = clew.Graph.from_edges([0, 1, 1], [1, 0, 2], np.array([5, 15, 25], np.uint64))
    data = stored(graph, ".gr", format="galois")
    assert data == raw(2, [1, 3, 3], [1, 0, 2], np.array([5, 15, 25]))
    assert clew.read(data) == graph


def test_unsorted_rows_are_sorted() -> None:
    graph = clew.read(raw(1, [3, 3, 3], [2, 0, 1], np.array([30, 10, 20], dtype=np.uint32)))
    assert graph.indices.tolist() == [0, 1, 2]
    assert graph.weights.tolist() == [10, 20, 30]


def test_padding_may_be_missing_at_the_end() -> None:
    assert clew.read(raw(1, [1, 1], [1])[:-4]) == clew.read(raw(1, [1, 1], [1]))


def test_sorted_rows_are_views_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "graph.gr"
    clew.write(small(), path, format="galois")
    graph = clew.read(path)
    assert not graph.indices.flags.owndata
    assert not graph.weights.flags.owndata


def test_options() -> None:
    data = stored(small(), ".gr", format="galois")
    assert clew.read(data, weight_dtype="int64") == small()
    assert not clew.read(data, weights=False).weighted
    assert clew.read(data, duplicates="first").num_edges == 4
    refused(data, "galois", "expected uint64, int64, float64", weight_dtype="float32")
    refused(data, "galois", "said to be undirected", directed=False)
    refused(stored(small(weights=None), ".gr", format="galois"), "galois", "weights=True", weights=True)
    assert clew.read(stored(small(directed=False), ".gr", format="galois"), directed=False, weight_dtype="i8") == small(
        directed=False
    )


def test_records_as_edge_data() -> None:
    odd = raw(1, [1, 1], [1, 0][:1], np.zeros(1, dtype="V12"))
    refused(odd, "galois", "12 bytes of data each")
    assert clew.read(odd, weights=False).num_edges == 1


def test_every_truncation_is_refused() -> None:
    for data in (stored(small(), ".gr", format="galois"), raw(2, [1, 3, 3], [1, 0, 2], np.array([1, 2, 3]))):
        for cut in prefixes(data):
            refused(cut, "galois")


def test_refusals(tmp_path: Path) -> None:
    good = raw(1, [2, 3, 4], [1, 2, 2, 0])
    refused(b"", "galois", "0 bytes")
    refused(good + b"\0", "galois", "cut short")
    refused(b"\3" + good[1:], "galois", "version 3")
    refused(raw(1, [2, 3, 4], [1, 2, 3, 0]), "galois", "vertex 3")
    refused(raw(1, [2, 3, 4], [1, 2**32 - 1, 3, 0]), "galois", "vertex 4294967295")
    refused(raw(2, [2, 3, 4], [1, 2**64 - 1, 3, 0]), "galois", "vertex 18446744073709551615")
    refused(raw(1, [3, 2, 4], [1, 2, 2, 0]), "galois", "ascend")
    refused(raw(1, [2, 3, 3], [1, 2, 2, 0]), "galois", "from 0 to 3")
    refused(raw(1, [2, 3, 2**64 - 1], [1, 2, 2, 0]), "galois", "from 0 to -1")
    with pytest.raises(clew.FormatError, match="directory"):
        clew.read(tmp_path, format="galois")


@pytest.mark.parametrize("field", range(4))
@pytest.mark.parametrize("number", [0, 3, 5, 2**31, 2**32, 2**62, 2**63, 2**64 - 1])
def test_headers_that_lie(field: int, number: int) -> None:
    data = bytearray(raw(1, [2, 3, 4, 4], [1, 2, 2, 0], np.array([1, 2, 3, 4], dtype=np.uint32)))
    data[8 * field : 8 * field + 8] = struct.pack("<Q", number)
    refused(bytes(data), "galois")


def test_sniff() -> None:
    assert binary.sniff_galois(stored(small(), ".gr", format="galois")) == Match.SURE
    assert binary.sniff_galois(stored(small(), ".gr", format="galois")[:-1]) == Match.MAYBE
    assert binary.sniff_galois(stored(small(), ".gr", format="galois")[:20]) == Match.NO
    assert binary.sniff_galois(b"c 9th DIMACS\np sp 3 3\na 1 2 5\na 2 3 5\na 3 1 5\n") == Match.NO
    assert binary.sniff_galois(raw(1, [3, 2, 4], [1, 2, 2, 0])) == Match.NO
    large = clew.Graph.from_edges(np.arange(20_000), (np.arange(20_000) + 1) % 20_000)
    assert binary.sniff_galois(stored(large, ".gr", format="galois")[:65536]) == Match.SURE


def test_fuzz() -> None:
    three = raw(2, [1, 3, 3], [1, 0, 2], np.array([1, 2, 3]))
    fuzz(
        [stored(small(), ".gr", format="galois"), stored(small(weights=None), ".gr", format="galois"), three], "galois"
    )
