"""GraphML and JSON of nodes and links: attributes, what NetworkX reads and writes, and damaged files."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pytest

import clew
from clew.io import registry

SUFFIXES = [".graphml", ".json"]


def people() -> nx.Graph:
    graph = nx.Graph()
    graph.add_node("ann", age=40, member=True)
    graph.add_node("bob <lee> & 'co'", city="Rome")
    graph.add_edge("ann", "bob <lee> & 'co'", weight=2.5, since=1999)
    graph.add_edge("ann", "cy", weight=1.0)
    return graph


def written(graph: nx.Graph, path: Path) -> Path:
    if path.suffix == ".json":
        path.write_text(json.dumps(nx.node_link_data(graph)))
    else:
        nx.write_graphml(graph, path)
    return path


def read_by_networkx(path: Path) -> nx.Graph:
    return nx.node_link_graph(json.loads(path.read_text())) if path.suffix == ".json" else nx.read_graphml(path)


@pytest.mark.quick
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_attributes_of_networkx_become_columns_and_come_back(tmp_path: Path, suffix: str) -> None:
    graph = clew.read(written(people(), tmp_path / f"a{suffix}"))
    assert list(graph.names) == list(people())
    assert not graph.directed
    assert graph.edges()[2].tolist() == [2.5, 1.0]
    ages = {"age": [40, None, None], "member": [True, None, None], "city": [None, "Rome", None]}
    assert graph.vertex_columns.to_pydict() == ages
    assert graph.edge_columns.to_pydict() == {"since": [1999, None]}
    assert any("'weight' is the weight" in said for said in graph.report.decisions)
    assert clew.write(graph, tmp_path / f"b{suffix}") == []
    again = read_by_networkx(tmp_path / f"b{suffix}")
    assert dict(again.nodes(data=True)) == dict(people().nodes(data=True))
    assert sorted(again.edges(data=True), key=str) == sorted(people().edges(data=True), key=str)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_integers_are_ids_or_names(tmp_path: Path, suffix: str) -> None:
    path = written(nx.DiGraph([(1, 0), (0, 2)]), tmp_path / f"a{suffix}")
    graph = clew.read(path)
    assert (graph.names, graph.directed, sorted(zip(*(end.tolist() for end in graph.edges()[:2]), strict=True))) == (
        None,
        True,
        [(0, 2), (1, 0)],
    )
    assert list(clew.read(written(nx.path_graph([7, 5]), path)).names) == [7, 5]
    assert list(clew.read(path, ids="text").names) == ["7", "5"]


def test_formats_without_names_of_weights_refuse_one(tmp_path: Path) -> None:
    graph = clew.generate.random_weights(clew.generate.path(3, directed=True))
    for one in registry.FORMATS:
        path = tmp_path / f"graph{one.suffixes[0]}"
        try:
            clew.write(graph, path, format=one.name)
        except clew.errors.ClewError:
            continue
        with pytest.raises(clew.errors.ClewError, match=r"length.*(Leave it out|there are|file has|columns are)"):
            clew.read(path, format=one.name, weights="length")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_any_attribute_can_be_the_weight(tmp_path: Path, suffix: str) -> None:
    graph = nx.Graph()
    graph.add_edge("a", "b", length=3, weight="heavy")
    path = written(graph, tmp_path / f"a{suffix}")
    assert clew.read(path, weight="length").weights.tolist() == [3, 3]
    plain = clew.read(path)
    assert not plain.weighted
    assert any("not a number on every edge" in said for said in plain.report.decisions)
    with pytest.raises(clew.FormatError, match="there is no edge attribute 'cost'"):
        clew.read(path, weight="cost")
    with pytest.raises(clew.FormatError, match="not a number on every edge"):
        clew.read(path, weights=True)
    assert clew.read(path, columns=["length"]).edge_columns.column_names == ["length"]


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><graphml><graph edgedefault="directed"/></graphml>'
GRAPH = '<graphml><graph edgedefault="directed">{}</graph></graphml>'
BROKEN = [
    (BOMB, "document type"),
    (GRAPH.format('<node id="a"/>\n<node id="a"/>'), "line 2: the node 'a' is there twice"),
    (GRAPH.format('<node id="a"/><edge source="a" target="q"/>'), "the end 'q', which is not among the nodes"),
    (GRAPH.format('<edge source="a"/>'), "the element edge has no target"),
    (GRAPH.format('<node id="a"><graph edgedefault="directed"/></node>'), "a second graph"),
    (GRAPH.format('<hyperedge id="h"/>'), "a hyperedge"),
    (GRAPH.format('<node id="a"/><edge source="a" target="a" directed="false"/>'), "another direction"),
    (GRAPH.format('<node id="a"><data key="k">1</data></node>'), "'k', which no key element declares"),
    ('<graphml><key id="k" for="node" attr.type="int"/><graph edgedefault="directed"><node id="a">'
     '<data key="k">x</data></node></graph></graphml>', "k is 'x'"),
    ("<graphml><graph/></graphml>", "edgedefault is None"),
    ("<graphml></graphml>", "no graph element"),
    ("<graphml><graph", "not well-formed"),
    ('{"nodes": [{"id": 1}], "links": [{"source": 1}]}', "edge number 1 has no 'target'"),
    ('{"nodes": [{"id": 1}, {"id": 1}], "links": []}', "the node 1 is there twice"),
    ('{"nodes": [{"name": 1}], "links": []}', "node number 1 has no 'id'"),
    ('{"nodes": [{"id": [1]}], "links": []}', "expected text or an integer"),
    ('{"nodes": [{"id": 1}, {"id": "a"}], "links": []}', "cannot be vertex names"),
    ('{"nodes": []}', "expected an object with the lists"),
    ('{"nodes": [1', "this is not JSON"),
]  # fmt: skip


@pytest.mark.quick
@pytest.mark.parametrize(("text", "problem"), BROKEN, ids=[problem for _, problem in BROKEN])
def test_broken_files_get_a_sentence(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "graph"
    path.write_text(text)
    with pytest.raises(clew.FormatError) as caught:
        clew.read(path)
    assert problem in str(caught.value)


def test_text_that_xml_cannot_hold_is_refused(tmp_path: Path) -> None:
    graph = clew.Graph.from_edges(["a\x01"], ["b"])
    with pytest.raises(clew.FormatError, match="a character that XML cannot hold"):
        clew.write(graph, tmp_path / "a.graphml")
