"""GEXF, Gephi's format: nodes and edges in XML, with typed attributes.

Vertices are called by their labels, if each has one of its own, else by their ids. Graphs that change in time and
nodes in nodes are refused. Colors, sizes and positions are not read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from clew.graph import Graph
from clew.io.attributed import WEIGHT, marks_in, marks_of, names_of, write_edges, write_nodes
from clew.io.markup import DECLARATION, XmlReader, flag, has_root, quoted, type_of
from clew.io.options import ReadOptions, WriteOptions, noted
from clew.io.sink import Sink
from clew.io.source import Match, Source

HEADER = DECLARATION + '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">\n'
TYPES: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("integer", "int", "long", "short", "byte", "biginteger"), int),
    **dict.fromkeys(("float", "double", "bigdecimal"), float),
    **dict.fromkeys(("string", "anyuri", "liststring", "char"), str),
    "boolean": flag,
}
DIRECTED = {"directed": True, "undirected": False}
TIMES = {"start", "end", "startopen", "endopen", "timestamp", "timestamps", "intervals"}
LOOKS = {"color", "position", "size", "shape", "thickness"}


def sniff(head: bytes) -> Match:
    """XML whose root is gexf."""
    return has_root(head, b"gexf")


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a graph with the attributes of its nodes and edges."""
    reader = _Reader(source)
    reader.content.weights_without_edges = "weighted" in marks_in(source)
    reader.parse()
    said = f'defaultedgetype="{"directed" if reader.content.directed else "undirected"}"'
    graph = reader.content.graph(source, options, as_text="text" in marks_in(source), directed_by=said)
    return noted(graph, "Colors, sizes and positions were not read.") if reader.has_looks else graph


class _Reader(XmlReader):
    """What is in the file."""

    texts = ("default",)
    refused: ClassVar[dict[str, str]] = {"spells": "nodes or edges that exist for a time", "parents": "nodes in nodes"}

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.content.defaults["edge", WEIGHT] = 1
        self._declared: dict[tuple[str, str], tuple[str, Callable[[str], Any]]] = {}  # by class and id
        self._class, self._id = "", ""
        self.has_looks = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if attributes.get("mode") == "dynamic" or (tag in ("node", "edge") and TIMES & set(attributes)):
            raise self.error(
                "the graph changes in time, and clew's graphs do not. In Gephi, export one moment as a static graph."
            )
        if tag == "graph":
            self.begin_graph()
            self.content.directed = self._direction(attributes.get("defaultedgetype", "undirected"))
        elif tag == "node":
            if "node" in self.inside[:-1] or "pid" in attributes:
                raise self.error("the file has nodes in nodes; clew reads nodes and edges of one graph.")
            self.add_node(attributes)
            if "label" in attributes:
                self.content.labels[len(self.content.nodes) - 1] = attributes["label"]
        elif tag == "edge":
            own = attributes.get("type")
            self.add_edge(attributes, None if own is None else self._direction(own))
            values: dict[str, Any] = {"label": attributes["label"]} if "label" in attributes else {}
            if "weight" in attributes:
                values[WEIGHT] = self.converted(_number, WEIGHT, attributes["weight"])
            self.content.put("edge", len(self.content.source) - 1, values)
        elif tag == "attributes":
            self._class = attributes.get("class", "node")
        elif tag == "attribute":
            self._id, kind = self.attribute(attributes, tag, "id"), attributes.get("type", "string").lower()
            if kind not in TYPES:
                raise self.error(f"an attribute has the type {kind!r}; expected one of {', '.join(TYPES)}.")
            self._declared[self._class, self._id] = (attributes.get("title", self._id), TYPES[kind])
        elif tag == "attvalue":
            self._add_value(attributes)
        self.has_looks |= tag in LOOKS

    def _direction(self, text: str) -> bool:
        if text not in DIRECTED:
            raise self.error(f"edges are {text!r}; expected directed or undirected ones.")
        return DIRECTED[text]

    def _add_value(self, attributes: dict[str, str]) -> None:
        of = "edge" if "edge" in self.inside else "node"
        key = attributes.get("for", attributes.get("id", ""))  # GEXF 1.0 calls it id
        if (of, key) not in self._declared or of not in self.inside:
            raise self.error(f"an attvalue is for {key!r}, which no attribute of class {of!r} declares.")
        name, convert = self._declared[of, key]
        number = len(self.content.source if of == "edge" else self.content.nodes) - 1
        self.content.put(
            of, number, {name: self.converted(convert, name, self.attribute(attributes, "attvalue", "value"))}
        )

    def end(self, tag: str, text: str) -> None:
        """An element ends."""
        if tag == "default" and (self._class, self._id) in self._declared:
            name, convert = self._declared[self._class, self._id]
            self.content.defaults[self._class, name] = self.converted(convert, name, text)


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:  # noqa: ARG001
    """Write nodes and edges with their attributes, as Gephi and NetworkX read them."""
    mark = f"<!-- {mark} -->\n" if (mark := marks_of(graph, typed=False)) else ""
    sink.write(f'{HEADER}{mark}<graph defaultedgetype="{"" if graph.directed else "un"}directed">\n'.encode())
    keys: dict[tuple[str, str], int] = {}
    for of, table in (("node", graph.vertex_columns), ("edge", graph.edge_columns)):
        lines = [f'<attributes class="{of}">\n']
        for name in table.column_names:
            keys[of, name] = len(keys)
            kind = type_of(table.schema.field(name).type)
            lines.append(f'<attribute id="{keys[of, name]}" title={quoted(name, sink)} type="{kind}"/>\n')
        if table.num_columns:
            sink.write("".join([*lines, "</attributes>\n"]).encode())

    def data(of: str, row: dict[str, Any]) -> str:
        """The end of an element, with its attributes."""
        weight = f" weight={quoted(+row.pop(WEIGHT), sink)}" if of == "edge" and WEIGHT in row else ""
        values = (f'<attvalue for="{keys[of, name]}" value={quoted(value, sink)}/>' for name, value in row.items())
        return f"{weight}><attvalues>{''.join(values)}</attvalues></{of}>\n" if row else f"{weight}/>\n"

    called = [quoted(name, sink) for name in names_of(graph)]
    sink.write(b"<nodes>\n")
    write_nodes(graph, sink, lambda k, row: f"<node id={called[k]} label={called[k]}{data('node', row)}")
    sink.write(b"</nodes>\n<edges>\n")
    write_edges(
        graph,
        sink,
        lambda k, u, v, row: f'<edge id="{k}" source={called[u]} target={called[v]}{data("edge", row)}',
    )
    sink.write(b"</edges>\n</graph>\n</gexf>\n")
