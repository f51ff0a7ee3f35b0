"""Edge lists of every dialect: what they mean, what is wrong with them, and that what is written comes back."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.errors import FormatError
from clew.io import registry
from clew.io.edge_list import numbered, sniff
from clew.io.source import Match
from tests.io.fuzzing import fuzz

SNAP = b"# Directed graph\n# Nodes: 5 Edges: 7\n# FromNodeId\tToNodeId\n0\t1\n0\t4\n1\t2\n2\t3\n3\t0\n4\t4\n0\t1\n"
KONECT = b"% sym posweighted\n% 4 3 3\n1 2  1.5\n2 3  2\n3 1  0.25\n3 3  7\n"
BIPARTITE = b"% bip unweighted\n% 3 2 3\n1 1 1 100\n1 3 1 101\n2 2 1 102\n"
HEADER = b'weight,source,target,note\r\n1.5,10,20,x\r\n2.5,20,30,"a,b"\r\n-1e3,30,10,\r\n'
WEIGHTED = b"0 1 5\n1 2 -7\n2 0 9223372036854775807\n"
NAMES = "alice bob\nbob çelik\nçelik alice\n".encode()
QUOTED = b'"a b";"c;d";1\n"c;d";"e""f";2\n"";x y;3\n'


def edges(graph: clew.Graph) -> list[tuple[Any, ...]]:
    """Every edge by the names of its ends, and its weight."""
    source, target, weights = graph.edges()
    ends = zip([graph.name(int(v)) for v in source], [graph.name(int(v)) for v in target], strict=True)
    return [
        end if weights is None else (*end, weight)
        for end, weight in zip(ends, weights_of(weights, source.size), strict=True)
    ]


def weights_of(weights: Any, count: int) -> list[Any]:
    return [None] * count if weights is None else weights.tolist()


def read(data: bytes | str, **options: Any) -> clew.Graph:
    return clew.read(data.encode() if isinstance(data, str) else data, format="edge-list", **options)


# ---------------------------------------------------------------- dialects


def test_snap() -> None:
    graph = read(SNAP)
    assert graph.directed
    assert graph.names is None
    assert graph.num_vertices == 5
    assert edges(graph) == [(0, 1), (0, 1), (0, 4), (1, 2), (2, 3), (3, 0), (4, 4)]
    assert clew.read(SNAP) == graph


def test_konect() -> None:
    graph = read(KONECT)
    assert not graph.directed
    assert edges(graph) == [(1, 2, 1.5), (1, 3, 0.25), (2, 3, 2.0), (3, 3, 7.0)]
    assert read(KONECT.replace(b"sym", b"asym")).directed
    assert read(KONECT, directed=True).directed
    assert not read(KONECT, weights=False).weighted


def test_konect_bipartite() -> None:
    graph = read(BIPARTITE)
    assert not graph.directed
    assert not graph.weighted
    assert graph.metadata == {"bipartite": [2, 3]}
    assert edges(graph) == [(0, 2), (0, 4), (1, 3)]
    assert read(BIPARTITE, weights=True).weighted
    gappy = read(b"% bip\n10 7\n30 7\n10 9\n")
    assert edges(gappy) == [(0, 2), (0, 3), (1, 2)]
    assert gappy.metadata["bipartite"] == [2, 2]
    assert gappy.metadata["left_ids"].tolist() == [10, 30]
    assert gappy.metadata["right_ids"].tolist() == [7, 9]


def test_headers_choose_the_columns() -> None:
    graph = read(HEADER)
    assert edges(graph) == [(10, 20, 1.5), (20, 30, 2.5), (30, 10, -1000.0)]
    assert edges(read(HEADER, source="target", target="source")) == [(10, 30, -1000), (20, 10, 1.5), (30, 20, 2.5)]
    assert not read(HEADER, weights=False).weighted
    swapped = read(b"to,from\n1,2\n2,3\n")
    assert edges(swapped) == [(2, 1), (3, 2)]
    assert edges(read(b"a b c\n1 2 3\n")) == [(1, 2, 3)]
    assert edges(read(b"src dst when\n1 2 3\n")) == [(1, 2)]
    assert edges(read(b"src dst when\n1 2 3\n", weight="when")) == [(1, 2, 3)]
    assert edges(read(b'\xef\xbb\xbf"src","dst"\n1,2\n')) == [(1, 2)]
    assert edges(read(b"source,target\nann,bob\n")) == [("ann", "bob")]
    assert edges(read(b"source,target\nann,bob\n", header=False)) == [("source", "target"), ("ann", "bob")]
    assert edges(read(b"1,2\n3,4\n", header=True)) == [(3, 4)]
    with pytest.raises(FormatError, match=r"'nothing'.*source="):
        read(HEADER, source="nothing")


def test_a_line_of_names_is_no_header() -> None:
    assert edges(read(b"ann bob\nbob cid\n")) == [("ann", "bob"), ("bob", "cid")]
    assert edges(read(b"x 1\n2 3\n")) == [("x", "1"), ("2", "3")]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,2\n", [(1, 2)]),
        ("1, 2\n", [(1, 2)]),
        ("1;2;0.5\n", [(1, 2, 0.5)]),
        ("1\t2\n", [(1, 2)]),
        ("1|2\n", [(1, 2)]),
        ("1 2\t3\n", [(1, 2, 3)]),
        ("1   2\n", [(1, 2)]),
        ("New York\tLos Angeles\n", [("New York", "Los Angeles")]),
        ("New York,Los Angeles,7\n", [("New York", "Los Angeles", 7)]),
        ("a b\n", [("a", "b")]),
        ('"a b" c\n', [("a b", "c")]),
        ('"a\tb" "c\td"\n', [("a\tb", "c\td")]),
        ('"a,b","c d"\n', [("a,b", "c d")]),
        ('"a"\t"b c"\t7\n', [("a", "b c", 7)]),
        ("1 2 3 {}\n", [(1, 2, 3)]),
        ("\ufeff1 2\n", [(1, 2)]),
        ("+1 -2\n", [("+1", "-2")]),
        ("007 8\n", [("007", "8")]),
        ("5\n1 2\n2 3\n", [(1, 2), (2, 3)]),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters(text: str, expected: list[Any], end: str) -> None:
    assert edges(read(text.replace("\n", end))) == expected
    assert edges(read(text.rstrip("\n").replace("\n", end))) == expected


def test_delimiters_can_be_given() -> None:
    assert edges(read("a,b c,d\n", delimiter=" ")) == [("a,b", "c,d")]
    assert edges(read("1:2\n", delimiter=":")) == [(1, 2)]
    for bad in ("", ",,", "a", "1", '"', "é"):
        with pytest.raises(FormatError, match="delimiter is"):
            read("1 2\n", delimiter=bad)


# ---------------------------------------------------------------- vertices


@pytest.mark.parametrize(
    "names",
    [
        [3, 5],
        [-3, 5],
        [2**31 - 1, 2**31],
        [2**31 - 2, 2**31 - 1],
        [-(2**31) - 1, 0],
        [2**63 - 1, 0],
        [-(2**63), 2**63 - 1],
        [2**63, 2**64 - 1],
        [0, 2**63],
        [10**15, 10**15 + 1],
    ],
)
@pytest.mark.parametrize("ids", ["auto", "map"])
def test_integers_become_names(names: list[int], ids: str) -> None:
    low, high = sorted(names)
    graph = read(f"{high} {low}\n{low} {low}\n", ids=ids)
    assert graph.num_vertices == 2
    assert graph.names is not None
    assert graph.names.array.to_pylist() == [low, high]
    assert edges(graph) == [(low, low), (high, low)]


@pytest.mark.parametrize("text", ["1 18446744073709551616", "-1 9223372036854775808", "1 " + "9" * 50, "1 x", "1 2.5"])
def test_anything_else_makes_strings_of_all(text: str) -> None:
    first, second = text.split()
    graph = read(f"0 1\n{text}\n")
    assert graph.names is not None
    assert graph.names.array.to_pylist() == list(dict.fromkeys(["0", "1", first, second]))


def test_ids_keep_and_map() -> None:
    graph = read("3 5\n", ids="keep")
    assert graph.num_vertices == 6
    assert graph.names is None
    graph = read("0 1\n1 0\n", ids="map")
    assert graph.names is not None
    assert graph.names.array.to_pylist() == [0, 1]
    with pytest.raises(FormatError, match="the source is '-1'; expected an integer from 0") as caught:
        read("0 1\n\n-1 0\n", ids="keep")
    assert (caught.value.line, caught.value.column) == (3, 1)
    with pytest.raises(FormatError, match="the target is 'x'; expected an integer"):
        read("0 x\n", ids="keep")
    with pytest.raises(FormatError, match="ids='map'"):
        read("0 1000000000000\n", ids="keep")


@pytest.mark.parametrize("suffix", [".el", ".wel", ".el.gz"])
def test_gap_files_keep_their_ids(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"graph{suffix}"
    clew.write(clew.Graph.from_edges([7, 3], [3, 3]), path)
    graph = clew.read(path)
    assert graph.num_vertices == 8
    assert graph.names is None
    assert clew.read(path, ids="map").num_vertices == 2
    (tmp_path / "names.el").write_text("a b\n")
    assert edges(clew.read(tmp_path / "names.el")) == [("a", "b")]


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-20, 20) | st.integers(0, 2**21), max_size=50),
    st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_numbering(values: list[int], always: bool) -> None:
    column = np.array(values, dtype=np.int64)
    if values and max(map(abs, values)) < 2**31:
        column = column.astype(np.int32)
    half = len(values) // 2
    (first, second), count, names = numbered(column[:half].copy(), column[half:].copy(), always=always)
    distinct = sorted(set(values))
    assert count == len(distinct)
    ranks = np.concatenate([first, second]).tolist()
    assert ranks == [distinct.index(value) for value in values]
    if names is None:
        assert distinct == list(range(count))
    else:
        assert names.to_pylist() == distinct
        assert always or distinct != list(range(count))


# ---------------------------------------------------------------- weights and options


@pytest.mark.quick
def test_weights() -> None:
    assert edges(read(WEIGHTED)) == [(0, 1, 5), (1, 2, -7), (2, 0, 2**63 - 1)]
    assert read(WEIGHTED).weights.dtype == np.int64  # type: ignore[union-attr]
    assert read("0 1 0.5\n1 0 1\n").weights.tolist() == [0.5, 1.0]  # type: ignore[union-attr]
    assert read("0 1 1\n", weight_dtype="uint8").weights.dtype == np.uint8  # type: ignore[union-attr]
    found = read("0 1 nan\n1 2 -inf\n2 0 Infinity\n").weights
    assert found is not None
    assert math.isnan(found[0])
    assert found[1:].tolist() == [-math.inf, math.inf]
    assert not read(WEIGHTED, weights=False).weighted
    assert not read("0 1 junk\n", weights=False).weighted
    with pytest.raises(FormatError, match="weights=True"):
        read("0 1\n", weights=True)
    with pytest.raises(FormatError, match="the weight is '300', which does not fit its dtype, uint8") as caught:
        read("0 1 1\n0 1 300\n", weight_dtype="uint8")
    assert (caught.value.line, caught.value.column) == (2, 5)


def test_policies_and_direction() -> None:
    text = "0 1 2\n0 1 3\n1 1 4\n1 0 5\n"
    assert read(text, duplicates="sum", loops="drop").num_edges == 2
    assert read(text, directed=False, duplicates="max").weights.tolist() == [5, 5, 4]  # type: ignore[union-attr]
    assert read(text).report.loops == 1


@pytest.mark.parametrize(
    "text", ["", "\n", "\r\n \n", "# only\n% comments\n", "source,target\n", "a,b\n# x\n", "source target weight"]
)
def test_files_without_edges(text: str) -> None:
    options = {"header": True} if text.startswith("a,") else {}
    graph = read(text, **options)
    assert graph.num_vertices == graph.num_edges == 0


def test_progress_and_memory_maps(tmp_path: Path) -> None:
    path = tmp_path / "graph.txt"
    path.write_bytes(b"".join(b"%d %d\n" % (i, i + 1) for i in range(10_000)))
    told: list[tuple[int, int | None]] = []
    graph = clew.read(path, progress=lambda *seen: told.append(seen))
    size = path.stat().st_size
    assert told == [(size, size)]
    assert graph.num_edges == 10_000
    told.clear()
    clew.write(graph, path, progress=lambda *seen: told.append(seen))
    assert told == [(size, None)]


# ---------------------------------------------------------------- errors


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("0 1\n1\n", 2, 2, "the line ends after 1 column; expected 2: source, target."),
        ("0 1\n\n# x\n1 2 3\n", 4, 5, "'3' is one column too many; expected 2 columns: source, target."),
        ("0 1 2\n1 2 x\n", 2, 5, "the weight is 'x'; expected a number."),
        ("0,1\n1 2\n", 2, 4, "the line ends after 1 column"),
        ("0,1,2\n1,2,\n", 2, 5, "the weight is empty; expected a number. Fill it, or leave the line out."),
        ('a b\nb "c\n', 2, 3, "the quoted target '\"c' does not end on its line"),
        ("0\n1\n", 1, None, "the line has 1 column; expected at least two"),
        ("%%MatrixMarket matrix coordinate\n", 1, None, "this is a Matrix Market file"),
        ("0 1 9007199254740993\n1 2 0.5\n", 1, 5, "no dtype holds both exactly"),
    ],
)
def test_errors(text: str, line: int, column: int | None, says: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert says in caught.value.problem
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"<bytes>, line {line}")


def test_binary_garbage_is_refused() -> None:
    rng = np.random.default_rng(0)
    for size in (1, 10, 1000, 100_000):
        data = rng.integers(0, 256, size).astype(np.uint8).tobytes()
        with pytest.raises(FormatError):
            read(data)
        assert sniff(data) == Match.NO


# ---------------------------------------------------------------- detection


@pytest.mark.parametrize("data", [SNAP, KONECT, BIPARTITE, HEADER, WEIGHTED, NAMES, QUOTED, b"# x\n", b"5\n1 2\n"])
def test_edge_lists_are_recognised(data: bytes) -> None:
    assert sniff(data) == Match.MAYBE
    assert registry.detect(data, "", "x").name == "edge-list"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"  ",
        b"\0\0\0\0",
        b'{"nodes": []}',
        b"<graphml>",
        b"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 5\n",
        b"AdjacencyGraph\n3\n4\n",
        b"It was a dark and stormy night;\nthe rain fell\nin torrents.\n",
        b"\xff\xfe1 2\n",
    ],
)
def test_other_files_are_not(data: bytes) -> None:
    assert sniff(data) == Match.NO


def test_a_cut_head_is_enough() -> None:
    assert sniff((b"123456 654321\n" * 10_000)[: 1 << 16]) == Match.MAYBE


# ---------------------------------------------------------------- real files, damaged files


@pytest.mark.parametrize(
    ("name", "vertices", "count", "loops"),
    [
        ("snap/soc-Slashdot0902.txt.gz", 82_168, 948_464, 78_303),
        ("snap/web-NotreDame.txt.gz", 325_729, 1_497_134, None),
        ("snap/soc-Epinions1.txt.gz", 75_879, 508_837, None),
        ("snap/wiki-Vote.txt.gz", 7_115, 103_689, None),
        ("snap/facebook_combined.txt.gz", 4_039, 88_234, None),
        ("snap/email-Enron.txt.gz", 36_692, 367_662, None),
        ("snap/p2p-Gnutella31.txt.gz", 62_586, 147_892, None),
        ("roads/luxembourg_osm.mtx.gz", 114_599, 119_666, None),
        ("edgelists/comments.edgelist", 10, 20, 0),
        ("edgelists/example.edgelist", 10, 20, 0),
        ("edgelists/spaceseparated.edgelist", 10, 20, 0),
        ("edgelists/spaceseparated_weighted.edgelist", 3, 3, 0),
        ("edgelists/foodweb-baydry.konect", 128, 2_137, None),
        ("gapbs/4.el", 14, 256, None),
        ("gapbs/4.wel", 14, 256, None),
    ],
)
def test_real_graphs(shared_data: Path, name: str, vertices: int, count: int, loops: int | None) -> None:
    graph = clew.read(shared_data / name)
    assert graph.num_vertices == vertices
    assert graph.num_edges == count
    assert loops is None or graph.num_loops == loops
    assert graph.weighted == ("weighted" in name or "konect" in name or ".wel" in name)


def test_real_graphs_mean_what_they_say(shared_data: Path) -> None:
    enron = clew.read(shared_data / "snap/email-Enron.txt.gz")
    assert enron.symmetrized(duplicates="drop").num_edges == 183_831
    votes = clew.read(shared_data / "snap/wiki-Vote.txt.gz")
    assert votes.neighbors(30)[:2] == [1412, 3352] or 1412 in votes.neighbors(30)
    web = clew.read(shared_data / "edgelists/foodweb-baydry.konect")
    assert web.directed
    assert web.weights is not None
    assert web.weights[0] == 1.261404


def test_damaged_files() -> None:
    fuzz([SNAP, KONECT, BIPARTITE, HEADER, WEIGHTED, NAMES, QUOTED], "edge-list")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"ann,bob,1\nbob,cy\n", "line 2, column 7: the line ends after 2 columns; expected 3"),
        (b"ann,bob\nbob,cy,5\n", "line 2, column 7: '5' is one column too many; expected 2 columns"),
        (b"ann,bob\nb\xe9,cy\n", "line 2, column 1: the name 'b\\\\xe9' is not valid UTF-8"),
        (b"ann\nbob\n", "line 1: the line has 1 column"),
        (b"a,b\n" * 10_000 + b"c\n" + b"a,b\n" * 10_000, "line 10001, column 2: the line ends after 1 column"),
    ],
)
def test_what_the_suffix_promises_is_held_against_the_content(tmp_path: Path, text: bytes, says: str) -> None:
    path = tmp_path / "edges.csv"
    path.write_bytes(text)
    with pytest.raises(FormatError) as caught:
        clew.read(path)
    assert str(caught.value).startswith(f"{path}, {says}")


def test_whoever_names_a_delimiter_means_an_edge_list(tmp_path: Path) -> None:
    path = tmp_path / "edges"
    path.write_text("ann:bob\nbob:cy\n")
    assert clew.read(path, delimiter=":").num_edges == 2


def test_an_open_file_is_no_path(tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text("0,1\n")
    with path.open() as file, pytest.raises(FormatError, match=r"an object of type TextIOWrapper; expected a path or"):
        clew.read(file)
