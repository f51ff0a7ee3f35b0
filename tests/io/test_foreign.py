"""Files that are no edge lists are not read as such: foreign formats are refused by name, own ones by their readers."""

from __future__ import annotations

import pickle
import sqlite3
from pathlib import Path

import pytest

import clew
from clew.io import foreign, registry

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 12345\n"
PAGE = b"<!DOCTYPE html>\n<html>\n<body>404 Not Found</body>\n</html>\n"


def database(folder: Path) -> bytes:
    path = folder / "x.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE edges (source, target)")
    return path.read_bytes()


CONTENT = [
    (POINTER, "a Git LFS pointer", "git lfs pull"),
    (b"/annex/objects/SHA256E-s10--abc.txt\n", "a git-annex pointer", "git annex get"),
    (PAGE, "a web page", "Download it again"),
    (b"\n<html><head></head></html>", "a web page", "Download it again"),
    (b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", "an error message of a server", "Download"),
    (b"%PDF-1.5\n%\xd0\xd4\n1 2\n2 3\n", "a PDF document", ""),
    (b"#!/bin/sh\necho a\n", "a script", ""),
    (pickle.dumps({"a": [1, 2]}), "a Python pickle", ""),
    (b"MATLAB 7.3 MAT-file, Platform: GLNXA64" + bytes(90), "a MATLAB file of version 7.3", "-v7"),
    (b"\x89HDF\r\n\x1a\n" + bytes(90), "an HDF5 file", ""),
    ("0 1\n1 2\n".encode("utf-16"), "text in UTF-16", "iconv"),
    (b"<?xml version='1.0'?><osm/>", "XML", ""),
    (b"*Partition x\n*Vertices 3\n1\n", "a Pajek project", "save the network"),
    (b'[{"source": 1, "target": 2}]', "JSON", ""),
    (b"[[0, 1], [1, 2]]", "JSON", ""),
    (b"nodedef>name VARCHAR\na\nedgedef>node1,node2\n", "a GUESS file", ""),
    (b"@nodes\nlabel\n0\n1\n@arcs\n", "a LEMON graph", ""),
    (b"LEDA.GRAPH\nstring\nint\n-1\n", "a LEDA graph", "read_leda"),
    (b"dl n=5 format=edgelist1\ndata:\n1 2\n", "a UCINET DL file", "Read_DL"),
    (b"<http://a> <http://b> <http://c> .\n", "RDF", "rdflib"),
    (b"-- dump\nCREATE TABLE edges (a int, b int);\n", "a file of SQL statements", ""),
]


@pytest.mark.quick
@pytest.mark.parametrize(("data", "title", "remedy"), CONTENT, ids=[title for _, title, _ in CONTENT])
@pytest.mark.parametrize("suffix", ["", ".txt", ".csv", ".mtx", ".gr", ".foo"])
def test_content_is_named(tmp_path: Path, data: bytes, title: str, remedy: str, suffix: str) -> None:
    path = tmp_path / f"graph{suffix}"
    path.write_bytes(data)
    with pytest.raises(clew.FormatError) as caught:
        clew.read(path)
    assert f"the file is {title}" in str(caught.value)
    assert remedy in str(caught.value)


def test_databases_are_named(tmp_path: Path) -> None:
    with pytest.raises(clew.FormatError, match="the file is an SQLite database"):
        clew.read(database(tmp_path))


@pytest.mark.parametrize("suffix", sorted({suffix for one in foreign.KNOWN for suffix in one.suffixes}))
def test_foreign_suffixes_never_fall_back_to_edge_lists(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"graph{suffix}"
    path.write_bytes(b"0 1\n1 2\n")
    with pytest.raises(clew.FormatError, match=r"stands for .* which clew does not read") as caught:
        clew.read(path)
    assert "format='edge-list'" in str(caught.value)
    assert "--format edge-list" in caught.value.on_command_line()
    assert clew.read(path, format="edge-list").num_edges == 2
    assert clew.read(path, delimiter=" ").num_edges == 2


def test_no_suffix_is_foreign_and_own() -> None:
    own = {suffix for one in registry.formats() for suffix in one.suffixes}
    listed = [suffix for one in foreign.KNOWN for suffix in one.suffixes]
    assert not own & set(listed)
    assert len(listed) == len(set(listed))
    assert all(suffix == suffix.lower() for suffix in listed)
    assert all(one.start or one.suffixes for one in foreign.KNOWN)


@pytest.mark.parametrize("format_name", ["edge-list", "metis", "matrix-market"])
@pytest.mark.parametrize(("data", "title"), [(POINTER, "a Git LFS pointer"), (PAGE, "a web page")])
def test_what_is_no_graph_is_refused_though_the_format_is_named(data: bytes, title: str, format_name: str) -> None:
    with pytest.raises(clew.FormatError, match=f"the file is {title}.*, not a graph"):
        clew.read(data, format=format_name)


def test_a_named_format_is_believed_otherwise() -> None:
    assert list(clew.read(b"graph [\nx y\n", format="edge-list").names) == ["graph", "[", "x", "y"]


def test_foreign_suffixes_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(clew.FormatError, match=r"stands for a GUESS file .*, which clew does not write"):
        clew.write(clew.Graph.from_edges([0], [1]), tmp_path / "graph.gdf")


# ---------------------------------------------------------------- suffixes of own formats


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("x.gr", b"a 1 2 3\na 2 3 4\n", "line 1, column 1: the line starts with 'a', but no problem line came before"),
        ("x.gr", b"0 1\n1 2\n", "expected 'p sp VERTICES ARCS'. If every line is an edge, pass format='edge-list'"),
        ("x.gr", b"\0\1\2\3 no graph", "expected a Galois graph"),
        ("x.col", b"0 1\n1 2\n", "line 1, column 1: the line starts with '0', but no problem line"),
        ("x.graph", b"a b\nb c\n", "line 1, column 1: the number of vertices is 'a'"),
        ("x.adj", b"0 1\n1 2\n", "expected 'AdjacencyGraph'"),
        ("x.sg", b"0 1\n1 2\n", "expected a GAP graph"),
        ("x.clew", b"0 1\n1 2\n", "expected a .clew file"),
        ("x.npz", b"0 1\n1 2\n", "not a zip file"),
        ("x.gml", b"0 1\n1 2\n", "line 1, column 1: found '0'; expected a key and a value"),
        ("x.dot", b"0 1\n1 2\n", "line 1, column 1: found '0'; expected graph or digraph"),
        ("x.net", b"0 1\n1 2\n", "expected '*Vertices'"),
        ("x.gexf", b"0 1\n1 2\n", "not well-formed XML"),
        ("x.parquet", b"0 1\n1 2\n", "not a valid Parquet file"),
        ("x.arrow", b"0 1\n1 2\n", "not a valid Arrow IPC file"),
        ("x.e", b"0 1\n1 2\n", "there is no 'x.v' in its folder"),
        ("x.mtx", b"a b\nb c\n", "expected the banner"),
        ("x.mtx", b"1 2\n2 c\n", "expected the banner"),
        ("x.txt", b"1\n2\n3\n", "the line has 1 column; expected at least two"),
    ],
)
def test_a_suffix_beats_a_guess(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(clew.FormatError) as caught:
        clew.read(path)
    assert says in str(caught.value)


@pytest.mark.parametrize("suffix", ["", ".txt", ".csv", ".gr", ".gdf", ".graph", ".json"])
def test_content_without_doubt_beats_every_suffix(tmp_path: Path, suffix: str) -> None:
    graph = clew.Graph.from_edges([0, 1], [1, 2], [3, 4])
    for name in ("matrix-market", "dimacs", "ligra", "clew", "npz", "parquet", "galois"):
        path = tmp_path / f"graph{suffix}"
        clew.write(graph, path, format=name)
        again = clew.read(path)
        assert (again.num_vertices, again.num_edges) == (3, 2)
        said = [one for one in again.report.decisions if "stands for" in one]
        assert len(said) == (suffix in (".gr", ".graph", ".json") and suffix not in registry.named(name).suffixes)


@pytest.mark.parametrize("data", [b"1\n2\n3\n", b"5\n"])
def test_a_column_of_numbers_is_no_ldbc_graph(data: bytes) -> None:
    with pytest.raises(clew.FormatError, match=r"in no known graph format|the line has 1 column"):
        clew.read(data)
