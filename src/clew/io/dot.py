"""Graphviz DOT: nodes and edges with attributes, edge chains, subgraphs and comments.

A subgraph stands for its nodes. Ports, and the attributes of graphs and subgraphs, are not kept. A ``strict`` graph has
every edge once. Words in quotes are text; integers without quotes are integers.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any

from clew.graph import Graph
from clew.io.attributed import WEIGHT, Content, marks_in, marks_of, names_of, write_edges, write_nodes
from clew.io.binary import refuse_expansion
from clew.io.lexer import Lexer, literal, plain_number
from clew.io.options import ReadOptions, WriteOptions
from clew.io.sink import Sink
from clew.io.source import Match, Source

DEEPEST = 50  # subgraphs in subgraphs
EDGE_BYTES = 16
_TOKENS = re.compile(
    r"""\s*(?:(?P<skip>//[^\n]*|/\*.*?\*/|^\#[^\n]*)|(?P<arrow>->|--)|(?P<text>"(?:\\.|[^"\\])*")
    |(?P<number>-?(?:\.\d+|\d+(?:\.\d*)?))|(?P<word>[^\W\d]\w*)|(?P<html><(?:[^<>]|<[^<>]*>)*>)|(?P<mark>[{}\[\];,=:+])|)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_START = re.compile(
    rb"""(?is)(?:\s+|/\*.*?\*/|(?:\#|//)[^\n]*\n)*+(?:strict\s+)?(?:di)?graph\b\s*(?:"[^"\n]*"|[\w.-]+)?\s*\{""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r'\\\\|\\"|\\\r?\n')
_WORD = re.compile(r"(?!(?:node|edge|graph|digraph|subgraph|strict)\Z)[A-Za-z_][A-Za-z0-9_]*", re.IGNORECASE)
_LONE_BACKSLASH = re.compile(r'(?<!\\)(?:\\\\)*\\(?:"|\r?\n|\Z)')


def sniff(head: bytes) -> Match:
    """A graph in braces, after comments."""
    return Match.SURE if _START.match(head.removeprefix(b"\xef\xbb\xbf")) else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a graph with the attributes of its nodes and edges."""
    reader = _Reader(source, WEIGHT if options.weight is None else str(options.weight))
    strict, said = reader.parse()
    if strict and options.duplicates == "keep":
        options = replace(options, duplicates="first")
    reader.content.weights_without_edges = "weighted" in marks_in(source)
    return reader.content.graph(source, options, as_text=reader.has_quoted_names, directed_by=said)


class _Reader:
    """What is in the file. Statements return the numbers of the nodes in them."""

    def __init__(self, source: Source, weight: str) -> None:
        self._source, self._weight = source, weight
        self._lexer, self.content = Lexer(source, _TOKENS), Content(defaults={("edge", WEIGHT): 1})
        self._names: list[str] = []
        self.has_quoted_names = False

    def parse(self) -> tuple[bool, str]:
        """Whether the graph is strict, and what says its direction."""
        strict = self._lexer.skips("strict")
        kind = self._lexer.take("graph", "digraph").text.lower()
        self.content.directed = kind == "digraph"
        if self._lexer.token.text != "{":
            self._word()
        self._block({"node": {}, "edge": {}}, DEEPEST)
        if self._lexer.token.kind:
            raise self._lexer.unexpected("expected the end of the file: clew reads one graph")
        return strict, f"'{kind}'"

    def _block(self, defaults: dict[str, dict[str, Any]], depth: int) -> dict[int, None]:
        if not depth:
            raise self._lexer.error(f"the subgraphs are nested more than {DEEPEST} deep.")
        self._lexer.take("{")
        members: dict[int, None] = {}
        defaults = dict(defaults)  # what a subgraph sets ends with it
        while not self._lexer.skips("}"):
            if not self._lexer.skips(";") and not self._lexer.skips(","):
                members |= self._statement(defaults, depth)
        return members

    def _statement(self, defaults: dict[str, dict[str, Any]], depth: int) -> dict[int, None]:
        token = self._lexer.token
        if token.kind == "word" and (of := token.text.lower()) in ("graph", "node", "edge"):
            self._lexer.take()
            defaults[of] = {**defaults.get(of, {}), **self._attributes()}
            return {}
        is_node = token.text not in ("{", "subgraph")
        group = self._group(defaults, depth)
        if group is None:  # an attribute of the graph
            return {}
        members, chain = dict(group), [group]
        while self._lexer.token.kind == "arrow":
            expected = "->" if self.content.directed else "--"
            self._lexer.take(expected)
            ends = self._group(defaults, depth)
            if ends is None:
                raise self._lexer.unexpected("expected a node")
            chain.append(ends)
            members |= ends
        values = self._attributes()
        if len(chain) == 1 and is_node:
            self.content.put("node", next(iter(group)), values)
        for starts, ends in pairwise(chain):
            self._connect(starts, ends, {**defaults["edge"], **values})
        return members

    def _connect(self, starts: dict[int, None], ends: dict[int, None], values: dict[str, Any]) -> None:
        refuse_expansion(self._source, EDGE_BYTES * (len(self.content.source) + len(starts) * len(ends)))
        for u in starts:
            for v in ends:
                self.content.put("edge", len(self.content.source), values)
                self.content.source.append(self._names[u])
                self.content.target.append(self._names[v])

    def _group(self, defaults: dict[str, dict[str, Any]], depth: int) -> dict[int, None] | None:
        """A node or the nodes of a subgraph; None for a name that gets a value."""
        if self._lexer.token.text == "{" or self._lexer.skips("subgraph"):
            if self._lexer.token.text != "{":
                self._word()
            return self._block(defaults, depth - 1)
        name, quoted = self._word()
        if self._lexer.skips("="):
            self._word()
            return None
        while self._lexer.skips(":"):  # a port, which is a place at the node
            self._word()
        self.has_quoted_names |= quoted
        if self.content.add_node(name):
            self._names.append(name)
            self.content.put("node", self.content.nodes[name], defaults["node"])
        return {self.content.nodes[name]: None}

    def _attributes(self) -> dict[str, Any]:
        values: dict[str, Any] = {}
        while self._lexer.skips("["):
            while not self._lexer.skips("]"):
                name, _ = self._word()
                text, quoted = self._word() if self._lexer.skips("=") else ("true", False)
                values[name] = text if quoted else literal(text)
                if quoted and name == self._weight:
                    with suppress(ValueError):
                        values[name] = float(text)
                if not self._lexer.skips(","):
                    self._lexer.skips(";")
        return values

    def _word(self) -> tuple[str, bool]:
        """A name or a value, and whether it has quotes."""
        token = self._lexer.take("word", "number", "text", "html")
        if token.kind != "text":
            return token.text, token.kind == "html"
        text = token.text[1:-1]
        while self._lexer.skips("+"):
            text += self._lexer.take("text").text[1:-1]
        return _ESCAPE.sub(lambda match: {'\\"': '"', "\\\\": "\\\\"}.get(match[0], ""), text), True


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:  # noqa: ARG001
    """Write nodes and edges with their attributes, as Graphviz and its readers take them."""
    mark = f"// {marks_of(graph)}\n" if marks_of(graph) else ""
    sink.write(f"{mark}{'digraph' if graph.directed else 'graph'} {{\n".encode())
    arrow = "->" if graph.directed else "--"
    names = [_shown(name, sink) for name in names_of(graph)]

    def attributes(row: dict[str, Any]) -> str:
        shown = ", ".join(f"{_key(name, sink)}={_shown(value, sink)}" for name, value in row.items())
        return f" [{shown}];\n" if row else ";\n"

    write_nodes(graph, sink, lambda k, row: f"{names[k]}{attributes(row)}")
    write_edges(graph, sink, lambda _, u, v, row: f"{names[u]} {arrow} {names[v]}{attributes(row)}")
    sink.write(b"}\n")


def _key(name: str, sink: Sink) -> str:
    return name if _WORD.fullmatch(name) else _shown(name, sink)


def _shown(value: Any, sink: Sink) -> str:
    if (number := plain_number(value)) is not None:
        return number
    text = str(value)
    if _LONE_BACKSLASH.search(text) or "\0" in text:
        raise sink.error(f"the text {text!r} cannot be written to DOT: a backslash ends it, or stands before a quote.")
    escaped = text.replace('"', '\\"')
    return f'"{escaped}"'
