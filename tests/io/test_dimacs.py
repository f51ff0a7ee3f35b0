from __future__ import annotations

import gzip
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.io.dimacs import read_coordinates, sniff_graph, sniff_paths, write_coordinates
from clew.io.source import Match
from tests.io.fuzzing import fuzz
from tests.io.graphs import graphs, prefixes, refused, small, stored

GR = b"c a comment\np sp 4 5\na 1 2 7\nc another\na 2 1 7\na 1 3 0\na 3 3 12\na 1 2 5\n"
COL = b"c a comment\np edge 5 4\ne 1 2\ne 3 2\ne 4 4\ne 1 2\n"
CO = b"c where they are\np aux sp co 4\nv 2 -73000000 41000000\nv 1 10 20\nv 3 -1 0\nc\nv 4 5 -5\n"
PLACES = [[10, 20], [-73000000, 41000000], [-1, 0], [5, -5]]


def paths(data: bytes, **options: Any) -> clew.Graph:
    return clew.read(data, format="dimacs", **options)


def coloring(data: bytes, **options: Any) -> clew.Graph:
    return clew.read(data, format="dimacs-col", **options)


# ---------------------------------------------------------------------- real files


def by_hand(text: bytes, num_vertices: int) -> clew.Graph:
    lines = [line.split() for line in text.decode().splitlines() if line.startswith("a ")]
    source, target, weights = np.array(lines)[:, 1:].astype(np.int64).T
    return clew.Graph.from_edges(source - 1, target - 1, weights, num_vertices)


def test_gap(shared_data: Path) -> None:
    path = shared_data / "gapbs" / "4.gr"
    graph = clew.read(path)
    assert (graph.num_vertices, graph.num_edges, graph.directed) == (14, 256, True)
    assert graph == by_hand(path.read_bytes(), 14)


def test_rome(shared_data: Path) -> None:
    path = shared_data / "roads" / "rome99.gr.gz"
    graph = clew.read(path)
    assert (graph.num_vertices, graph.num_edges, graph.directed) == (3353, 8870, True)
    assert graph == by_hand(gzip.decompress(path.read_bytes()), 3353)
    with pytest.raises(clew.FormatError, match="one way only"):
        clew.read(path, directed=False)


def test_los_angeles(shared_data: Path) -> None:
    path = shared_data / "roads" / "road-losangeles-lcc.gr.gz"
    graph = clew.read(path)
    assert (graph.num_vertices, graph.num_edges, graph.directed) == (431_273, 982_318, True)
    assert graph.weights is not None
    row = slice(graph.indptr[0], graph.indptr[1])
    assert graph.indices[row].tolist() == [302, 124931, 137162]
    assert graph.weights[row].tolist() == [477, 940, 995]
    both = clew.read(path, directed=False)
    assert (both.num_edges, both.directed) == (491_159, False)
    assert np.array_equal(both.indices, graph.indices)


# ---------------------------------------------------------------------- shortest paths


@pytest.mark.parametrize(
    "data",
    [
        GR,
        GR.replace(b"\n", b"\r\n"),
        GR.replace(b"\n", b"\r").rstrip(),
        b"\n\nc\ncomment\n  p\tsp  4 5  \n\n" + GR[GR.index(b"a 1 2") :].replace(b" ", b"\t ") + b"\nc the end",
        gzip.compress(GR, mtime=0),
    ],
)
def test_paths(data: bytes) -> None:
    expected = clew.Graph.from_edges([0, 1, 0, 2, 0], [1, 0, 2, 2, 1], [7, 7, 0, 12, 5], 4)
    assert paths(data) == expected
    assert clew.read(data) == expected
    assert paths(data).weights.dtype == np.int64


def test_weights() -> None:
    assert paths(b"p sp 2 2\na 1 2 -3\na 2 1 4.5\n").weights.tolist() == [-3, 4.5]
    assert not paths(GR, weights=False).weighted
    assert paths(GR, weight_dtype="uint8").weights.dtype == np.uint8
    refused(GR, "dimacs", "line 3, column 7: the weight is '7', which does not fit its dtype", weight_dtype="bool")
    merged = paths(GR, duplicates="min", loops="drop")
    assert merged == clew.Graph.from_edges([0, 1, 0], [1, 0, 2], [5, 7, 0], 4)


def test_undirected_paths_need_both_arcs() -> None:
    data = b"p sp 3 5\na 1 2 7\na 2 1 7\na 2 3 1\na 3 2 1\na 3 3 9\n"
    graph = paths(data, directed=False)
    assert graph == clew.Graph.from_edges([0, 1, 2], [1, 2, 2], [7, 1, 9], directed=False)
    assert stored(graph, ".gr", format="dimacs") == b"p sp 3 5\na 1 2 7\na 2 1 7\na 2 3 1\na 3 2 1\na 3 3 9\n"
    refused(data.replace(b"a 2 1 7", b"a 2 1 8"), "dimacs", "different weights", directed=False)


@settings(max_examples=40, deadline=None)
@given(graphs(named=False, weight_dtypes=["int64", "float64"]))
def test_round_trip(graph: clew.Graph) -> None:
    again = paths(stored(graph, ".gr", format="dimacs"), directed=graph.directed)
    if graph.weights is None:
        assert again.weights is None or (again.weights == 1).all()
        again = again.with_weights(None)
    elif graph.num_edges == 0:  # nothing tells what type the weights were
        again = again.with_weights(graph.weights)
    assert again == graph


# ---------------------------------------------------------------------- coordinates


@pytest.mark.parametrize(
    ("graph", "beside"),
    [("X.gr", "X.co"), ("X.gr", "X.co.gz"), ("X.gr.gz", "X.co"), ("a.b.GR.gz", "a.b.co.gz")],
)
def test_coordinates_beside_a_graph(tmp_path: Path, graph: str, beside: str) -> None:
    for name, data in ((graph, GR), (beside, CO)):
        (tmp_path / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
    read = clew.read(tmp_path / graph)
    assert read.metadata["coordinates"].tolist() == PLACES
    assert read.metadata["coordinates"].dtype == np.int64
    assert read == paths(GR)
    assert read_coordinates(tmp_path / beside).tolist() == PLACES


def test_only_a_graph_of_that_name_has_coordinates(tmp_path: Path) -> None:
    (tmp_path / "X.txt").write_bytes(GR)
    (tmp_path / "Y.gr").write_bytes(GR)
    (tmp_path / "X.co").write_bytes(CO)
    assert "coordinates" not in clew.read(tmp_path / "X.txt").metadata
    assert "coordinates" not in clew.read(tmp_path / "Y.gr").metadata
    assert "coordinates" not in clew.read(GR).metadata


def test_a_broken_file_of_coordinates_is_named(tmp_path: Path) -> None:
    (tmp_path / "X.gr").write_bytes(GR)
    beside = tmp_path / "X.co"
    for data, line, column, words in (
        (CO.replace(b"-1 0", b"-1 zero"), 5, 8, "the y is 'zero'; expected a number"),
        (CO.replace(b"co 4", b"co 5"), 2, 13, "promises 5 vertices, but there are 4; is the file cut short?"),
        (b"p aux sp co 1\nv 1 1 1\n", None, None, "coordinates of 1 vertex, but"),
        (b"\x00\x01", 1, 1, "no problem line came before; expected 'p aux sp co VERTICES'"),
    ):
        beside.write_bytes(data)
        with pytest.raises(clew.FormatError) as caught:
            clew.read(tmp_path / "X.gr")
        assert words in str(caught.value)
        assert (caught.value.path, caught.value.line, caught.value.column) == (str(beside), line, column)


def test_fractions_among_coordinates() -> None:
    assert read_coordinates(b"p aux sp co 2\nv 1 1.5 2\nv 2 -1 3\n").tolist() == [[1.5, 2.0], [-1.0, 3.0]]
    assert read_coordinates(b"p aux sp co 0\n").shape == (0, 2)


@given(st.lists(st.tuples(*[st.integers(-(2**62), 2**62)] * 2)), st.sampled_from(["int64", "float64"]))
@settings(max_examples=30, deadline=None)
def test_coordinates_round_trip(places: list[tuple[int, int]], dtype: str) -> None:
    array = np.array(places, dtype=dtype).reshape(len(places), 2)
    with tempfile.TemporaryDirectory() as folder:
        write_coordinates(array, Path(folder) / "x.co")
        assert np.array_equal(read_coordinates(Path(folder) / "x.co"), array)


def test_bad_coordinates_are_not_written(tmp_path: Path) -> None:
    for bad in ([1, 2], [[1, 2, 3]], [["a", "b"]]):
        with pytest.raises(clew.GraphError, match="two numbers for every vertex"):
            write_coordinates(bad, tmp_path / "x.co")


# ---------------------------------------------------------------------- graphs to colour


def test_coloring() -> None:
    graph = coloring(COL)
    assert graph == clew.Graph.from_edges([0, 2, 3, 0], [1, 1, 3, 1], num_vertices=5, directed=False)
    assert clew.read(COL) == graph
    for word in (b"p col", b"p edges", b"p  edge"):
        assert clew.read(COL.replace(b"p edge", word)) == graph
    once = coloring(COL, duplicates="drop", loops="drop")
    assert (once.num_edges, once.report.duplicates_merged, once.report.loops_dropped) == (2, 1, 1)
    arcs = coloring(COL, directed=True)
    assert (arcs.directed, arcs.num_edges) == (True, 7)
    assert coloring(COL, ids="map") == graph
    refused(COL, "dimacs-col", "weights=True", weights=True)


def test_counts_of_edges() -> None:
    graph = coloring(COL)
    assert coloring(COL.replace(b"5 4", b"5 8")) == graph  # counted twice, listed once
    assert coloring(COL.replace(b"5 4", b"5 2")) == graph  # counted once, listed twice
    assert "promises 3 edges, but there are 4; this is the first" in refused(COL.replace(b"5 4", b"5 3"), "dimacs-col")
    assert "promises 5 edges, but there are 4; is the" in refused(COL.replace(b"5 4", b"5 5"), "dimacs-col")


def test_values_of_vertices() -> None:
    data = b"p edge 3 2\nc weights\nn 3 5\nn 1 -2\ne 1 2\nn 2 8\nd 2 euclidean 1\nv 1 2\nx seed 7\ne 3 2\n"
    graph = coloring(data)
    assert graph.num_edges == 2
    assert graph.metadata["vertex_weights"].tolist() == [-2, 8, 5]
    assert stored(graph, ".col") == b"p edge 3 2\nn 1 -2\nn 2 8\nn 3 5\ne 1 2\ne 2 3\n"
    assert coloring(b"p edge 3 0\nn 2 0.5\n").metadata["vertex_weights"].tolist() == [1, 0.5, 1]
    message = refused(data.replace(b"n 2 8", b"n 3 8"), "dimacs-col")
    assert "line 6, column 3: vertex 3 has a value already" in message
    assert "line 3, column 1: the line starts with 'n'" in refused(b"p edge 2 1\ne 1 2\nn 1 1\n", "dimacs-col")


@settings(max_examples=40, deadline=None)
@given(graphs(named=False, weight_dtypes=["int64"]))
def test_coloring_round_trip(graph: clew.Graph) -> None:
    graph = graph.symmetrized("keep").with_weights(None)
    for suffix in (".col", ".clq"):
        assert clew.read(stored(graph, suffix)) == graph


def test_what_a_col_file_cannot_hold() -> None:
    with pytest.raises(clew.FormatError, match=r"the graph is directed.*graph\.symmetrized\(\)"):
        stored(small(weights=None), ".col")
    with pytest.raises(clew.FormatError, match=r"the graph is weighted.*graph\.with_weights\(None\)"):
        stored(small(directed=False), ".col")


# ---------------------------------------------------------------------- refusals

BAD = [
    ("dimacs", "", None, None, "the file ends before its problem line; expected 'p sp VERTICES ARCS'"),
    ("dimacs", "c\nc only\n", 2, None, "the file ends before its problem line"),
    ("dimacs", "c\n  a 1 2 3\n", 2, 3, "the line starts with 'a', but no problem line came before"),
    ("dimacs", "p\n", 1, 2, "the problem line is 'p'; expected 'p sp VERTICES ARCS'"),
    ("dimacs", "p max 3 4\n", 1, 3, "the problem line is 'p max 3 4'; expected 'p sp VERTICES ARCS'."),
    ("dimacs", "p spx 3 4\n", 1, 3, "expected 'p sp VERTICES ARCS'"),
    ("dimacs", "p edge 3 4\n", 1, 3, "Read it with format='dimacs-col'."),
    ("dimacs-col", "p sp 3 4\n", 1, 3, "expected 'p edge VERTICES EDGES'. Read it with format='dimacs'."),
    ("dimacs", "p aux sp co 4\n", 1, 3, "clew.io.dimacs.read_coordinates"),
    ("dimacs", "p sp 3\n", 1, 7, "expected 'p sp VERTICES ARCS'"),
    ("dimacs", "p sp 3 4 5\n", 1, 10, "expected 'p sp VERTICES ARCS'"),
    ("dimacs", "p sp -3 4\n", 1, 6, "the number of vertices is '-3'; expected an integer of 0 or more"),
    ("dimacs", f"p sp 3 {2**63}\n", 1, 8, "expected an integer below 2^63"),
    ("dimacs", f"p sp {2**40} 0\n", 1, 6, "the header speaks of 1,099,511,627,776 vertices, but the file has 0 edges"),
    ("dimacs-col", f"p col {10**12} 1\ne 1 2\n", 1, 7, "the header speaks of 1,000,000,000,000 vertices"),
    ("dimacs", "p sp 2 2\na 1 2 3\n", 1, 8, "promises 2 arcs, but there are 1; is the file cut short?"),
    ("dimacs", "p sp 2 1\na 1 2 3\nc\n a 2 1 3\n", 4, 4, "promises 1 arcs, but there are 2; this is the first"),
    ("dimacs", "p sp 2 1\na 1 3 3\n", 2, 5, "the target is '3'; expected an integer from 1 to 2"),
    ("dimacs", "p sp 2 1\na 0 2 3\n", 2, 3, "the source is '0'; expected an integer from 1 to 2"),
    ("dimacs", "p sp 2 1\na 1 2\n", 2, 6, "the line ends after 2 columns; expected 3: source, target, weight"),
    ("dimacs", "p sp 2 1\na 1 2 3 4\n", 2, 9, "'4' is one column too many"),
    ("dimacs", "p sp 2 1\na 1 2 x\n", 2, 7, "the weight is 'x'; expected a number"),
    ("dimacs", "p sp 2 1\ne 1 2 3\n", 2, 1, "the line starts with 'e'"),
    ("dimacs", "p sp 2 1\na1 2 3\n", 2, 1, "the line starts with 'a1'"),
    ("dimacs", "p sp 2 0\np sp 2 0\n", 2, 1, "the line starts with 'p'"),
    ("dimacs-col", "p edge 2 1\ne 1 2 3\n", 2, 7, "'3' is one column too many"),
    ("dimacs-col", "p edge 2 1\ne 1 9\n", 2, 5, "the target is '9'; expected an integer from 1 to 2"),
    ("dimacs-col", "p edge 2 1\na 1 2\n", 2, 1, "the line starts with 'a'"),
]


@pytest.mark.parametrize(("name", "text", "line", "column", "words"), BAD, ids=range(len(BAD)))
def test_bad_files_are_refused_with_their_place(name: str, text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(clew.FormatError) as caught:
        clew.read(text.encode(), format=name)
    assert words in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_bad_coordinates() -> None:
    for data, words in (
        (b"p aux sp co 2\nv 1 1 1\nv 1 2 2\n", "line 3, column 3: vertex 1 has coordinates already"),
        (b"p aux sp co 2\nv 1 1 1\nv 3 2 2\n", "line 3, column 3: the vertex is '3'; expected an integer from 1 to 2"),
        (b"p aux sp co 1\nv 1 1\n", "line 2, column 6: the line ends after 2 columns"),
        (b"p aux sp co 99999999999\nv 1 1 1\n", "line 1, column 13: the header promises 99,999,999,999 vertices"),
        (GR, "line 2, column 3: the problem line is 'p sp 4 5'; expected 'p aux sp co VERTICES'"),
    ):
        with pytest.raises(clew.FormatError) as caught:
            read_coordinates(data)
        assert words in str(caught.value)


def test_cut_short_anywhere() -> None:
    for part in prefixes(GR[:-2]):
        refused(part, "dimacs")


def test_sniff() -> None:
    assert sniff_paths(GR) == sniff_paths(CO) == sniff_graph(COL) == Match.SURE
    assert sniff_paths(COL) == sniff_graph(GR) == sniff_graph(CO) == Match.NO
    comments = b"c a long story\n" * 5000
    assert sniff_paths(comments[:65536]) == sniff_graph(comments[:65536]) == Match.MAYBE
    for head in (b"", b"c d\nc e\n", b"c1,c2\n1,2\n", b"p sp", b"psp 1 2", b"p cnf 3 4\n", b"1 2\n"):
        assert sniff_paths(head) == (Match.SURE if head == b"p sp" else Match.NO)
        assert sniff_graph(head) == Match.NO
    with pytest.raises(clew.FormatError, match="read_coordinates"):
        clew.read(CO)


def test_fuzz_paths() -> None:
    both = b"p sp 3 4\na 1 2 7\na 2 1 7\na 2 3 1.5\na 3 2 1e-3\n"
    fuzz([GR, both, stored(small(), ".gr", format="dimacs"), b"p sp 2 0\n"], "dimacs")


def test_fuzz_coloring() -> None:
    valued = b"p edge 3 2\nn 3 5\nn 1 -2\ne 1 2\nx seed 7\ne 3 2\n"
    fuzz([COL, COL.replace(b"5 4", b"5 8"), valued, stored(small(False, None), ".col")], "dimacs-col")
