from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew.io import native
from clew.packed.code import PARTS
from tests.io.fuzzing import assert_valid, fuzz
from tests.io.graphs import graphs, prefixes, refused, small, stored

PREAMBLE = struct.Struct("<8sIIQQ")
METADATA = {
    "title": "a ⛓ graph",
    "numbers": [1, 2.5, True, None, float("inf")],
    "coordinates": np.arange(12.0).reshape(6, 2),
    "$odd/key": {"deep": np.array([1, 2, 3], dtype=np.uint8), "$": "money"},
    "odd/key": {"deep": np.array([True, False])},
}


def rebuilt(data: bytes, change: Any, version: int = native.VERSION) -> bytes:
    """The file with another header, its checksum and lengths made right again."""
    _, _, _, length, _ = PREAMBLE.unpack(data[:32])
    header = json.loads(data[32 : 32 + length])
    body = data[-(-(32 + length) // 64) * 64 :]
    change(header)
    text = json.dumps(header).encode()
    start = -(-(32 + len(text)) // 64) * 64
    front = PREAMBLE.pack(native.MAGIC, version, zlib.crc32(text), len(text), start + len(body)) + text
    return front.ljust(start, b"\0") + body


def with_array(graph: clew.Graph, name: str, values: Any) -> bytes:
    """A file that is whole, checksums and all, but holds other values than the graph's."""
    data = bytearray(stored(graph, ".clew"))
    _, _, _, length, _ = PREAMBLE.unpack(data[:32])
    start = -(-(32 + length) // 64) * 64
    header = json.loads(data[32 : 32 + length])
    section = next(one for one in header["sections"] if one["name"] == name)
    raw = np.asarray(values, dtype=section["dtype"]).tobytes()
    data[start + section["offset"] : start + section["offset"] + len(raw)] = raw

    def change(header: Any) -> None:
        next(one for one in header["sections"] if one["name"] == name)["crc32"] = [zlib.crc32(raw)]

    return rebuilt(bytes(data), change)


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_round_trip(graph: clew.Graph) -> None:
    data = stored(graph, ".clew")
    for check in (None, True, False):
        again = clew.read(data, check=check)
        assert again == graph
        assert again.indices.dtype == graph.indices.dtype
        assert again.report == graph.report
    assert stored(again, ".clew") == data
    packed = stored(graph.packed(), ".clew")
    for check in (None, False):
        again = clew.read(packed, check=check)
        assert again.is_packed
        assert again == graph
        assert again.report == graph.report
    assert stored(again, ".clew") == packed
    assert stored(again.unpacked(), ".clew") == data


def test_metadata_round_trip() -> None:
    graph = clew.Graph.from_edges([0, 1], [1, 0], metadata=METADATA)
    again = clew.read(stored(graph, ".clew")).metadata
    assert list(again) == list(METADATA)
    assert again["title"] == METADATA["title"]
    assert again["numbers"] == METADATA["numbers"]
    assert np.array_equal(again["coordinates"], METADATA["coordinates"])
    assert again["$odd/key"]["deep"].dtype == np.uint8
    assert again["$odd/key"]["deep"].tolist() == [1, 2, 3]
    assert again["$odd/key"]["$"] == "money"
    assert again["odd/key"]["deep"].tolist() == [True, False]


@pytest.mark.parametrize("value", [object(), {1: 2}, [b"bytes"], np.array(["text"]), np.complex64(1), 1j])
def test_metadata_that_cannot_be_stored(value: Any, tmp_path: Path) -> None:
    graph = clew.Graph.from_edges([0], [1], metadata={"odd": value})
    with pytest.raises(clew.GraphError, match=r"metadata/odd.* cannot hold"):
        clew.write(graph, tmp_path / "graph.clew")
    assert not list(tmp_path.iterdir())


def test_metadata_that_contains_itself(tmp_path: Path) -> None:
    endless: list[Any] = []
    endless.append(endless)
    graph = clew.Graph.from_edges([0], [1], metadata={"endless": endless})
    with pytest.raises(clew.GraphError, match="contains itself"):
        clew.write(graph, tmp_path / "graph.clew")


def test_arrays_are_views_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "graph.clew"
    clew.write(small(names=list("abcdef")), path)
    graph = clew.read(path)
    for array in (graph.indptr, graph.indices, graph.weights):
        assert array is not None
        assert not array.flags.owndata
        assert not array.flags.writeable
        assert array.ctypes.data % 64 == 0
    assert graph == small(names=list("abcdef"))
    assert graph.vertex("c") == 2


def test_unaligned_bytes_are_read_too() -> None:
    data = stored(small(), ".clew")
    for shift in range(1, 8):
        assert clew.read(memoryview(b"x" * shift + data)[shift:]) == small()


@pytest.mark.parametrize("suffix", [".clew.gz", ".clew.bz2", ".clew.xz", ".clew.zst"])
def test_compressed(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"graph{suffix}"
    clew.write(small(), path)
    assert clew.read(path) == small()


@pytest.mark.quick
def test_id_width_is_kept() -> None:
    wide = clew.Graph.from_edges([0, 1], [1, 2], id_dtype="int64")
    assert clew.read(stored(wide, ".clew")).indices.dtype == np.int64


def test_progress() -> None:
    seen: list[tuple[int, int | None]] = []
    data = stored(small(), ".clew", progress=lambda *step: seen.append(step))
    assert seen[-1] == (len(data), len(data))
    seen.clear()
    clew.read(data, progress=lambda *step: seen.append(step))
    assert seen[-1] == (len(data), len(data))


def test_options() -> None:
    directed, undirected = stored(small(), ".clew"), stored(small(directed=False), ".clew")
    assert not clew.read(directed, weights=False).weighted
    assert clew.read(directed, weight_dtype="float32").weights.dtype == np.float32
    assert clew.read(directed, duplicates="sum").num_edges == 4
    assert clew.read(undirected, loops="drop").num_loops == 0
    assert clew.read(undirected, directed=True).num_edges == small(directed=False).num_arcs
    assert clew.read(clew_of_pairs(), directed=False).num_edges == 1
    refused(directed, "clew", "said to be undirected", directed=False)
    refused(directed, "clew", "do not fit bool", weight_dtype="bool")
    refused(stored(small(weights=None), ".clew"), "clew", "weights=True", weights=True)


def test_options_of_packed_files(tmp_path: Path) -> None:
    directed, undirected = stored(small().packed(), ".clew"), stored(small(directed=False).packed(), ".clew")
    assert not clew.read(directed, weights=False).weighted
    assert clew.read(directed, weight_dtype="float32").weights.dtype == np.float32
    assert clew.read(directed, duplicates="sum").num_edges == 4
    assert clew.read(undirected, directed=True).num_edges == small(directed=False).num_arcs
    refused(stored(small(weights=None).packed(), ".clew"), "clew", "weights=True", weights=True)
    path = tmp_path / "packed.clew"
    path.write_bytes(directed)
    rows: Any = clew.read(path).outgoing
    assert not rows.neighbours.words.flags.owndata  # a view of the mapped file


def test_damaged_packed_rows_are_refused() -> None:
    graph: Any = clew.generate.grid(12, 12).packed()
    refused(with_array(graph, "neighbours/heads", [2**19 - 1] * 9), "clew", "ends after its block")
    refused(
        with_array(graph, "offsets/words", [2**64 - 1] * graph.outgoing.offsets.words.size),
        "clew",
        "offsets run|ends after",
    )
    refused(with_array(graph, "neighbours/bases", [2**40] * 2), "clew", "words", check=False)
    for key, value in (("vertices", 999), ("arcs", 2**61), ("ids", "<f4"), ("weights", "text"), ("vertices", True)):
        changed = rebuilt(stored(graph, ".clew"), lambda header, k=key, v=value: header["packed"].update({k: v}))
        refused(changed, "clew", "expected", check=False)


def clew_of_pairs() -> bytes:
    return stored(clew.Graph.from_edges([0, 1], [1, 0]), ".clew")


def test_every_truncation_is_refused() -> None:
    data = stored(small(names=list("abcdef")), ".clew")
    for cut in prefixes(data):
        refused(cut, "clew", check=False)


def test_every_flipped_byte_is_noticed() -> None:
    graph = small(names=list("abcdef"))
    data = stored(graph, ".clew")
    for place in range(len(data)):
        damaged = data[:place] + bytes([data[place] ^ 0x40]) + data[place + 1 :]
        try:
            again = clew.read(damaged, format="clew")
        except clew.FormatError:
            continue
        assert again == graph  # the byte lay between two sections


def test_appended_bytes_are_refused() -> None:
    refused(stored(small(), ".clew") + b"\0", "clew", "cut short, or something was appended")


def test_empty_file_and_directory(tmp_path: Path) -> None:
    refused(b"", "clew", "0 bytes")
    with pytest.raises(clew.FormatError, match="directory"):
        clew.read(tmp_path)


@pytest.mark.parametrize("version", [0, 3, 2**32 - 1])
def test_other_versions_are_named(version: int) -> None:
    data = rebuilt(stored(small(), ".clew"), lambda _: None, version=version)
    message = refused(data, "clew", f"version {version} .*versions 1 and {native.VERSION}")
    assert ("newer" in message) == (version > native.VERSION)


@pytest.mark.quick
def test_wrong_magic() -> None:
    refused(b"CLEW\n\x1a\n\n" + bytes(60), "clew", "the mark of a .clew file")


@pytest.mark.parametrize("number", [-1, 0, 1, 3, 2**31, 2**62, 2**63, 2**64 - 1, 2**70, 1.5, True, None, "7", [7], {}])
@pytest.mark.parametrize("key", ["shape", "offset", "crc32", "dtype", "name"])
def test_headers_that_lie(key: str, number: Any) -> None:
    data = stored(small(), ".clew")
    for wrong in (number, [number], [number, number], [0, number]):

        def change(header: Any, value: Any = wrong) -> None:
            header["sections"][1][key] = value

        refused(rebuilt(data, change), "clew", check=False) if key != "crc32" else refused(
            rebuilt(data, change), "clew"
        )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("directed", None),
        ("directed", 1),
        ("report", None),
        ("report", {"given": 1}),
        ("report", {"given": "5", "loops": 0, "loops_dropped": 0, "duplicates_merged": 0}),
        ("metadata", 7),
        ("metadata", {"x": {"$array": "nothing"}}),
        ("sections", None),
        ("sections", []),
        ("sections", [None]),
    ],
)
def test_headers_that_make_no_sense(key: str, value: Any) -> None:
    refused(rebuilt(stored(small(), ".clew"), lambda header: header.update({key: value})), "clew")


def test_deeply_nested_header() -> None:
    data = stored(small(), ".clew")
    for depth in (400, 3000, 100_000):
        text = b'{"sections":[],"metadata":' + b"[" * depth + b"]" * depth + b"}"
        front = PREAMBLE.pack(native.MAGIC, 1, zlib.crc32(text), len(text), -(-(32 + len(text)) // 64) * 64) + text
        refused(front.ljust(-(-len(front) // 64) * 64, b"\0"), "clew")
    deep: Any = []
    for _ in range(600):
        deep = [deep]
    refused(rebuilt(data, lambda header: header.update(metadata={"deep": deep})), "clew", "nested too deeply")


@pytest.mark.parametrize(
    ("name", "values", "problem"),
    [
        ("indptr", [0, 9, 1, 2, 3, 4, 5], "ascend"),
        ("indptr", [1, 2, 3, 4, 5, 5, 5], "from 1"),
        ("indptr", [0, 2, 3, 4, 5, 5, 4], "to 4"),
        ("indptr", [0, -2, 3, 4, 5, 5, 5], "ascend"),
        ("indices", [1, 1, 2, 2, 6], "contain 6"),
        ("indices", [-1, 1, 2, 2, 4], "contain -1"),
        ("indices", [2, 1, 2, 2, 4], "not sorted"),
    ],
)
def test_content_is_checked_behind_the_checksums(name: str, values: list[int], problem: str) -> None:
    refused(with_array(small(), name, values), "clew", problem)


def test_asymmetric_content_is_refused() -> None:
    pair = clew.Graph.from_edges([0], [1], [7], directed=False)
    refused(with_array(pair, "weights", [7, 8]), "clew", "undirected")


def test_asymmetric_content_of_larger_files_is_refused_where_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.io.native.SMALLER", 16)
    data = with_array(clew.Graph.from_edges([0], [1], [7], directed=False), "weights", [7, 8])
    assert clew.read(data).weights.tolist() == [7, 8]
    refused(data, "clew", "undirected", check=True)


def test_odd_booleans_are_refused() -> None:
    graph = small(weights=np.array([True, False, True, True, False]))
    data = bytearray(with_array(graph, "weights", [1, 0, 1, 1, 0]))
    assert clew.read(bytes(data)) == graph
    data[-5:] = b"\1\2\1\1\0"
    fixed = rebuilt(bytes(data), lambda header: header["sections"][2].update(crc32=[zlib.crc32(data[-5:])]))
    refused(fixed, "clew", "not all 0 or 1")


def test_damaged_names_are_refused() -> None:
    graph = small(names=list("abcdef"))
    refused(with_array(graph, "name_bytes", list(b"aacdef")), "clew", "more than once")
    refused(with_array(graph, "name_bytes", [255] * 6), "clew", "names are damaged")
    refused(with_array(graph, "name_offsets", [0, 5, 2, 3, 4, 5, 6]), "clew", "names are damaged")
    refused(with_array(graph, "name_offsets", [0, 1, 2, 3, 4, 5, 7]), "clew", "do not run")


def test_large_files_are_not_checked_unless_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.io.native.SMALL", 16)
    data = bytearray(stored(small(), ".clew"))
    data[-1] ^= 1  # in the last weight
    assert clew.read(bytes(data)) != small()
    refused(bytes(data), "clew", "checksum of 'weights'", check=True)


def test_several_blocks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(native, "BLOCK", 8)
    path = tmp_path / "graph.clew"
    clew.write(small(), path)
    assert clew.read(path) == small()
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    refused(bytes(data), "clew", "checksum of 'weights' does not match in the block")


def test_unchecked_reading_of_damaged_structure() -> None:
    """Without checks the content is trusted, but nothing may be read outside the file."""
    data = stored(small(names=list("abcdef")), ".clew")
    refused(with_array(small(), "indptr", [0, 2, 3, 4, 5, 5, 6]), "clew", "indptr runs", check=False)
    refused(data[:-64], "clew", check=False)


@pytest.mark.parametrize("names", [None, list("abcdef"), [9, 8, 7, 6, 5, 4]])
def test_fuzz(names: Any) -> None:
    undirected = clew.Graph.from_edges([0, 1, 2], [1, 2, 2], [1.5, 2.5, 3.5], directed=False, metadata=METADATA)
    files = [stored(graph, ".clew") for graph in (small(names=names), undirected, small(names=names).packed())]
    fuzz(files, "clew", cases=700)


def leaves(tree: Any) -> list[tuple[Any, Any]]:
    """Every place in a JSON tree that holds something, as (container, key)."""
    keys = tree.keys() if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    return [(tree, key) for key in keys] + [leaf for key in keys for leaf in leaves(tree[key])]


@pytest.mark.parametrize("packed", [False, True])
def test_fuzz_headers(packed: bool) -> None:
    """Change the header and repair its checksum, so that what lies behind it is reached."""
    graph = clew.Graph.from_edges([0, 1], [1, 0], [1, 1], names=["a", "b"], metadata=METADATA)
    data = stored(graph.packed() if packed else graph, ".clew")
    numbers = (0, 1, -1, 2, 8, 64, 128, 2**31, 2**63, 2**64, 1e400)
    odd = (None, True, *numbers, "", "<i8", "<i4", "|b1", "weights", [], [0], {})
    random = np.random.default_rng(7)

    def change(header: Any) -> None:
        for _ in range(int(random.integers(1, 4))):
            places = leaves(header)
            container, key = places[random.integers(len(places))]
            container[key] = odd[random.integers(len(odd))]

    read = 0
    for _ in range(2000):
        try:
            again = clew.read(rebuilt(data, change), format="clew")
        except clew.FormatError:
            continue
        assert_valid(again)
        read += 1
    assert read > 50  # some changes do no harm


@pytest.mark.parametrize("directed", [True, False])
def test_fuzz_packed_arrays(directed: bool) -> None:
    """Change bits of packed arrays and repair the checksum: a sentence, or a graph that compiled code can trust."""
    graph: Any = clew.generate.rmat(8, 24, directed=directed).packed()
    random, read, refusals = np.random.default_rng(5), 0, 0
    for _ in range(600):
        name, part = random.choice(["offsets", "neighbours"]), random.choice(PARTS, p=[0.6, 0.3, 0.1])
        array = getattr(getattr(graph.outgoing, name), part).copy()
        for place in random.integers(0, array.size, random.integers(1, 4)):
            array[place] ^= array.dtype.type(1 << int(random.integers(0, 8 * array.itemsize)))
        try:
            again = clew.read(with_array(graph, f"{name}/{part}", array), format="clew")
        except clew.FormatError:
            refusals += 1
            continue
        assert_valid(again)
        read += 1
    assert refusals > 300
    assert read > (5 if directed else 0)


def test_detected_by_content(tmp_path: Path) -> None:
    path = tmp_path / "graph.txt"
    path.write_bytes(stored(small(), ".clew"))
    assert clew.read(path) == small()
