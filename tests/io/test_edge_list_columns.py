"""What edge lists are taken for: headers, ids, weights and counts; what was decided is in the graph's report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import clew
from clew.errors import FormatError
from tests.io.test_edge_list import edges

READ_ONCE = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def reader(text: str, name: str = "edges.csv", **options: Any) -> clew.Graph:
        path = tmp_path / name
        path.write_text(text)
        return clew.read(path, **options)

    return reader


def decided(graph: clew.Graph, part: str) -> str:
    """The one decision that has ``part`` in it."""
    (found,) = [sentence for sentence in graph.report.decisions if part in sentence]
    return found


# ---------------------------------------------------------------- headers


@pytest.mark.parametrize(
    "ends",
    ["follower,followee", "user,friend", "payer,payee", "child,parent", "from,to", "xyz,abc", "Paper ID,Cited ID"],
)
def test_a_header_of_a_table_is_no_edge(read: Any, ends: str) -> None:
    first, second = ends.split(",")
    for text, name in ((f"{ends}\nann,bob\nbob,cy\n", "a.csv"), (f"{first}\t{second}\nann\tbob\nbob\tcy\n", "a.tsv")):
        graph = read(text, name)
        assert edges(graph) == [("ann", "bob"), ("bob", "cy")]
        assert graph.report.columns == {first: "source", second: "target"}
        assert decided(graph, "first line") == (
            f"The first line was read as column names (source: {first}, target: {second}). "
            "Pass header=False (--no-header) if it is an edge."
        )
        assert read(text, name, header=False).num_vertices == 5
        assert read(f"{first}\t{second}\n1\t2\n", name).num_edges == 1


def test_a_first_line_whose_cells_occur_again_is_an_edge(read: Any) -> None:
    graph = read("ann,bob\nbob,cy\n")
    assert edges(graph) == [("ann", "bob"), ("bob", "cy")]
    assert "since 'bob' occurs again. Pass header=True (--header)" in decided(graph, "first line")
    assert read("ann,bob\nbob,cy\n", header=True).num_edges == 1
    assert read("u,v\nv,w\nw,u\n").num_edges == 3, "words that columns are called by can name vertices too"
    assert read("ann,bob,likes\ncy,dee,likes\n", weights=False).num_edges == 2
    assert read("1,2\n3,4\n").num_edges == 2


@pytest.mark.parametrize("again", ["ann,zed", "zed,ann"])
def test_the_whole_column_decides(read: Any, again: str) -> None:
    graph = read("ann,bob\n" + "cy,dee\n" * 5000 + f"{again}\n")
    assert graph.num_edges == 5002
    assert "since 'ann' occurs again" in decided(graph, "first line")
    assert graph.report.columns == {"column 1": "source", "column 2": "target"}


@pytest.mark.parametrize("name", ["a.el", "a.txt", "a.snap", "a.edges"])
def test_other_files_have_a_header_of_known_words_only(read: Any, name: str) -> None:
    for words in ("source target", "FromNodeId ToNodeId", "src dst", "follower followee"):
        graph = read(f"{words}\nann bob\nbob cy\n", name)
        assert edges(graph) == [("ann", "bob"), ("bob", "cy")]
    graph = read("ann bob\ncy dee\n", name)
    assert edges(graph) == [("ann", "bob"), ("cy", "dee")]
    assert "read as an edge" in decided(graph, "first line")
    assert edges(read("a b weight\n0 1 5\n1 0 6\n", name)) == [(0, 1, 5), (1, 0, 6)]
    with pytest.raises(FormatError, match=r"the first line \('x', 'y'\) is text above numbers") as caught:
        read("x y\n0 1\n1 2\n", name)
    assert "--no-header" in caught.value.on_command_line()
    assert read("x y\n0 1\n1 2\n", name, header=True).num_vertices == 3
    assert read("x y\n0 1\n1 2\n", name, header=False).num_vertices == 5


def test_bytes_go_by_their_delimiter() -> None:
    assert edges(clew.read(b"xyz,abc\nann,bob\nbob,cy\n")) == [("ann", "bob"), ("bob", "cy")]
    assert edges(clew.read(b"xyz\tabc\nann\tbob\nbob\tcy\n")) == [("ann", "bob"), ("bob", "cy")]
    assert edges(clew.read(b"ann bob\ncy dee\n")) == [("ann", "bob"), ("cy", "dee")]


words = st.text(st.characters(codec="ascii", categories=["Ll"]), min_size=1, max_size=4).filter(
    lambda word: word not in ("nan", "inf")
)


@given(st.lists(st.tuples(words, words), min_size=1, max_size=20), words, words, st.booleans())
@READ_ONCE
def test_headers_by_the_rule(tmp_path: Path, rows: list[tuple[str, str]], one: str, other: str, integers: bool) -> None:
    """Whatever the words are: a header never becomes an edge, and an edge whose ends occur again is never lost."""
    names = sorted({word for row in rows for word in row})
    body = [tuple(str(names.index(word)) if integers else word for word in row) for row in rows]
    assume(one != other)
    path = tmp_path / "edges.csv"
    path.write_text("".join(f"{a},{b}\n" for a, b in [(one, other), *body]))
    graph = clew.read(path)
    occurs = any(word in (one, other) for row in body for word in row) and {one, other} != {"source", "target"}
    assert graph.num_edges == len(rows) + occurs
    assert len(graph.report.columns) == 2
    assert ("column names" in decided(graph, "first line")) == (not occurs)
    assert clew.read(path, header=False).num_edges == len(rows) + 1
    assert clew.read(path, header=True).num_edges == len(rows)


# ---------------------------------------------------------------- ids


@pytest.mark.parametrize("odd", ["01234", "+1234", "-0", "00", "-01234"])
@pytest.mark.parametrize("ids", ["auto", "map", "text"])
def test_ids_that_are_not_plain_integers_are_text(read: Any, odd: str, ids: str) -> None:
    for text in (f"{odd},1234\n5,6\n", f"5,6\n{odd},1234\n", f"5,6\n1234,{odd}\n"):
        graph = read(text, ids=ids, header=False)
        assert graph.num_vertices == 4
        assert sorted(graph.names.array.to_pylist()) == sorted([odd, "1234", "5", "6"])
        if ids != "text":
            assert odd in decided(graph, "Ids were read as text")
    with pytest.raises(FormatError, match="expected an integer without a plus sign or leading zeros") as caught:
        read(f"5 6\n{odd} 1234\n", "edges.txt", ids="keep")
    assert "--ids text" in caught.value.on_command_line()


def test_ids_can_be_kept_as_text(read: Any) -> None:
    graph = read("0,1\n1,2\n", ids="text")
    assert graph.names.array.to_pylist() == ["0", "1", "2"]
    assert edges(read("0 1 5\n", "a.el", ids="text")) == [("0", "1", 5)]


@given(st.lists(st.tuples(*[st.from_regex(r"[+-]?0{0,2}[0-9]{1,12}", fullmatch=True)] * 2), min_size=1, max_size=20))
@READ_ONCE
def test_as_many_vertices_as_there_are_spellings(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    spelled = {word for row in rows for word in row}
    for ids in ("map", "text"):
        graph = clew.read("".join(f"{a} {b}\n" for a, b in rows).encode(), ids=ids)
        assert graph.num_vertices == len(spelled)
        assert {str(name) for name in graph.names.array.to_pylist()} == spelled


# ---------------------------------------------------------------- weights and other columns


@pytest.mark.parametrize("name", ["weight", "Weights", "w", "value", "cost", "distance", "dist", "length"])
@pytest.mark.parametrize("ends", ["src,dst", "a,b", "follower,followee"])
def test_a_weight_is_what_is_named_so(read: Any, name: str, ends: str) -> None:
    graph = read(f"{ends},{name},day\nann,bob,5,3\nbob,cy,6,4\n")
    assert edges(graph) == [("ann", "bob", 5), ("bob", "cy", 6)]
    first, second = ends.split(",")
    assert graph.report.columns == {first: "source", second: "target", name: "weight", "day": "ignored"}
    assert (
        decided(graph, "Ignored")
        == "Ignored: 'day'. Pass columns=True (--columns all) to keep other columns of the edges."
    )
    assert read(f"{name},{ends}\n5,1,2\n", source=2, target=3).weights.tolist() == [5]


@pytest.mark.parametrize("rows", ["1,2,1001\n2,3,1002\n", "ann,bob,1001\nbob,cy,1002\n"])
@pytest.mark.parametrize("ends", ["payer,payee", "x,y"])
def test_an_invoice_is_no_weight(read: Any, rows: str, ends: str) -> None:
    text = f"{ends},invoice\n{rows}"
    with pytest.raises(FormatError, match=r"'invoice' holds the weights is not clear. The columns are") as caught:
        read(text)
    assert "Pass weight='invoice', or weights=False" in str(caught.value)
    assert "Pass --weight-column 'invoice', or --weights none" in caught.value.on_command_line()
    assert read(text, weight="invoice").weights.tolist() == [1001, 1002]
    assert read(text, weight=3).weights.tolist() == [1001, 1002]
    graph = read(text, weights=False)
    assert not graph.weighted
    assert graph.report.columns[text.split("\n")[0].split(",")[2]] == "ignored"


def test_columns_that_are_no_weights_are_mentioned(read: Any) -> None:
    graph = read("payer,payee,day\nann,bob,3\nbob,cy,4\n")
    assert not graph.weighted
    assert graph.report.columns["day"] == "ignored"
    assert "Pass weight=… (--weight-column)" in decided(graph, "Ignored: 'day'.")
    graph = read("payer,payee,kind\nann,bob,loan\nbob,cy,gift\n")
    assert graph.report.columns == {"payer": "source", "payee": "target", "kind": "ignored"}
    assert edges(graph) == [("ann", "bob"), ("bob", "cy")]


def test_the_third_of_three_columns_of_numbers(read: Any) -> None:
    graph = read("a,b,minutes\n1,2,30\n2,3,40\n")
    assert graph.weights.tolist() == [30, 40]
    assert "'minutes', the third of three columns of numbers" in decided(graph, "weights=False (--weights none)")
    with pytest.raises(FormatError, match="'minutes' holds the weights is not clear"):
        read("a,b,minutes\nann,bob,30\nbob,cy,40\n")
    with pytest.raises(FormatError, match="'cost' or 'distance' holds the weights is not clear"):
        read("a,b,cost,distance\n1,2,3,4\n")
    assert read("a,b,cost,weight\n1,2,3,4\n").weights.tolist() == [4]


@pytest.mark.parametrize("text", ["0 1 3 1082008561\n1 2 3 1082008562\n", "0 1 1 2\n2 3 3 4\n"])
def test_more_columns_without_names_get_a_question(read: Any, text: str) -> None:
    with pytest.raises(FormatError, match=r"4 columns without names.*one edge per line.*weight=3") as caught:
        read(text, "a.txt")
    assert "--weight-column 3" in caught.value.on_command_line()
    graph = read(text, "a.txt", weight=3)
    assert graph.weights is not None
    assert list(graph.report.columns.values()) == ["source", "target", "weight", "ignored"]
    assert edges(read(text, "a.txt", weights=False))[0] == (0, 1)
    assert read("% asym positive\n" + text, "a.txt").weighted, "KONECT says what the columns are"
    with pytest.raises(FormatError, match="3 columns without names, and the third is text"):
        read("ann bob likes\n", "a.txt")


def test_columns_by_position(read: Any) -> None:
    text = "id,x,y\n1,ann,bob\n2,bob,cy\n"
    with pytest.raises(
        FormatError, match=r"'id' holds integers and column 'x' holds text.*The columns are 'id', 'x', 'y'"
    ):
        read(text)
    with pytest.raises(FormatError, match=r"'id', seems to number the rows"):
        read("id,x,y\n1,2,3\n2,4,5\n")
    for ends in ({"source": 2, "target": 3}, {"source": "2", "target": "y"}):
        graph = read(text, **ends)
        assert edges(graph) == [("ann", "bob"), ("bob", "cy")]
        assert graph.report.columns == {"id": "ignored", "x": "source", "y": "target"}
    assert edges(read("5 ann bob\n6 bob cy\n", "a.txt", source=2, target=3, weight=1)) == [
        ("ann", "bob", 5),
        ("bob", "cy", 6),
    ]
    with pytest.raises(FormatError, match="no column 4; expected one"):
        read(text, source=4)


def test_two_columns_of_one_name(read: Any) -> None:
    text = "Person.id|Person.id|creationDate\n1|2|2010-01-03\n2|3|2011-05-04\n"
    graph = read(text)
    assert edges(graph) == [(1, 2), (2, 3)]
    assert graph.report.columns == {
        "Person.id (column 1)": "source",
        "Person.id (column 2)": "target",
        "creationDate": "ignored",
    }
    assert edges(read(text, source=2, target=1)) == [(2, 1), (3, 2)]
    with pytest.raises(FormatError, match=r"2 columns called 'Person.id'.*position counted from 1"):
        read(text, source="Person.id")
    assert edges(read("u,v,v\n1,2,3\n", source=1, target=3)) == [(1, 3)]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """Tables of two ends and any other columns of numbers or text."""
    other = st.sampled_from(["weight", "day", "kind", "invoice", "amount", "length", "note", "id", "cost", "x", ""])
    names = ["src", "dst", *draw(st.lists(other, max_size=4, unique=True))]
    numeric = [True, True, *(draw(st.booleans()) for _ in names[2:])]
    place = draw(st.permutations(range(len(names))))
    rows = draw(st.integers(1, 5))
    cells = [[str(row + column) if numeric[column] else f"t{row}" for column in place] for row in range(rows)]
    return [names[column] for column in place], cells


@given(tables())
@READ_ONCE
def test_no_column_goes_unmentioned(tmp_path: Path, table: tuple[list[str], list[list[str]]]) -> None:
    names, cells = table
    path = tmp_path / "edges.csv"
    path.write_text("".join(",".join(row) + "\n" for row in [names, *cells]))
    try:
        graph = clew.read(path)
    except FormatError as error:  # a question, or a column of text that is called as weights are
        asked = error
        graph = clew.read(path, weights=False)
        named = any(name in names for name in ("weight", "cost", "length"))
        assert named or "--weight-column" in asked.on_command_line()
    roles = graph.report.columns
    assert len(roles) == len(names)
    assert (roles["src"], roles["dst"]) == ("source", "target")
    assert ("weight" in roles.values()) == graph.weighted
    for name in names:
        if name and roles[name] == "ignored":
            assert f"'{name}'" in decided(graph, "Ignored")
        if roles.get(name) == "weight":
            column = names.index(name)
            assert sorted(graph.weights.tolist()) == sorted(int(row[column]) for row in cells)  # type: ignore[union-attr]


def test_direction_is_said(read: Any) -> None:
    assert decided(read("1,2\n"), "directed") == (
        "Edges were read as directed. Pass directed=False (--undirected) if they go both ways."
    )
    assert "Edges are undirected, as the first comment says" in decided(read("% sym\n1 2\n", "a.txt"), "directed")
    assert not any("directed" in said for said in read("1,2\n", directed=False).report.decisions)


# ---------------------------------------------------------------- what is no plain edge list


def test_commas_between_tabs_separate_no_columns(read: Any) -> None:
    for text in ("ann\tbob\t1,5\nbob\tcy\t2,5\n", "ann\tbob\t1,5\n"):
        assert edges(read(text, "edges.tsv", header=False))[0] == ("ann", "bob", 1.5)
    assert read("Lee, Ann\tBob\nBob\tDoe, Jo\n").names[:] == ["Lee, Ann", "Bob", "Doe, Jo"]
    assert read("ann,\tbob\nbob,\tcy\n").names[:] == ["ann", "bob", "cy"]


@pytest.mark.parametrize("separator", [";", "\t"])
def test_decimal_commas(read: Any, separator: str) -> None:
    for text in ("0;1;1,5\n1;2;2\n", "0;1;7\n1;2;1,5\n", "source;target;weight\n0;1;1,5\n1;2;-2,25e1\n"):
        graph = read(text.replace(";", separator))
        assert graph.num_vertices == 3
        assert 1.5 in graph.weights.tolist()
        assert decided(graph, "comma") == "Weights were read with a decimal comma."
    with pytest.raises(
        FormatError, match=r"line 2, column 5: the weight is '1\.500'; expected a number with a decimal"
    ):
        read("0;1;1,5\n1;2;1.500\n".replace(";", separator))
    assert read("0;1;1.5\n1;2;2\n".replace(";", separator)).weights.tolist() == [1.5, 2.0]
    graph = read("Lee, Ann;Mr. Bob;1,5\nMr. Bob;Cy;2,5\n".replace(";", separator), delimiter=separator)
    assert edges(graph) == [("Lee, Ann", "Mr. Bob", 1.5), ("Mr. Bob", "Cy", 2.5)]


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=10))
@READ_ONCE
def test_decimal_commas_are_points(weights: list[float]) -> None:
    text = "".join(f"{i};{i + 1};{weight!r}\n" for i, weight in enumerate(weights))
    graph = clew.read(text.replace(".", ",").encode(), format="edge-list")
    assert graph.weights.tolist() == weights


def test_a_count_of_vertices(read: Any) -> None:
    graph = read("10\n0 1\n1 2\n", "a.txt")
    assert (graph.num_vertices, graph.num_edges) == (10, 2)
    assert "(10) was read as the number of vertices" in decided(graph, "first line")
    assert read("10\n0 1\n1 2\n", "a.el").num_vertices == 10
    assert read("10\n0 1\n1 2\n", "a.txt", ids="map").num_vertices == 3
    graph = read("4\n1 2\n2 4\n", "a.txt")
    assert graph.names.array.to_pylist() == [1, 2, 3, 4]
    assert edges(graph) == [(1, 2), (2, 4)]
    for text in ("2\n0 100\n1 2\n", "3\nann bob\nbob cy\n"):
        assert "was skipped: it is the number of" in decided(read(text, "a.txt"), "first line")
    for text in ("10\n0 100\n1 2\n", "10\nann bob\nbob cy\n"):
        with pytest.raises(FormatError, match=r"line 1: the first line is 10, but there are 2 edges among"):
            read(text, "a.txt")
    with pytest.raises(FormatError, match="9,999,999,999,999 vertices"):
        read("9999999999999\n0 1\n1 2\n", "a.txt")


def test_attributes_of_networkx(tmp_path: Path) -> None:
    nx = pytest.importorskip("networkx")
    path = tmp_path / "edges.edgelist"
    graph = nx.path_graph(4)
    nx.write_edgelist(graph, path)
    assert path.read_text().startswith("0 1 {}\n")
    assert edges(clew.read(path)) == [(0, 1), (1, 2), (2, 3)]
    for number, (u, v) in enumerate(graph.edges):
        graph.edges[u, v].update(weight=np.float64(number + 0.5), note="a, b {c}")
    for delimiter in (" ", ",", "\t"):
        nx.write_edgelist(graph, path, delimiter=delimiter)
        read = clew.read(path)
        assert edges(read) == [(0, 1, 0.5), (1, 2, 1.5), (2, 3, 2.5)]
        assert read.report.columns == {
            "column 1": "source",
            "column 2": "target",
            "weight": "weight",
            "note": "ignored",
        }
        assert not clew.read(path, weights=False).weighted
    nx.write_edgelist(nx.relabel_nodes(graph, str), path, data=["weight"])
    assert clew.read(path).weighted


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0 1 {'weight': 3}\n1 2 {}\n", "line 2: the edge has no attribute 'weight'"),
        ("0 1 {'weight': 'x'}\n", "line 1: the edge has the value 'x' as attribute 'weight'"),
        ("0 1 {'capacity': 3}\n", "whether 'capacity' holds the weights is not clear"),
        ("0 1 {'weight': nan}\n", "line 1: the attributes are \"{'weight': nan}\"; expected a dictionary"),
        ("0 1 {}\n" * 30 + "1 2\n", "line 31: the line has no attributes"),
    ],
)
def test_attributes_that_cannot_be_read(read: Any, text: str, says: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text, "a.edgelist")
    assert says in str(caught.value)


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.dat", "a", "a.edges"])
def test_edges_need_two_columns(read: Any, name: str) -> None:
    with pytest.raises(FormatError, match="the line has 1 column; expected at least two, the source and the target"):
        read("1\n2\n3\n", name)


@pytest.mark.parametrize("suffix", [".txt", ".el", ".wel", ".edges.gz", ".csv", ".tsv"])
@pytest.mark.parametrize("directed", [True, False])
def test_graphs_without_edges_come_back(tmp_path: Path, suffix: str, directed: bool) -> None:
    path = tmp_path / f"graph{suffix}"
    for vertices in (0, 1, 5, 1234567):
        clew.write(clew.Graph.from_edges([], [], num_vertices=vertices, directed=directed), path)
        graph = clew.read(path)
        assert graph.num_edges == 0
        assert graph.num_vertices == (0 if suffix in (".csv", ".tsv") else vertices)
    with pytest.raises(FormatError, match="999,999,999,999,999 vertices"):
        clew.read(b"# 999999999999999 vertices, no edges\n")


def test_many_comments_before_the_edges(read: Any) -> None:
    assert read("# note\n" * 5000 + "ann bob\nbob cy\n", "a.txt").num_edges == 2


def test_reports_survive_conversions_but_not_files(read: Any, tmp_path: Path) -> None:
    graph = read("src,dst,dist\n0,1,5\n")
    assert graph.report == read("src,dst,dist\n0,1,5\n").report
    clew.write(graph, tmp_path / "graph.clew")
    again = clew.read(tmp_path / "graph.clew")
    assert again.report.decisions == ()
    assert dict(again.report.columns) == {}
    assert again.report.given == 1


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;", "\ufeffsep=;"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_for_excel_is_neither_header_nor_edge(read: Any, first: str, end: str) -> None:
    graph = read(end.join([first, "source;target;weight", "ann;bob;1,5", "bob;cy;2", ""]))
    assert edges(graph) == [("ann", "bob", 1.5), ("bob", "cy", 2.0)]
    assert edges(read(end.join([first, "0;1", "1;2", ""]))) == [(0, 1), (1, 2)]


def test_a_line_for_excel_names_the_separator(read: Any) -> None:
    assert edges(read("sep=^\nsource^target\nann^bob\n")) == [("ann", "bob")]


def test_a_printed_report_says_what_was_decided(read: Any) -> None:
    lines = str(read("payer,payee,kind\nann,bob,x\nbob,cy,y\n").report).splitlines()
    assert lines[:2] == ["2 edges given", "columns: payer (source), payee (target), kind (ignored)"]
    assert lines[2].startswith("The first line was read as column names")
    assert str(clew.Graph.from_edges([0], [1]).report) == "1 edge given"


def test_a_first_line_of_text_and_numbers_above_numbers_is_asked_about(read: Any) -> None:
    with pytest.raises(FormatError, match=r"first line \('id', '2020'\) is text above numbers.*header=True"):
        read("id,2020\n1,5\n2,6\n")
    assert edges(read("id,2020\n1,5\n2,6\n", header=True)) == [(1, 5), (2, 6)]
    assert len(edges(read("id,2020\n1,5\n2,6\n", header=False))) == 3
    assert len(edges(read("a,3\nb,4\n"))) == 2


@pytest.mark.parametrize("end", [",", ", ,", ",,,"])
def test_lines_may_end_with_delimiters(read: Any, end: str) -> None:
    for text in (f"source,target,weight{end}\na,b,3{end}\nb,c,4{end}\n", f"a,b,3{end}\nb,c,4{end}\n"):
        graph = read(text)
        assert graph == clew.Graph.from_edges(["a", "b"], ["b", "c"], [3, 4])
        assert "Ignored: what stands after the last column, since that is empty in the first lines." in str(
            graph.report
        )
    assert read(f"1,2{end}\n2,1{end}\n").to_arrow().to_pylist() == [
        {"source": 1, "target": 2},
        {"source": 2, "target": 1},
    ]
    with pytest.raises(FormatError, match="the third is text"):
        read("1,2,\n2,1,x\n")


def test_weights_may_be_in_quotes(read: Any) -> None:
    text = '"source","target","weight"\n"1","2","3.5"\n"2","1","0.1000000000000000055511151231257827"\n'
    graph = read(text)
    assert graph == clew.Graph.from_edges(["1", "2"], ["2", "1"], [3.5, 0.1])
    assert "Ids were read as text, since '\"1\"' is not how integers are printed." in str(graph.report)
    with pytest.raises(FormatError, match="'amount' holds the weights is not clear"):
        read(text.replace("weight", "amount"))
    assert read(text.replace("weight", "amount"), weight="amount") == graph
    for wrong in ('"3.5', '3.5"', '"3.5"x', '""', '"1,300"', '"x"'):
        with pytest.raises(FormatError):
            read(text.replace('"3.5"', wrong))


def test_ids_that_are_written_as_fractions_are_mentioned(read: Any) -> None:
    assert "since '1.0' is not how integers are printed" in str(read("source,target\n1.0,2.0\n").report)
    assert "not how integers" not in str(read("source,target\nnan,inf\n").report)
