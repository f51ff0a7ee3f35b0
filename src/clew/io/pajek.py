"""Pajek networks: ``*Vertices`` with labels and attributes, then ``*Arcs``, ``*Edges``, ``*Arcslist``, ``*Edgeslist``.

A vertex has a number from 1, a label, up to three coordinates, a shape, and pairs of a name and a value. A line is an
edge: two numbers, a weight (1 where it is missing), and such pairs. In a list, the first vertex of a line is connected
to all others. Where there are arcs as well as edges, an edge is two arcs. Words in quotes are text.
"""

from __future__ import annotations

import re
from typing import Any

from clew.checks import counted
from clew.errors import FormatError
from clew.graph import Graph
from clew.io.attributed import WEIGHT, Content, marks_in, marks_of, names_of, write_edges, write_nodes
from clew.io.lexer import decoded, literal, plain_number
from clew.io.options import ReadOptions, WriteOptions, noted
from clew.io.sink import Sink
from clew.io.source import Match, Source

SECTIONS = {"*arcs": (True, False), "*edges": (False, False), "*arcslist": (True, True), "*edgeslist": (False, True)}
MANY = 1 << 20  # vertices that a short file may have
USUAL = {"x": 0.0, "y": 0.0, "shape": "ellipse"}  # what NetworkX writes where nothing is known
_START = re.compile(rb"(?i)(?:\s+|%[^\n]*\n|\*network[^\n]*\n)*+\*vertices\b")
_WORD = re.compile(r'"([^"]*)"|(\S+)')
_PLAIN = re.compile(r"[A-Za-z]\w*")
_LINE_END = re.compile(r"\r\n|\n|\r")


def sniff(head: bytes) -> Match:
    """A line ``*Vertices``, after comments."""
    return Match.SURE if _START.match(head.removeprefix(b"\xef\xbb\xbf")) else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a network with the attributes of its vertices and edges."""
    reader = _Reader(source)
    reader.parse()
    content, marks = reader.content, marks_in(source)
    said = []
    if content.directed and reader.undirected:
        said.append("The network has arcs and edges; every edge became two arcs.")
        for number in reader.undirected:
            if content.source[number] != content.target[number]:
                row = {name: column[number] for name, column in content.edge_columns.items() if number in column}
                content.put("edge", len(content.source), row)
                content.source.append(content.target[number])
                content.target.append(content.source[number])
    for name, usual in USUAL.items():
        if set(content.node_columns.get(name, {}).values()) == {usual}:
            del content.node_columns[name]
    content.weights_without_edges = "weighted" in marks
    if "unweighted" in marks:
        content.edge_columns.pop(WEIGHT, None)
    by = "its section *Arcs" if content.directed else "its section *Edges"
    return noted(content.graph(source, options, as_text=reader.has_quoted_labels, directed_by=by), *said)


class _Reader:
    """What is in the file."""

    def __init__(self, source: Source) -> None:
        self._source, self.content = source, Content(defaults={("edge", WEIGHT): 1})
        self.undirected: list[int] = []  # the numbers of edges that are no arcs
        self.has_quoted_labels = False
        self._line, self._words = 0, list[re.Match[str]]()

    def parse(self) -> None:
        """Go through the lines."""
        section, directed, listed = "", False, False
        seen: set[bool] = set()
        for number, text in enumerate(_LINE_END.split(decoded(self._source)), 1):
            self._line, self._words = number, list(_WORD.finditer(text))
            if not self._words or text.lstrip().startswith("%"):
                continue
            first = self._words[0][0].lower()
            if first.startswith("*"):
                section = first.rstrip(":")
                if section == "*vertices":
                    self._begin()
                elif section in SECTIONS:
                    directed, listed = SECTIONS[section]
                    seen.add(directed)
                elif section != "*network":
                    raise self._error(0, f"clew reads *Vertices, *Arcs and *Edges, not {self._words[0][0]!r}")
            elif section == "*vertices":
                self._add_vertex()
            elif section in SECTIONS:
                self._add_edges(directed, listed)
            else:
                raise self._error(0, "expected '*Vertices' and the number of vertices first")
        self.content.directed = True in seen or not seen

    def _begin(self) -> None:
        if self.content.nodes:
            raise self._error(0, "the file has a second network; clew reads one")
        count = self._integer(1, "the number of vertices", None)
        if count > max(MANY, self._source.whole().size):
            size = counted(self._source.whole().size, "byte")
            raise self._error(1, f"the file says that it has {counted(count, 'vertex')}, but has only {size}")
        self.content.nodes = {number: number for number in range(count)}

    def _add_vertex(self) -> None:
        number = self._integer(0, "the number of a vertex", len(self.content.nodes)) - 1
        if number in self.content.labels:
            raise self._error(0, f"vertex {number + 1} is there twice")
        if len(self._words) > 1:
            label = self._words[1]
            self.has_quoted_labels |= label[1] is not None
            self.content.labels[number] = label[1] if label[1] is not None else label[2]
        place, row = 2, dict[str, Any]()
        for name in ("x", "y", "z"):
            value = self._value(place) if place < len(self._words) else None
            if isinstance(value, str | None):
                break
            row[name], place = float(value), place + 1
        if place < len(self._words) and (len(self._words) - place) % 2:
            row["shape"], place = self._value(place), place + 1
        self.content.put("node", number, row | self._pairs(place))

    def _add_edges(self, directed: bool, listed: bool) -> None:
        count = len(self.content.nodes)
        ends = [self._integer(place, "a vertex", count) - 1 for place in range(len(self._words) if listed else 2)]
        row: dict[str, Any] = {}
        if not listed and len(self._words) > 2:
            row[WEIGHT] = self._value(2)
            if isinstance(row[WEIGHT], str):
                try:
                    row[WEIGHT] = float(row[WEIGHT])  # such as 1e5 or nan
                except ValueError:
                    raise self._error(2, f"the weight is {row[WEIGHT]!r}; expected a number") from None
            row |= self._pairs(3)
        for end in ends[1:]:
            if not directed:
                self.undirected.append(len(self.content.source))
            self.content.put("edge", len(self.content.source), row)
            self.content.source.append(ends[0])
            self.content.target.append(end)

    def _pairs(self, place: int) -> dict[str, Any]:
        """Names and values from a place in the line to its end."""
        if (len(self._words) - place) % 2 and place < len(self._words):
            raise self._error(len(self._words) - 1, f"{self._words[-1][0]!r} has no value")
        return {str(self._value(at, text=True)): self._value(at + 1) for at in range(place, len(self._words), 2)}

    def _value(self, place: int, *, text: bool = False) -> Any:
        word = self._words[place]
        if word[1] is None and word[2].startswith("["):
            raise self._error(place, "the network changes in time, and clew's graphs do not")
        return word[1] if word[1] is not None else word[2] if text else literal(word[2])

    def _integer(self, place: int, what: str, highest: int | None) -> int:
        text = self._words[place][0] if place < len(self._words) else ""
        if not text.isdecimal() or len(text) > 18 or (highest is not None and not 1 <= int(text) <= highest):
            expected = "an integer" if highest is None else f"1 to {highest:,}"
            raise self._error(place, f"{what} is {text[:40]!r}; expected {expected}")
        return int(text)

    def _error(self, place: int, problem: str) -> FormatError:
        column = self._words[place].start() + 1 if place < len(self._words) else self._words[-1].end() + 1
        return self._source.error(f"{problem}.", line=self._line, column=column)


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:  # noqa: ARG001
    """Write labels, edges and attributes, as Pajek, NetworkX and igraph read them."""
    unweighted = not graph.weighted and graph.edge_columns.num_columns
    mark = "% clew: unweighted\n" if unweighted else f"% {marks_of(graph)}\n" if marks_of(graph) else ""
    sink.write(f"{mark}*Vertices {graph.num_vertices}\n".encode())
    names = [_shown(name, sink) for name in names_of(graph)]
    has_columns = graph.vertex_columns.num_columns > 0

    def pairs(row: dict[str, Any]) -> str:
        return "".join(f" {_word(name, sink)} {_shown(value, sink)}" for name, value in row.items())

    def vertex(number: int, row: dict[str, Any]) -> str:
        row = dict(row)
        depth = [row.pop("z")] if isinstance(row.get("z"), float | int) else []
        usual = [row.pop(name, value) for name, value in USUAL.items()]
        look = [*usual[:2], *depth, usual[2]] if has_columns else []
        return f"{number + 1} {names[number]}{''.join(f' {_word(value, sink)}' for value in look)}{pairs(row)}\n"

    def edge(_: int, u: int, v: int, row: dict[str, Any]) -> str:
        weight = row.pop(WEIGHT, None if not row else 1)
        return f"{u + 1} {v + 1}{'' if weight is None else f' {plain_number(weight) or weight}'}{pairs(row)}\n"

    write_nodes(graph, sink, vertex)
    sink.write(b"*Arcs\n" if graph.directed else b"*Edges\n")
    write_edges(graph, sink, edge)


def _word(value: Any, sink: Sink) -> str:
    return value if isinstance(value, str) and _PLAIN.fullmatch(value) else _shown(value, sink)


def _shown(value: Any, sink: Sink) -> str:
    if (number := plain_number(value)) is not None:
        return number
    text = str(value)
    if '"' in text or any(letter < " " for letter in text):
        raise sink.error(f"the text {text!r} cannot be written to a Pajek network: it has a quote or a line's end.")
    return f'"{text}"'
