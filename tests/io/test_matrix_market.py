from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import clew
from clew import transform
from clew.io import registry
from clew.io.matrix_market import sniff
from clew.io.source import Match
from tests.io.fuzzing import fuzz
from tests.io.graphs import graphs, prefixes, refused, small, stored
from tests.io.matrices import by_scipy, dense

FORMAT = "matrix-market"


def mtx(kind: str, *lines: str) -> bytes:
    return "\n".join([f"%%MatrixMarket matrix {kind}", *lines, ""]).encode()


def read(data: bytes, **options: Any) -> clew.Graph:
    return clew.read(data, format=FORMAT, **options)


# ---------------------------------------------------------------------- against SciPy


@st.composite
def matrices(draw: st.DrawFn) -> bytes:
    """A matrix as SciPy writes it: coordinate or array, any field, any symmetry, square or not."""
    dtype = draw(st.sampled_from(["int64", "uint64", "float64", "float32"]))
    symmetry = draw(st.sampled_from(["general", "symmetric", *([] if dtype == "uint64" else ["skew-symmetric"])]))
    rows = draw(st.integers(1, 6))
    columns = draw(st.integers(1, 6)) if symmetry == "general" else rows
    values: Any = st.integers(0 if dtype == "uint64" else -99, 99)
    if dtype.startswith("float"):
        values = st.floats(width=32, allow_nan=False) | st.just(0.0)
    matrix = draw(hnp.arrays(dtype, (rows, columns), elements=values))
    if symmetry != "general":
        lower = np.tril(matrix, -1)
        matrix = lower + np.tril(matrix, 0).T if symmetry == "symmetric" else lower - lower.T
    file = io.BytesIO()
    field = "pattern" if draw(st.booleans()) and symmetry != "skew-symmetric" else None
    array = field is None and draw(st.booleans())
    scipy.io.mmwrite(file, matrix if array else scipy.sparse.coo_array(matrix), field=field, symmetry=symmetry)
    return file.getvalue()


@settings(max_examples=120, deadline=None)
@given(matrices())
def test_reads_what_scipy_reads(data: bytes) -> None:
    graph = read(data)
    assert np.array_equal(dense(graph), by_scipy(data))
    assert graph.directed == (b" symmetric" not in data)
    assert graph.weighted == (b"pattern" not in data)


@settings(max_examples=40, deadline=None)
@given(graphs(named=False, weight_dtypes=["int64", "float64"]))
def test_scipy_reads_what_is_written(graph: clew.Graph) -> None:
    found = scipy.io.mmread(io.BytesIO(stored(graph, ".mtx")))
    source, target, weights = transform.edges(graph.outgoing, once=False)
    expected = (source, target, np.ones(source.size) if weights is None else weights)
    order, other = np.lexsort(expected[::-1]), np.lexsort((found.data, found.col, found.row))
    for one, another in zip(expected, (found.row, found.col, found.data), strict=True):
        assert np.array_equal(one[order], another[other], equal_nan=one.dtype.kind == "f")


# ---------------------------------------------------------------------- round trips


@settings(max_examples=80, deadline=None)
@given(graphs(named=False))
def test_round_trip(graph: clew.Graph) -> None:
    again = clew.read(stored(graph, ".mtx"))
    assert again == graph
    assert again.report.given == graph.num_edges
    assert not again.metadata


@pytest.mark.quick
def test_what_is_written() -> None:
    assert stored(small(directed=False, weights=None), ".mtx") == mtx(
        "coordinate pattern symmetric", "6 6 5", "2 1", "2 1", "3 2", "3 3", "5 4"
    )
    weights = np.array([0.5, -1, np.inf, np.nan, 1e300])
    assert stored(small(weights=weights), ".mm") == mtx(
        "coordinate real general", "%%GraphBLAS type double", "6 6 5",
        "1 2 0.5", "1 2 -1.0", "2 3 inf", "3 3 nan", "4 5 1e+300",
    )  # fmt: skip
    assert stored(small(weights=np.array([1, 0, 1, 1, 0], dtype=bool)), ".mtx").startswith(
        mtx("coordinate integer general", "%%GraphBLAS type bool", "6 6 5", "1 2 1", "1 2 0")
    )
    assert stored(clew.Graph.from_edges([], []), ".mtx") == mtx("coordinate pattern general", "0 0 0")


def test_compressed_and_by_suffix(tmp_path: Path) -> None:
    path = tmp_path / "graph.mtx.gz"
    clew.write(small(), path)
    assert gzip.decompress(path.read_bytes()).startswith(b"%%MatrixMarket")
    assert clew.read(path) == small()


def test_bipartite_round_trip() -> None:
    data = mtx("coordinate integer general", "%%GraphBLAS type int64_t", "2 3 3", "1 1 5", "1 3 6", "2 2 7")
    graph = read(data)
    assert graph.metadata == {"bipartite": [2, 3]}
    source, target, weights = graph.edges()
    assert (source.tolist(), target.tolist(), weights.tolist()) == ([0, 0, 1], [2, 4, 3], [5, 6, 7])
    assert stored(graph, ".mtx") == data
    assert not read(data, directed=False).directed
    turned = clew.Graph(graph.reversed().outgoing, metadata=graph.metadata)  # edges lead from columns to rows
    assert b"\n5 5 3\n" in stored(turned, ".mtx")
    even = clew.Graph.from_edges([0, 1], [2, 3], metadata={"bipartite": [2, 2]})  # 2 × 2 would be two vertices
    assert b"\n4 4 2\n" in stored(even, ".mtx")
    odd = clew.Graph.from_edges([0, 1], [2, 3], metadata={"bipartite": "both"})
    assert clew.read(stored(odd, ".mtx")) == odd


# ---------------------------------------------------------------------- how it may look


@pytest.mark.parametrize(
    "data",
    [
        b"%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 7\n3 1 8",
        b"%%matrixmarket MATRIX Coordinate INTEGER General\r\n3 3 2\r\n1 2 7\r\n3 1 8\r\n",
        b"\n  %%MatrixMarket\tmatrix  coordinate integer general  \n\n%\n%%\n% a\n 3\t3 2 \n\n1 2 7\n% b\n 3 1 +8 \n\n",
        b"%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 7.0\n3 1 8\n",
        b"%%MatrixMarket matrix coordinate integer general\r%%GraphBLAS type int64_t\r003 +3 2\r1 2 7\r3 1 8\r",
        b"%%MatrixMarket matrix coordinate integer general\n%%GraphBLAS types\n%%GraphBLAS\n3 3 2\n1 2 7\n3 1 8\n",
        b"%%MatrixMarket matrix coordinate real general\n%%graphblas TYPE INT64_T\n3 3 2\n1 2 7\n3 1 8e0\n",
        b"%%MatrixMarket matrix array integer general\n3 3\n0\n0\n8\n% second column\n7\n0\n0\n\n0\n0\n0\n",
        gzip.compress(b"%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 7\n3 1 8", mtime=0),
    ],
)
def test_one_graph_in_many_guises(data: bytes) -> None:
    expected = clew.Graph.from_edges([0, 2], [1, 0], [7, 8], 3)
    assert read(data) == expected
    assert clew.read(data) == expected
    assert read(data).weights.dtype == np.int64


def test_array() -> None:
    assert dense(read(mtx("array real general", "2 3", "1", "2", "0", "4", "nan", "-0.0"))).tolist()[0][:2] == [1, 0]
    assert read(mtx("array real general", "2 3", "1", "2", "0", "4", "nan", "-0.0")).num_edges == 4
    lower = read(mtx("array integer symmetric", "3 3", "1", "2", "3", "4", "0", "6"))
    assert dense(lower).tolist() == [[1, 2, 3], [2, 4, 0], [3, 0, 6]]
    assert not lower.directed
    skew = read(mtx("array integer skew-symmetric", "3 3", "2", "3", "0"))
    assert dense(skew).tolist() == [[0, -2, -3], [2, 0, 0], [3, 0, 0]]
    assert read(mtx("array integer symmetric", "0 0")).num_vertices == 0
    assert read(mtx("array integer general", "0 2")).num_vertices == 2
    assert not read(mtx("array real general", "1 1", "0.5"), weights=False).weighted


def test_symmetric_entries_of_either_triangle() -> None:
    graph = read(mtx("coordinate integer symmetric", "3 3 3", "2 1 5", "1 2 5", "3 3 1"))
    assert (graph.num_edges, graph.num_loops, graph.directed) == (3, 1, False)
    assert read(mtx("coordinate integer symmetric", "3 3 2", "2 1 5", "1 2 5"), duplicates="sum").edges()[2] == [10]


def test_skew_symmetric() -> None:
    data = mtx("coordinate real skew-symmetric", "3 3 2", "2 1 0.5", "2 3 -4")
    graph = read(data)
    assert graph.directed
    assert dense(graph).tolist() == [[0, -0.5, 0], [0.5, 0, -4], [0, 4, 0]]
    assert graph == clew.Graph.from_edges([1, 0, 1, 2], [0, 1, 2, 1], [0.5, -0.5, -4, 4])
    once = read(data, directed=False)
    assert dense(once).tolist() == [[0, 0.5, 0], [0.5, 0, -4], [0, -4, 0]]
    assert read(data, weights=False).num_edges == 4
    low = mtx("coordinate integer skew-symmetric", "%%GraphBLAS type int8_t", "2 2 1", "2 1 -128")
    assert "int8 cannot hold its negative" in refused(low, FORMAT)
    assert dense(read(low, weight_dtype="int16")).tolist() == [[0, 128], [-128, 0]]


def test_dtypes() -> None:
    data = mtx("coordinate integer general", "2 2 2", "1 1 3", "2 2 4")
    for dtype in ("bool", "int8", "uint64", "float32", "float64"):
        if dtype == "bool":
            assert "line 3, column 5: the value is '3'" in refused(data, FORMAT, weight_dtype=dtype)
        else:
            assert read(data, weight_dtype=dtype).weights.dtype == dtype
    big = mtx("coordinate unsigned-integer general", "1 1 1", f"1 1 {2**64 - 1}")
    assert read(big).weights.tolist() == [2**64 - 1]
    assert read(mtx("coordinate double general", "1 1 1", "1 1 3")).weights.dtype == np.float64
    assert read(mtx("coordinate pattern general", "%%GraphBLAS type int32_t", "1 1 1", "1 1")).weights is None


def test_directions() -> None:
    symmetric = mtx("coordinate integer symmetric", "3 3 3", "2 1 5", "3 2 6", "3 3 7")
    both = read(symmetric, directed=True)
    assert both == clew.Graph.from_edges([1, 0, 2, 1, 2], [0, 1, 1, 2, 2], [5, 5, 6, 6, 7])
    assert both.directed
    general = mtx("coordinate integer general", "3 3 3", "2 1 5", "3 2 6", "3 3 7")
    assert read(general, directed=False) == read(symmetric)


def test_weights_duplicates_and_loops() -> None:
    data = mtx("coordinate integer general", "2 2 3", "1 2 1", "1 2 2", "2 2 9")
    assert not read(data, weights=False).weighted
    refused(mtx("coordinate pattern general", "1 1 0"), FORMAT, "weights=True", weights=True)
    merged = read(data, duplicates="max", loops="drop")
    assert merged == clew.Graph.from_edges([0], [1], [2], 2)
    assert (merged.report.given, merged.report.loops_dropped, merged.report.duplicates_merged) == (3, 1, 1)


def test_isolated_vertices_are_believed() -> None:
    graph = read(mtx("coordinate pattern general", "1000000 1000000 1", "1000000 1"))
    assert (graph.num_vertices, graph.num_edges) == (10**6, 1)


def test_mapped_ids() -> None:
    huge = mtx("coordinate pattern symmetric", f"{10**12} {10**12} 2", f"{10**12} 7", "7 2")
    graph = read(huge, ids="map")
    assert graph.names is not None
    assert graph.names.array.to_pylist() == [2, 7, 10**12]
    assert graph.neighbors(7) == [2, 10**12]
    wide = read(mtx("array integer general", "2 3", "1", "0", "0", "0", "0", "1"), ids="map")
    assert wide.to_arrow().to_pydict() == {"source": [1, 2], "target": [3, 5], "weight": [1, 1]}
    assert not wide.metadata


def test_progress() -> None:
    seen: list[tuple[int, int | None]] = []
    data = mtx("coordinate pattern general", "2 2 1", "1 2")
    read(data, progress=lambda *step: seen.append(step))
    assert seen[-1] == (len(data), len(data))


# ---------------------------------------------------------------------- refusals

GENERAL = "%%MatrixMarket matrix coordinate integer general\n"
BAD = [
    ("", None, None, "the file is empty; expected the banner"),
    ("\n \n", None, None, "the file is empty; expected the banner"),
    ("%%MatrixMarketmatrix coordinate\n", 1, 1, "expected the banner"),
    ("\n1 2\n", 2, 1, "the first line is '1 2'; expected the banner"),
    ("%%MatrixMarket\n", 1, 15, "the object of the banner is missing; expected matrix"),
    ("%%MatrixMarket vector coordinate real general\n", 1, 16, "the object of the banner is 'vector'"),
    ("%%MatrixMarket matrix coordinate complex general\n", 1, 34, "complex numbers cannot be the weights of a graph"),
    ("%%MatrixMarket matrix coordinate real\n", 1, 38, "the symmetry of the banner is missing; expected general,"),
    ("%%MatrixMarket matrix array pattern general\n1 1\n1\n", 1, 29, "has no values, so it cannot be 'array'"),
    ("%%MatrixMarket matrix coordinate pattern skew-symmetric\n", 1, 34, "it cannot be 'skew-symmetric'"),
    (GENERAL + "%%GraphBLAS type\n1 1 1\n", 2, 17, "the type of the values is ''; expected one of bool,"),
    (GENERAL + "%%GraphBLAS type int128_t\n", 2, 18, "'int128_t'; expected one of bool,"),
    (GENERAL + "% nothing more", 2, None, "the file ends before its size line"),
    (GENERAL, 1, None, "the file ends before its size line"),
    (GENERAL + "3 3\n", 2, 4, "'3 3'; expected the numbers of rows, columns, entries"),
    (GENERAL + "3 3 1 1\n", 2, 7, "'3 3 1 1'; expected the numbers of rows, columns, entries"),
    ("%%MatrixMarket matrix array integer general\n3 3 9\n", 2, 5, "expected the numbers of rows, columns."),
    (GENERAL + "3 x 1\n", 2, 3, "the number of columns is 'x'; expected an integer of 0 or more"),
    (GENERAL + "3 3 -1\n", 2, 5, "the number of entries is '-1'; expected an integer of 0 or more"),
    (GENERAL + "2.0 3 1\n", 2, 1, "the number of rows is '2.0'"),
    (GENERAL + f"3 {2**63} 1\n", 2, 3, "'9223372036854775808'; expected an integer below 2^63"),
    (GENERAL + f"{2**64 - 1} 3 1\n", 2, 1, "expected an integer below 2^63"),
    (GENERAL + f"3 3 {'9' * 5000}\n", 2, 5, "expected an integer below 2^63"),
    (GENERAL + f"{2**62} {2**62 + 1} 0\n", 2, 21, "expected less than 2^63 with the rows"),
    (GENERAL + "3 3 2\n1 1 1\n", 2, 5, "promises 2 entries, but there are 1; is the file cut short?"),
    (GENERAL + f"3 3 {2**63 - 1}\n1 1 1\n", 2, 5, "promises 9,223,372,036,854,775,807 entries, but there are 1"),
    (GENERAL + "3 3 1\n\n1 1 1\n% c\n  2 2 2\n3 3 3\n", 6, 3, "promises 1 entries, but there are 3; this"),
    (GENERAL + "1000000000000 1000000000000 1\n1 1 1\n", 2, 1, "1,000,000,000,000 vertices, but the file has 1 edge"),
    (GENERAL + "2 2 1\n0 1 1\n", 3, 1, "the row is '0'; expected an integer from 1 to 2"),
    (GENERAL + "2 2 1\n1  3 1\n", 3, 4, "the column is '3'; expected an integer from 1 to 2"),
    (GENERAL + "2 2 1\n1 -1 1\n", 3, 3, "the column is '-1'"),
    (GENERAL + "2 2 1\n1 2\n", 3, 4, "the line ends after 2 columns; expected 3: row, column, value"),
    (GENERAL + "2 2 1\n1 2 3 4\n", 3, 7, "'4' is one column too many"),
    (GENERAL + "2 2 1\n1 2 3.5\n", 3, 5, "the value is '3.5'; expected an integer, since its dtype is int64"),
    (GENERAL + "2 2 1\n1 2 inf\n", 3, 5, "the value is 'inf'"),
    (GENERAL + f"2 2 1\n1 2 {2**63}\n", 3, 5, "which does not fit its dtype, int64"),
    ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1,5\n", 3, 5, "the value is '1,5'; expected a number"),
    ("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2 1\n", 3, 5, "'1' is one column too many"),
    ("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 2 1\n", 2, 3, "symmetric but has 2 rows and 3 columns"),
    ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", 2, 3, "promises 4 entries, but there are 3"),
    ("%%MatrixMarket matrix array real general\n1 2\n1\n2\n3\n", 5, 1, "promises 2 entries, but there are 3"),
    ("%%MatrixMarket matrix array real general\n1 1\n1 2\n", 3, 3, "'2' is one column too many"),
    ("%%MatrixMarket matrix array real general\n4000000000 4000000000\n1\n", 2, 12, "promises 16,000,000,"),
    ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n2 1 1\n 2 2 0\n", 4, 2, "on the diagonal"),
    (
        "%%MatrixMarket matrix coordinate integer skew-symmetric\n%%GraphBLAS type int16_t\n2 2 2\n2 1 5\n1 2 -32768\n",
        5, 5, "the value is -32768; the matrix is skew-symmetric, and int16 cannot hold its negative",
    ),
    (
        f"%%MatrixMarket matrix array integer skew-symmetric\n2 2\n{-(2**63)}\n",
        3, 1, "int64 cannot hold its negative",
    ),
    (
        "%%MatrixMarket matrix coordinate integer skew-symmetric\n%%GraphBLAS type uint8_t\n2 2 1\n2 1 5\n",
        4, 5, "half of its values are negative, but their dtype is uint8",
    ),
]  # fmt: skip


@pytest.mark.quick
@pytest.mark.parametrize(("text", "line", "column", "words"), BAD, ids=range(len(BAD)))
def test_bad_files_are_refused_with_their_place(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(clew.FormatError) as caught:
        read(text.encode())
    assert words in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_cut_short_anywhere() -> None:
    for data in (stored(small(), ".mtx"), mtx("array integer general", "2 2", "10", "20", "30", "40")):
        for part in prefixes(data[:-2]):  # the last number cut short is another number
            refused(part, FORMAT)


def test_sniff() -> None:
    assert sniff(b"%%MatrixMarket matrix") == Match.SURE
    assert sniff(b"\n%%matrixmarket\tmatrix") == Match.SURE
    assert sniff(b"%%MatrixMarketing") == Match.NO
    assert sniff(b"% 1 2\n1 2\n") == Match.NO
    assert sniff(b"% 1 2\n3 3 1\n1 2\n") == Match.MAYBE
    assert registry.named(FORMAT).suffixes == (".mtx", ".mm")


def test_fuzz() -> None:
    files = [
        stored(small(weights=weights, directed=directed), ".mtx")
        for directed in (True, False)
        for weights in (None, (3, 1, 2, 5, 4), np.array([0.5, -1e-7, np.inf, np.nan, 2]), np.ones(5, dtype=np.uint8))
    ]
    files += [
        mtx("coordinate integer skew-symmetric", "%%GraphBLAS type int16_t", "3 3 2", "2 1 5", "3 1 -6"),
        mtx("coordinate real general", "% not square", "2 3 2", "1 3 0.25", "2 1 1e3"),
        mtx("array real general", "3 2", "1", "0", "2.5", "0", "-3", "1e-5"),
        mtx("array integer symmetric", "3 3", "1", "2", "3", "4", "5", "6"),
        mtx("array integer skew-symmetric", "3 3", "1", "2", "3"),
    ]
    fuzz(files, FORMAT)


# ---------------------------------------------------------------- without a banner


@pytest.mark.parametrize(
    ("text", "shape", "weights"),
    [
        ("3 3 2\n1 2 5.5\n2 3 -6\n", (3, 2), [5.5, -6.0]),
        ("% a comment\n\n 3\t3 2 \n% another\n1 2 5\n2 3 6\n", (3, 2), [5.0, 6.0]),
        ("%%GraphBLAS type int8_t\n3 3 2\n1 2 5\n2 3 6\n", (3, 2), [5, 6]),
        ("3 3 2\n1 2\n2 3\n", (3, 2), None),
        ("2 3 1\n1 3 7\n", (5, 1), [7.0]),
        ("4 4 0\n", (4, 0), []),
    ],
)
def test_a_size_line_without_a_banner(tmp_path: Path, text: str, shape: tuple[int, int], weights: Any) -> None:
    path = tmp_path / "graph.mtx"
    path.write_text(text)
    graph = clew.read(path)
    assert (graph.num_vertices, graph.num_edges, graph.directed) == (*shape, True)
    assert weights == (None if graph.weights is None else graph.weights.tolist())
    (decision,) = graph.report.decisions
    assert "no '%%MatrixMarket' banner" in decision
    assert "format='edge-list'" in decision
    assert clew.read(path, format=FORMAT) == graph


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("1 2 5\n3 4 6\n", 2, "the row is '3'; expected an integer from 1 to 1"),
        ("9 9 5\n3 4 6\n", 1, "the header promises 5 entries, but there are 1"),
        ("9 9 1\n3 4 6\n4 5 6\n", 3, "the header promises 1 entries, but there are 2"),
    ],
)
def test_weighted_edges_are_no_matrix(tmp_path: Path, text: str, line: int, says: str) -> None:
    path = tmp_path / "graph.mtx"
    path.write_text(text)
    with pytest.raises(clew.FormatError, match=says) as caught:
        clew.read(path)
    assert caught.value.line == line
    assert "pass format='edge-list'" in str(caught.value)
    assert clew.read(path, format="edge-list").num_edges == text.count("\n")


def test_pairs_without_a_banner_are_edges(tmp_path: Path) -> None:
    path = tmp_path / "graph.mtx"
    path.write_text("% no banner\n2 1\n3 1\n3 2\n")
    graph = clew.read(path)
    assert (graph.num_vertices, graph.num_edges) == (3, 3)
    assert any(
        "'.mtx' stands for Matrix Market, but the content was read as edge-list" in one
        for one in graph.report.decisions
    )


def test_lagraphs_file_without_a_banner(tmp_path: Path, shared_data: Path) -> None:
    """LAGraph has west0067 without its first line as well, and reads 67 rows and 294 entries."""
    lines = (shared_data / "lagraph" / "west0067.mtx").read_text().splitlines()
    path = tmp_path / "west0067_noheader.mtx"
    path.write_text("\n".join(line for line in lines if not line.startswith("%")) + "\n")
    graph = clew.read(path)
    assert (graph.num_vertices, graph.num_edges) == (67, 294)
    assert graph == clew.read(shared_data / "lagraph" / "west0067.mtx")
