"""GML, GEXF, DOT and Pajek: known answers, what NetworkX reads and writes, errors with positions, and damaged files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import pytest

import clew
from tests.io.fuzzing import fuzz
from tests.io.graphs import refused, small, stored

GML = b"""Creator "Mark Newman"
graph
[
  directed 1 # a comment
  node [ id 7 label "ann" age 40 graphics [ x 1.5 ] ]
  node [ id 5 label "bob &#38; co &eacute;" ]
  edge [ source 7 target 5 weight 2.5 since 1999 ]
  edge [ source 5 target 5 weight 1 ]
]
"""
GEXF = b"""<?xml version="1.0"?>
<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz"><graph defaultedgetype="directed" mode="static">
<attributes class="node"><attribute id="0" title="age" type="integer"/>
<attribute id="x" title="graphics.x" type="double"/></attributes>
<attributes class="edge"><attribute id="0" title="since" type="integer"/></attributes>
<nodes><node id="a" label="ann"><attvalues><attvalue for="0" value="40"/><attvalue for="x" value="1.5"/></attvalues>
<viz:color r="1"/></node><node id="b" label="bob &amp; co \xc3\xa9"/></nodes>
<edges><edge source="a" target="b" weight="2.5"><attvalues><attvalue for="0" value="1999"/></attvalues></edge>
<edge source="b" target="b"/></edges></graph></gexf>
"""
DOT = """/* a
comment */ digraph "my graph" {
  rankdir=LR; ann [age=40, "graphics.x"=1.5]
  ann -> "bob & co \u00e9" [weight="2.5"; since=1999] // a comment
  "bob & co \u00e9":port:n -> "bob & co " + "\u00e9"
}
""".encode()
PAJEK = """% a comment
*Vertices 2
1 "ann" age 40 graphics.x 1.5
2 "bob & co \u00e9"
*Arcs :1 "friends"
1 2 2.5 since 1999
2 2
""".encode()
FILES = {"gml": GML, "gexf": GEXF, "dot": DOT, "pajek": PAJEK}


@pytest.mark.quick
@pytest.mark.parametrize("format_name", FILES)
def test_known_answers(format_name: str) -> None:
    graph = clew.read(FILES[format_name])
    assert list(graph.names) == ["ann", "bob & co \u00e9"]
    assert graph.directed
    assert [column.tolist() for column in graph.edges()] == [[0, 1], [1, 1], [2.5, 1.0]]
    assert graph.vertex_columns.to_pydict() == {"age": [40, None], "graphics.x": [1.5, None]}
    assert graph.edge_columns.to_pydict() == {"since": [1999, None]}
    for other in FILES:
        again = clew.read(stored(graph, "", format=other))
        assert (again, again.attributes) == (graph, graph.attributes)


def people(*, text: bool = False) -> Any:
    """A graph as NetworkX has it; ``text``: attributes are text."""
    graph = nx.Graph()
    graph.add_node("ann", age="forty" if text else 40, city="New York")
    graph.add_node("bob lee")
    graph.add_edge("ann", "bob lee", weight=2.5, since="now" if text else 1999)
    graph.add_edge("ann", "cy", weight=1.0)
    return graph


@pytest.mark.parametrize("format_name", ["gml", "gexf", "pajek"])
def test_networkx_in_both_directions(tmp_path: Path, format_name: str) -> None:
    expected = people(text=format_name == "pajek")
    path = tmp_path / "graph"
    getattr(nx, f"write_{format_name}")(expected, path)
    graph = clew.read(path)
    assert list(graph.names) == ["ann", "bob lee", "cy"]
    age = ["forty" if format_name == "pajek" else 40, None, None]
    assert graph.vertex_columns.to_pydict() == {"age": age, "city": ["New York", None, None]}
    assert graph.edges()[2].tolist() == [2.5, 1.0]
    clew.write(graph, path, format_name)
    again = nx.Graph(getattr(nx, f"read_{format_name}")(path))
    for node, row in expected.nodes(data=True):
        assert row.items() <= again.nodes[node].items()
    for u, v, row in expected.edges(data=True):
        assert row.items() <= again.edges[u, v].items()
    assert again.number_of_edges() == 2


@pytest.mark.parametrize("format_name", ["gml", "gexf", "pajek"])
def test_directed_and_parallel_edges_of_networkx(tmp_path: Path, format_name: str) -> None:
    expected = nx.MultiDiGraph([("a", "b"), ("a", "b"), ("b", "a")])
    path = tmp_path / "graph"
    getattr(nx, f"write_{format_name}")(expected, path)
    graph = clew.read(path)
    assert (graph.num_edges, graph.directed) == (3, True)
    clew.write(graph, path, format_name)
    again = getattr(nx, f"read_{format_name}")(path)
    assert sorted(again.edges()) == [("a", "b"), ("a", "b"), ("b", "a")]


@pytest.mark.parametrize("suffix", [".gml", ".gexf", ".dot", ".net"])
def test_integers_are_ids_or_names_and_text_stays_text(suffix: str) -> None:
    for names in (None, [3, 1, 2, 5, -4, 2**40], ["3", "1", "2", "5", "-4", "07"]):
        graph = small(names=names)
        again = clew.read(stored(graph, suffix))
        assert (None if again.names is None else list(again.names)) == names


def test_labels_that_occur_twice_are_a_column() -> None:
    graph = clew.read(b'graph [ node [ id 4 label "x" ] node [ id 9 label "x" ] edge [ source 4 target 9 ] ]')
    assert list(graph.names) == [4, 9]
    assert graph.vertex_columns.to_pydict() == {"label": ["x", "x"]}
    assert any("occur twice" in said for said in graph.report.decisions)
    with pytest.raises(clew.FormatError, match="the column 'label' cannot be written to GML"):
        stored(graph, ".gml")


def test_chains_subgraphs_and_defaults_of_dot() -> None:
    graph = clew.read(
        b"strict graph { a -- b -- c; a -- b; edge [w=2] { c d } -- {e; f} subgraph s { node [k=1] g } h }",
        weights=False,
    )
    names = list(graph.names)
    assert names == ["a", "b", "c", "d", "e", "f", "g", "h"]
    ends = [[names[v] for v in column] for column in graph.edges()[:2]]
    assert sorted(zip(*ends, strict=True)) == [tuple(pair) for pair in ("ab", "bc", "ce", "cf", "de", "df")]
    assert graph.vertex_columns["k"].to_pylist() == [None] * 6 + [1, None]
    with pytest.raises(clew.FormatError, match="raise the cap"):
        clew.read(b"graph { {a b c} -- {d e f} }", max_expanded_bytes=100)


def test_attributes_with_names_of_clew_get_another() -> None:
    graph = clew.read(b'digraph { a [vertex=7]; a -> b [source=1, weight="heavy"] }')
    assert graph.vertex_columns.to_pydict() == {"vertex_": [7, None]}
    assert graph.edge_columns.to_pydict() == {"source_": [1], "weight_": ["heavy"]}


def test_lists_arcs_and_edges_of_pajek() -> None:
    graph = clew.read(b"*Network x\r\n*vertices 4\r\n*arcslist\r\n1 2 3\r\n*edges\r\n3 4 7\r\n4 4\r\n")
    assert graph.names is None
    edges = list(zip(*(column.tolist() for column in graph.edges()), strict=True))
    assert edges == [(0, 1, 1), (0, 2, 1), (2, 3, 7), (3, 2, 7), (3, 3, 1)]
    assert any("every edge became two arcs" in said for said in graph.report.decisions)
    assert any("3 edges without it got the weight 1" in said for said in graph.report.decisions)
    assert not clew.read(b"*Vertices 3\n*Edgeslist\n1 2 3\n").directed


BROKEN = [
    ("gml", b"graph [\n  node [ id 1 ]\n  node [ id 1 ]\n]", "line 3, column 3: the node 1 is there twice"),
    ("gml", b"graph [ node [ label 1 ] ]", "column 9: the node lacks an integer 'id'"),
    ("gml", b"graph [ edge [ source 1 ] ]", "the edge lacks the integers 'source' and 'target'"),
    ("gml", b"graph [ node [ id 1 ] edge [ source 1 target 2 ] ]", "the end 2, which is not among the nodes"),
    ("gml", b"graph [ name x ]", "column 14: the value of 'name' is 'x'; text needs quotes"),
    ("gml", b"graph [\n", "found the end of the file; expected ]"),
    ("gml", b"graph [ ] graph [ ]", "a second graph"),
    ("gml", b"a [ " * 60, "nested more than 50 deep"),
    ("gml", b"nodes 3\n", "there is no graph in the file"),
    ("gml", b"graph [ ;", "line 1, column 9: unexpected ';'"),
    ("gml", b'graph [ name "\xff" ]', "the text is not UTF-8"),
    ("gexf", b'<gexf><graph mode="dynamic"/></gexf>', "changes in time"),
    ("gexf", b'<gexf><graph><nodes><node id="a" start="1"/></nodes></graph></gexf>', "changes in time"),
    ("gexf", b'<gexf><graph><nodes><node id="a"><nodes><node id="b"/></nodes></node>', "nodes in nodes"),
    ("gexf", b'<gexf><graph defaultedgetype="mutual"/></gexf>', "edges are 'mutual'"),
    ("gexf", b'<!DOCTYPE x [<!ENTITY a SYSTEM "/etc/passwd">]><gexf><graph/></gexf>', "document type"),
    ("gexf", b'<gexf>\n<graph><nodes><node id="a"><attvalue for="k" value="1"/>', "line 2: an attvalue is for 'k'"),
    ("gexf", b'<gexf><graph><edges><edge source="a" target="a" weight="x"/>', "weight is 'x'"),
    ("dot", b"graph { a -> b }", "line 1, column 11: found '->'; expected --"),
    ("dot", b"graph { a -- }", "column 14: found '}'; expected word or number or text or html"),
    ("dot", b"graph { a\n", "found the end of the file"),
    ("dot", b"graph { } graph { }", "clew reads one graph"),
    ("dot", b"graph {" + b"{" * 60, "nested more than 50 deep"),
    ("dot", b'graph { "a }', "column 9: unexpected '\"'"),
    ("pajek", b"*Vertices 2\n3 x\n", "line 2, column 1: the number of a vertex is '3'; expected 1 to 2"),
    ("pajek", b"*Vertices 2\n1 a\n1 b\n", "line 3, column 1: vertex 1 is there twice"),
    ("pajek", b"*Vertices 2\n*Arcs\n1\n", "line 3, column 2: a vertex is ''; expected 1 to 2"),
    ("pajek", b"*Vertices 2\n*Arcs\n1 2 x\n", "line 3, column 5: the weight is 'x'; expected a number"),
    ("pajek", b"*Vertices 2\n*Arcs\n1 2 1 c\n", "'c' has no value"),
    ("pajek", b"*Vertices 2\n*Arcs\n1 2 1 [1-3]\n", "has no value"),
    ("pajek", b"*Vertices 2\n1 a [1-3]\n", "changes in time"),
    ("pajek", b"*Vertices 2\n*Matrix\n0 1\n", "not '*Matrix'"),
    ("pajek", b"*Vertices 99999999999\n", "but has only 22 bytes"),
    ("pajek", b"*Vertices\n", "the number of vertices is ''"),
    ("pajek", b"1 2\n", "expected '*Vertices'"),
    ("pajek", b"*Vertices 1\n*Vertices 1\n", "a second network"),
]  # fmt: skip


@pytest.mark.quick
@pytest.mark.parametrize(("format_name", "data", "problem"), BROKEN, ids=[problem for *_, problem in BROKEN])
def test_errors_say_where(format_name: str, data: bytes, problem: str) -> None:
    assert problem in refused(data, format_name)


@pytest.mark.parametrize(
    ("suffix", "name", "problem"),
    [(".dot", "a\\", "a backslash ends it"), (".net", 'a"b', "it has a quote"), (".gexf", "a\x01", "XML cannot hold")],
)
def test_names_that_a_format_cannot_hold_are_refused(suffix: str, name: str, problem: str) -> None:
    with pytest.raises(clew.FormatError, match=problem):
        stored(clew.Graph.from_edges([name], ["b"]), suffix)


def test_columns_that_gml_cannot_hold_are_refused() -> None:
    with pytest.raises(clew.FormatError, match="the column 'two words' cannot be written to GML"):
        stored(small().with_edge_columns({"two words": [1] * 5}), ".gml")


@pytest.mark.parametrize("format_name", FILES)
def test_damaged_files(format_name: str) -> None:
    fuzz([FILES[format_name], stored(small(), "", format=format_name)], format_name)
