"""Columns of vertices and edges in files."""

from __future__ import annotations

import hashlib
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clew
from clew import FormatError, GraphError
from tests.cli import running

TEXT = "from,to,km,road,since\nann,bob,3.5,path,2001-02-03\n# a, line, of, five, cells\nbob,cy,5,,2002-01-01\n"


def graph_of(directed: bool, names: bool = True) -> clew.Graph:
    ends = (["ann", "bob", "ann", "cy"], ["bob", "cy", "cy", "ann"]) if names else ([0, 1, 0, 2], [1, 2, 2, 0])
    columns = {"km": [3.5, 5.0, 7.0, 1.0], "kind": ["a, b", None, 'c "d"', ""], "number": np.arange(4, dtype="int8")}
    graph = clew.Graph.from_edges(*ends, [1, 2, 3, 4], directed=directed, edge_columns=columns)
    return graph.with_vertex_columns({"age": [40, None, 30], "day": pd.date_range("2001-01-01", periods=3)})


@pytest.mark.quick
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("suffix", [".clew", ".parquet", ".arrow"])
def test_what_is_written_is_read(tmp_path, suffix, directed, names):
    graph = graph_of(directed, names)
    path, vertices = tmp_path / f"graph{suffix}", tmp_path / f"vertices{suffix.replace('.clew', '.parquet')}"
    assert clew.write(graph, path, vertices=vertices) == []
    again = clew.read(path) if suffix == ".clew" else clew.read(path, vertices=vertices)
    assert again == graph
    assert clew.read(path, columns=["km"]).edge_columns.column_names == ["km"]
    assert clew.read(path, columns=False).edge_columns.num_columns == 0
    assert clew.read(path, weight="km").weights.dtype == np.float64
    for other in (not directed, directed):
        turned = clew.read(path, directed=other, duplicates="first")
        assert turned.edge_columns.num_rows == turned.num_edges
        assert turned.with_weights("number").num_edges == turned.num_edges


def test_text_keeps_columns_but_not_their_types(tmp_path):
    graph = graph_of(True)
    for suffix in (".csv", ".tsv", ".csv.gz"):
        path = tmp_path / f"graph{suffix}"
        assert clew.write(graph, path) == ["the 2 vertex columns age, day: write them with vertices='vertices.csv'"]
        again = clew.read(path, columns=True)
        assert again.edge_columns.to_pydict() == graph.edge_columns.to_pydict() | {"kind": ["a, b", 'c "d"', "", ""]}
        assert again.with_edge_columns(None) == graph.with_edge_columns(None).with_vertex_columns(None)
    assert "the 3 edge columns km, kind, number" in clew.write(graph, tmp_path / "graph.mtx")


def test_ids_with_leading_zeros_name_no_integer(tmp_path):
    edges, vertices = tmp_path / "edges.csv", tmp_path / "vertices.csv"
    edges.write_text("source,target\n1,2\n")
    vertices.write_text("id,age\n01,30\n2,40\n")
    with pytest.raises(GraphError, match="'01' is text that integers are not printed as"):
        clew.read(edges, vertices=vertices)


def test_lists_are_no_text(tmp_path):
    graph = clew.Graph.from_edges([0], [1], edge_columns={"tags": [["a", "b"]]})
    with pytest.raises(clew.GraphError, match=r"column 'tags' holds values of type list<.*>, which CSV cannot store"):
        clew.write(graph, tmp_path / "graph.csv")
    assert not (tmp_path / "graph.csv").exists()
    assert clew.write(graph, tmp_path / "graph.clewd") == []
    assert clew.read(tmp_path / "graph.clewd") == graph


def test_files_without_columns_are_as_they_were(tmp_path):
    graph = clew.Graph.from_edges(["a", "b"], ["b", "c"], [1.5, 2.5])
    clew.write(graph, tmp_path / "plain.clew")
    digest = hashlib.sha256((tmp_path / "plain.clew").read_bytes()).hexdigest()
    assert digest == "e126c012335f6942033d7d85a65afba25ac6aa53a6d2970eda6b015f7778bb7e"
    clew.write(graph.with_edge_columns({"x": [1, 2]}).with_edge_columns(None), tmp_path / "again.clew")
    assert (tmp_path / "again.clew").read_bytes() == (tmp_path / "plain.clew").read_bytes()


@pytest.mark.quick
def test_columns_of_an_edge_list(tmp_path):
    path = tmp_path / "roads.csv"
    path.write_text(TEXT)
    graph = clew.read(path, columns=True)
    assert graph.edge_columns.to_pydict()["road"] == ["path", ""]
    assert str(graph.edge_columns.schema.field("since").type) == "date32[day]"
    assert graph.edge_columns.column_names == ["km", "road", "since"]  # which of them is the weight is decided later
    assert clew.sssp(graph.with_weights("km"), "ann").of("cy") == 8.5
    assert clew.read(path, columns=["road"], weight="km").report.columns == {
        "from": "source", "to": "target", "km": "weight", "road": "edge column", "since": "ignored",
    }  # fmt: skip
    (tmp_path / "blanks.txt").write_text("0 1 5 6\n1 2 7 8\n")
    with pytest.raises(FormatError, match="columns= needs a delimiter other than blanks"):
        clew.read(tmp_path / "blanks.txt", columns=True, weights=False)
    with pytest.raises(FormatError, match="no column 'miles'"):
        clew.read(path, columns=["miles"])


@pytest.mark.quick
def test_a_table_of_vertices_is_joined_by_name(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\n007,008\n008,009\n")
    (tmp_path / "people.csv").write_text("name,age\n009,30\n010,50\n007,40\n")
    graph = clew.read(tmp_path / "edges.csv", vertices=tmp_path / "people.csv")
    assert dict(zip(graph.names[:], graph.vertex_columns["age"].to_pylist(), strict=True)) == {
        "007": 40, "008": None, "009": 30, "010": 50,
    }  # fmt: skip
    same = clew.read(tmp_path / "edges.csv", vertices={"name": ["007"], "age": [40]})
    assert same.vertex_columns["age"].to_pylist()[same.vertex("007")] == 40
    for wrong, message in (("people.txt", "ends in .parquet"), ("none.csv", "there is no such file")):
        with pytest.raises(GraphError, match=message):
            clew.read(tmp_path / "edges.csv", vertices=tmp_path / wrong)
    with pytest.raises(GraphError, match="expected a name that ends in"):
        clew.write(graph, tmp_path / "x.clew", vertices=tmp_path / "v.json")


def test_a_german_spreadsheet_has_decimal_commas_in_every_column(tmp_path):
    (tmp_path / "edges.csv").write_text(
        "von;nach;Betrag;Satz;Nr\nann;bob;1,5;0,25;1.2.3\nbob;cy;;-3;4,5\ncy;ann;,5;1e2;6\n"
    )
    (tmp_path / "people.csv").write_text("Name;Alter\nann;40,5\nbob;\n")
    graph = clew.read(tmp_path / "edges.csv", columns=True, vertices=tmp_path / "people.csv")
    assert graph.num_vertices == 3
    assert graph.edge_columns.to_pydict() == {
        "Betrag": [1.5, None, 0.5], "Satz": [0.25, -3.0, 100.0], "Nr": ["1.2.3", "4,5", "6"],
    }  # fmt: skip
    assert graph.with_weights("Satz").weights.tolist() == [0.25, -3.0, 100.0]
    assert graph.vertex_columns["Alter"].to_pylist() == [40.5, None, None]


def test_names_of_a_table_of_vertices_may_have_blanks_around_them(tmp_path):
    (tmp_path / "edges.csv").write_text('source,target\n ann,bob\nbob," cy "\n')
    (tmp_path / "people.csv").write_text("id,age\n ann,1\nbob ,2\n cy ,3\ndan ,4\n")
    graph = clew.read(tmp_path / "edges.csv", vertices=tmp_path / "people.csv")
    assert dict(zip(graph.names[:], graph.vertex_columns["age"].to_pylist(), strict=True)) == {
        "ann": 1, "bob": 2, " cy ": 3, "dan": 4,
    }  # fmt: skip
    assert graph.report.decisions[-1] == "1 vertex of the table of vertices had no edges and were added."


def test_a_table_that_names_no_vertex_is_refused(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\nann,bob\n")
    (tmp_path / "people.csv").write_text("row,who\n1,ann\n2,bob\n")
    with pytest.raises(
        GraphError, match="its column 'row' has values such as '1', and vertices have names such as 'ann'"
    ):
        clew.read(tmp_path / "edges.csv", vertices=tmp_path / "people.csv")
    assert clew.read(tmp_path / "edges.csv", vertices={"age": [1, 2], "Node ID": ["ann", "bob"]}).num_vertices == 2


def test_columns_that_are_damaged_are_refused(tmp_path):
    graph = graph_of(True)
    clew.write(graph, tmp_path / "graph.clew")
    good = (tmp_path / "graph.clew").read_bytes()
    place = good.rfind(b"ARROW1")
    with pytest.raises(FormatError, match="checksum of 'edge_columns' does not match"):
        clew.read(good[: place - 20] + b"x" + good[place - 19 :])
    sink = BytesIO()
    pq.write_table(pa.table({"source": [0], "target": [1], "x": [2]}), sink)
    with pytest.raises(FormatError, match="no column 'y'"):
        clew.read(sink.getvalue(), columns=["y"])


def test_on_the_command_line(tmp_path: Path):
    (tmp_path / "roads.csv").write_text(TEXT)
    assert running.clew("convert", tmp_path / "roads.csv", tmp_path / "roads.clew", "--columns", "all")[0] == 0
    graph = clew.read(tmp_path / "roads.clew")
    assert graph.edge_columns.column_names == ["km", "road", "since"]
    assert "edge columns: km, road, since" in repr(graph)
    assert "km, road, since" in running.clew("info", tmp_path / "roads.clew")[1]
    done = running.clew("run", "sssp", tmp_path / "roads.clew", "--source", "ann", "--weight-column", "km")
    assert done[0] == 0
    assert "8.5" in done[1]
