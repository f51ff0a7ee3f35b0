"""GraphML: nodes and edges in XML, with typed attributes that ``key`` elements declare.

Nested graphs, ports and hyperedges are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from clew.graph import Graph
from clew.io.attributed import WEIGHT, edge_table, names_of, write_edges, write_nodes
from clew.io.markup import DECLARATION, XmlReader, flag, has_root, quoted, shown, type_of
from clew.io.options import ReadOptions, WriteOptions
from clew.io.sink import Sink
from clew.io.source import Match, Source

TEXT_NAMES = "clew.names"  # an attribute of the graph that clew writes: names are text, also those that are numbers
HEADER = DECLARATION + '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
TYPES: dict[str, Callable[[str], Any]] = {
    "boolean": flag,
    "int": int,
    "long": int,
    "float": float,
    "double": float,
    "string": str,
}


def sniff(head: bytes) -> Match:
    """XML whose root is graphml."""
    return has_root(head, b"graphml")


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a graph with the attributes of its nodes and edges."""
    reader = _Reader(source)
    reader.parse()
    names = reader.graph_data.get(TEXT_NAMES) == "text"
    said = f'edgedefault="{"directed" if reader.content.directed else "undirected"}"'
    return reader.content.graph(source, options, as_text=names, directed_by=said)


class _Reader(XmlReader):
    """What is in the file."""

    texts = ("data", "default")
    refused: ClassVar[dict[str, str]] = {
        "hyperedge": "a hyperedge",
        "port": "a port",
        "locator": "a link to another file",
    }

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.graph_data: dict[str, Any] = {}
        self._keys: dict[str, tuple[str, str, Callable[[str], Any]]] = {}  # their use, name, conversion
        self._key = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if tag == "graph":
            self.begin_graph()
            default = attributes.get("edgedefault")
            if default not in ("directed", "undirected"):
                raise self.error(f'edgedefault is {default!r}; expected "directed" or "undirected".')
            self.content.directed = default == "directed"
        elif tag == "node":
            self.add_node(attributes)
        elif tag == "edge":
            own = attributes.get("directed")
            self.add_edge(attributes, None if own is None else self.converted(flag, "directed", own))
        elif tag == "key":
            self._declare(attributes)
        elif tag == "data":
            self._key = self.attribute(attributes, tag, "key")

    def _declare(self, attributes: dict[str, str]) -> None:
        self._key = self.attribute(attributes, "key", "id")
        kind = attributes.get("attr.type", "string").lower()
        if kind not in TYPES:
            raise self.error(f"attr.type is {kind!r}; expected one of {', '.join(TYPES)}.")
        of, name = attributes.get("for", "all"), attributes.get("attr.name", self._key)
        self._keys[self._key] = (of, name, TYPES[kind])
        self.content.weights_without_edges |= of == "edge" and name == WEIGHT and kind != "string"

    def end(self, tag: str, text: str) -> None:
        """An element ends."""
        if tag not in self.texts:
            return
        if self._key not in self._keys:
            raise self.error(f"data has the key {self._key!r}, which no key element declares.")
        of, name, convert = self._keys[self._key]
        value = self.converted(convert, name, text)
        around = self.inside[-1]
        if tag == "default":
            for what in ("node", "edge"):
                if of in (what, "all"):
                    self.content.defaults[what, name] = value
        elif around == "node":
            self.content.put("node", len(self.content.nodes) - 1, {name: value})
        elif around == "edge":
            self.content.put("edge", len(self.content.source) - 1, {name: value})
        else:
            self.graph_data[name] = value


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:  # noqa: ARG001
    """Write nodes and edges with their attributes, as NetworkX, igraph, Gephi and Cytoscape read them."""
    nodes, edges = graph.vertex_columns, edge_table(graph)
    keys = {("node", name): f"n{k}" for k, name in enumerate(nodes.column_names)}
    keys |= {("edge", name): f"e{k}" for k, name in enumerate(edges.column_names)}
    lines = [HEADER]
    for (of, name), key in keys.items():
        kind = type_of((nodes if of == "node" else edges).schema.field(name).type)
        lines.append(f'<key id="{key}" for="{of}" attr.name={quoted(name, sink)} attr.type="{kind}"/>\n')
    text = graph.names is not None and not graph.names.are_integers
    if text:
        lines.append(f'<key id="g0" for="graph" attr.name="{TEXT_NAMES}" attr.type="string"/>\n')
    lines.append(f'<graph edgedefault="{"directed" if graph.directed else "undirected"}">\n')
    if text:
        lines.append('<data key="g0">text</data>\n')
    sink.write("".join(lines).encode())

    def data(of: str, row: dict[str, Any]) -> str:
        """The end of an element, with its attributes."""
        values = (f'<data key="{keys[of, name]}">{shown(value, sink)}</data>' for name, value in row.items())
        return f">{''.join(values)}</{of}>\n" if row else "/>\n"

    called = [quoted(name, sink) for name in names_of(graph)]
    write_nodes(graph, sink, lambda k, row: f"<node id={called[k]}{data('node', row)}")
    write_edges(graph, sink, lambda _, u, v, row: f"<edge source={called[u]} target={called[v]}{data('edge', row)}")
    sink.write(b"</graph>\n</graphml>\n")
