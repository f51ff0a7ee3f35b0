"""GraphML: nodes and edges in XML, with typed attributes that ``key`` elements declare.

Nested graphs, ports and hyperedges are refused, and so is a document type: its entities may expand without bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa

from clew.errors import FormatError
from clew.graph import Graph
from clew.io.attributed import WEIGHT, Content, edge_table, names_of, rows_of
from clew.io.options import ReadOptions, WriteOptions
from clew.io.sink import Sink
from clew.io.source import BLOCK_BYTES, Match, Source

TEXT_NAMES = "clew.names"  # an attribute of the graph that clew writes: names are text, also those that are numbers
REFUSED = {"hyperedge": "a hyperedge", "port": "a port", "locator": "a link to another file"}
_MARK = (b"<graphml", b":graphml")
HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'


def _flag(text: str) -> bool:
    known = {"true": True, "1": True, "false": False, "0": False}
    return known[text.strip().lower()]


TYPES: dict[str, Callable[[str], Any]] = {
    "boolean": _flag,
    "int": int,
    "long": int,
    "float": float,
    "double": float,
    "string": str,
}


def sniff(head: bytes) -> Match:
    """XML whose root is graphml."""
    start = head[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    return Match.SURE if start.startswith(b"<") and any(mark in start for mark in _MARK) else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a graph with the attributes of its nodes and edges."""
    reader = _Reader(source)
    reader.parse()
    names = reader.graph_data.get(TEXT_NAMES) == "text"
    said = f'edgedefault="{"directed" if reader.content.directed else "undirected"}"'
    return reader.content.graph(source, options, as_text=names, directed_by=said)


class _Reader:
    """The handlers of a parser, and what they have collected."""

    def __init__(self, source: Source) -> None:
        self.source, self.content = source, Content()
        self.graph_data: dict[str, Any] = {}
        self._keys: dict[str, tuple[str, str, Callable[[str], Any]]] = {}  # what they are for, name, conversion
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._inside: list[str] = []  # the elements that are open
        self._text: list[str] | None = None
        self._key = ""
        self._graphs = 0

    def parse(self) -> None:
        """Go through the file."""
        data = self.source.whole()
        try:
            for first in range(0, data.size, BLOCK_BYTES):
                self._parser.Parse(data[first : first + BLOCK_BYTES].tobytes(), False)
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise self._error(f"this is not well-formed XML: {expat.ErrorString(error.code)}.") from None
        if self._graphs == 0:
            raise self._error("there is no graph element in the file.")

    def _error(self, problem: str) -> FormatError:
        return self.source.error(problem, line=self._parser.CurrentLineNumber)

    def _refuse_doctype(self, *_: object) -> None:
        raise self._error("the file has a document type, whose entities may expand without bound. Remove the DOCTYPE.")

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        tag = element.rpartition(" ")[2]
        self._inside.append(tag)
        if tag in REFUSED:
            raise self._error(f"the file has {REFUSED[tag]}; clew reads nodes and edges of one graph.")
        if tag == "graph":
            self._begin_graph(attributes)
        elif tag == "node":
            if not self.content.add_node(self._attribute(attributes, tag, "id")):
                raise self._error(f"the node {attributes['id']!r} is there twice.")
        elif tag == "edge":
            self._add_edge(attributes)
        elif tag == "key":
            self._declare(attributes)
        elif tag == "data":
            self._key = self._attribute(attributes, tag, "key")
        if tag in ("data", "default"):
            self._text = []

    def _begin_graph(self, attributes: dict[str, str]) -> None:
        self._graphs += 1
        if self._graphs > 1:
            raise self._error("the file has a second graph; clew reads one. Write each to a file of its own.")
        default = attributes.get("edgedefault")
        if default not in ("directed", "undirected"):
            raise self._error(f'edgedefault is {default!r}; expected "directed" or "undirected".')
        self.content.directed = default == "directed"

    def _add_edge(self, attributes: dict[str, str]) -> None:
        own = attributes.get("directed")
        if own is not None and _flag(own) != self.content.directed:
            raise self._error("an edge has another direction than edgedefault says; clew's edges are all alike.")
        self.content.source.append(self._attribute(attributes, "edge", "source"))
        self.content.target.append(self._attribute(attributes, "edge", "target"))

    def _declare(self, attributes: dict[str, str]) -> None:
        self._key = self._attribute(attributes, "key", "id")
        kind = attributes.get("attr.type", "string").lower()
        if kind not in TYPES:
            raise self._error(f"attr.type is {kind!r}; expected one of {', '.join(TYPES)}.")
        of, name = attributes.get("for", "all"), attributes.get("attr.name", self._key)
        self._keys[self._key] = (of, name, TYPES[kind])
        self.content.weights_without_edges |= of == "edge" and name == WEIGHT and kind != "string"

    def _attribute(self, attributes: dict[str, str], tag: str, name: str) -> str:
        if name not in attributes:
            raise self._error(f"the element {tag} has no {name}.")
        return attributes[name]

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, _: str) -> None:
        tag = self._inside.pop()
        if tag not in ("data", "default"):
            return
        text, self._text = "".join(self._text or ()), None
        if self._key not in self._keys:
            raise self._error(f"data has the key {self._key!r}, which no key element declares.")
        of, name, convert = self._keys[self._key]
        try:
            value = convert(text)
        except (ValueError, KeyError):
            raise self._error(f"{name} is {text!r}; its key declares another type.") from None
        around = self._inside[-1]
        if tag == "default":
            for what in ("node", "edge"):
                if of in (what, "all"):
                    self.content.defaults[what, name] = value
        elif around == "node":
            self.content.node_columns.setdefault(name, {})[len(self.content.nodes) - 1] = value
        elif around == "edge":
            self.content.edge_columns.setdefault(name, {})[len(self.content.source) - 1] = value
        else:
            self.graph_data[name] = value


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:  # noqa: ARG001
    """Write nodes and edges with their attributes, as NetworkX, igraph, Gephi and Cytoscape read them."""
    names = names_of(graph)
    source, target, edges = edge_table(graph)
    nodes = graph.vertex_columns
    keys = {("node", name): f"n{k}" for k, name in enumerate(nodes.column_names)}
    keys |= {("edge", name): f"e{k}" for k, name in enumerate(edges.column_names)}
    lines = [HEADER]
    for (of, name), key in keys.items():
        kind = _type_of((nodes if of == "node" else edges).schema.field(name).type)
        lines.append(f'<key id="{key}" for="{of}" attr.name={_quoted(name, sink)} attr.type="{kind}"/>\n')
    text = graph.names is not None and not graph.names.are_integers
    if text:
        lines.append(f'<key id="g0" for="graph" attr.name="{TEXT_NAMES}" attr.type="string"/>\n')
    lines.append(f'<graph edgedefault="{"directed" if graph.directed else "undirected"}">\n')
    if text:
        lines.append('<data key="g0">text</data>\n')
    sink.write("".join(lines).encode())
    called = [_quoted(str(name), sink) for name in names]
    for first, rows in rows_of(nodes, len(names)):
        written = (f"<node id={called[first + k]}{_data('node', row, keys, sink)}\n" for k, row in enumerate(rows))
        sink.write("".join(written).encode())
    for first, rows in rows_of(edges, source.size):
        ends = zip(source[first:].tolist(), target[first:].tolist(), rows, strict=False)
        written = (
            f"<edge source={called[u]} target={called[v]}{_data('edge', row, keys, sink)}\n" for u, v, row in ends
        )
        sink.write("".join(written).encode())
    sink.write(b"</graph>\n</graphml>\n")


def _type_of(kind: Any) -> str:
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind):
        return "long"
    return "double" if pa.types.is_floating(kind) else "string"


def _data(of: str, row: dict[str, Any], keys: dict[tuple[str, str], str], sink: Sink) -> str:
    """The end of an element, with its attributes."""
    if not row:
        return "/>"
    data = (f'<data key="{keys[of, name]}">{_plain(escape(_shown(value)), sink)}</data>' for name, value in row.items())
    return f">{''.join(data)}</{of}>"


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _quoted(text: str, sink: Sink) -> str:
    return quoteattr(_plain(text, sink), {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})


def _plain(text: str, sink: Sink) -> str:
    """The text, if XML can hold it."""
    if any(letter < " " and letter not in "\t\n\r" for letter in text) or "\ufffe" in text or "\uffff" in text:
        raise sink.error(f"the text {text!r} has a character that XML cannot hold.")
    return text
