"""GML, the Graph Modelling Language: nested lists of keys and values, one of them the graph.

Vertices are called by their labels, if each has one of its own, else by their ids. Keys of nested lists are joined by
points: ``graphics [ x 1.5 ]`` is the column ``graphics.x``.
"""

from __future__ import annotations

import html.entities
import math
import re
from collections.abc import Iterator
from typing import Any

from clew.graph import Graph
from clew.io.attributed import (
    LABEL,
    Content,
    has_parallel_edges,
    marks_in,
    marks_of,
    names_of,
    write_edges,
    write_nodes,
)
from clew.io.lexer import Lexer
from clew.io.options import ReadOptions, WriteOptions
from clew.io.sink import Sink
from clew.io.source import Match, Source

DEEPEST = 50  # lists in lists
_TOKENS = re.compile(
    r"""\s*(?:(?P<skip>\#[^\n]*)|(?P<text>"[^"]*")|(?P<real>[+-]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?|[+-]INF)
    |(?P<integer>[+-]?\d+)|(?P<key>[A-Za-z]\w*)|(?P<mark>[\[\]])|)""",
    re.VERBOSE | re.ASCII,
)
_START = re.compile(rb"(?i)(?:\s+|#[^\n]*\n|(?:creator|version|comment|label|name)\s[^\n]*\n)*+graph\s*\[")
_KEY = re.compile(r"[A-Za-z][0-9A-Za-z_]*(\.[A-Za-z][0-9A-Za-z_]*)*")
_ENTITY = re.compile(r"&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|\w+);")
_ESCAPED = re.compile(r"[^ !#-%'-~]")  # what is not printable ASCII, and & and "


def sniff(head: bytes) -> Match:
    """A graph in brackets, after comments and simple keys."""
    return Match.SURE if _START.match(head.removeprefix(b"\xef\xbb\xbf")) else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a graph with the attributes of its nodes and edges."""
    lexer = Lexer(source, _TOKENS)
    graph: list[tuple[str, Any, int]] | None = None
    for key, value, place in _pairs(lexer, DEEPEST):
        if key == "graph" and isinstance(value, list):
            if graph is not None:
                raise lexer.error("the file has a second graph; clew reads one.", place)
            graph = value
    if lexer.token.kind:
        raise lexer.unexpected("expected a key and a value")
    if graph is None:
        raise source.error("there is no graph in the file; expected 'graph ['.")
    about = {key: value for key, value, _ in graph if not isinstance(value, list)}
    content = Content(directed=about.get("directed") == 1, weights_without_edges="weighted" in marks_in(source))
    for key, value, place in graph:
        if isinstance(value, list) and key in ("node", "edge"):
            _add(lexer, content, key, dict(_flat(value, "")), place)
    said = f"'directed {int(content.directed)}'" if "directed" in about else "the lack of 'directed 1'"
    as_text = any(isinstance(label, str) for label in content.labels.values())
    return content.graph(source, options, as_text=as_text, directed_by=said)


def _pairs(lexer: Lexer, depth: int) -> Iterator[tuple[str, Any, int]]:
    """Keys and values with their places, up to a closing bracket or the end."""
    while lexer.token.kind == "key":
        key = lexer.take()
        token = lexer.take("text", "integer", "real", "key", "[")
        value: Any
        if token.text == "[":
            if not depth:
                raise lexer.error(f"the lists are nested more than {DEEPEST} deep.")
            value = list(_pairs(lexer, depth - 1))
            lexer.take("]")
        elif token.kind == "text":
            value = _ENTITY.sub(_character, token.text[1:-1])
        elif token.kind == "integer":
            value = int(token.text) if len(token.text) < 40 else float(token.text)
        elif token.kind == "real" or token.text in ("NAN", "INF"):
            value = float(token.text)
        else:
            raise lexer.error(f"the value of {key.text!r} is {token.text!r}; text needs quotes.", token.place)
        yield key.text, value, key.place


def _character(entity: re.Match[str]) -> str:
    """What ``&#233;`` or ``&eacute;`` stands for; anything else stays as it is."""
    digits = entity[1]
    if not digits.startswith("#"):
        return html.entities.html5.get(f"{digits};", entity[0])
    code = int(digits[2:], 16) if digits[1] in "xX" else int(digits[1:])
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else entity[0]


def _flat(pairs: list[tuple[str, Any, int]], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value, _ in pairs:
        if isinstance(value, list):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _add(lexer: Lexer, content: Content, what: str, values: dict[str, Any], place: int) -> None:
    ends = [values.pop(key, None) for key in (("id",) if what == "node" else ("source", "target"))]
    if not all(isinstance(end, int) for end in ends):
        keys = "an integer 'id'" if what == "node" else "the integers 'source' and 'target'"
        raise lexer.error(f"the {what} lacks {keys}.", place)
    if what == "edge":
        values.pop("key", None)  # NetworkX numbers parallel edges with it
        content.source.append(ends[0])
        content.target.append(ends[1])
        content.put("edge", len(content.source) - 1, values)
        return
    if not content.add_node(ends[0]):
        raise lexer.error(f"the node {ends[0]} is there twice.", place)
    if LABEL in values:
        content.labels[len(content.nodes) - 1] = values.pop(LABEL)
    content.put("node", len(content.nodes) - 1, values)


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:  # noqa: ARG001
    """Write nodes and edges with their attributes, as NetworkX, igraph and Gephi read them."""
    for table, own in ((graph.vertex_columns, ("id", LABEL)), (graph.edge_columns, ("source", "target", "key"))):
        for name in table.column_names:
            if name in own or not _KEY.fullmatch(name):
                why = "has a meaning of its own there" if name in own else "is no key: letters, digits and _"
                raise sink.error(f"the column {name!r} cannot be written to GML: its name {why}. Rename it.")
    mark = f"# {marks_of(graph)}\n" if marks_of(graph) else ""
    many = "  multigraph 1\n" if has_parallel_edges(graph) else ""
    sink.write(f"{mark}graph [\n  directed {int(graph.directed)}\n{many}".encode())
    names = [_shown(name) for name in names_of(graph)]
    write_nodes(graph, sink, lambda k, row: f"  node [\n    id {k}\n    label {names[k]}\n{_lines(row)}  ]\n")
    write_edges(graph, sink, lambda _, u, v, row: f"  edge [\n    source {u}\n    target {v}\n{_lines(row)}  ]\n")
    sink.write(b"]\n")


def _lines(row: dict[str, Any]) -> str:
    lines, lists = [], dict[str, dict[str, Any]]()
    for name, value in row.items():
        first, point, rest = name.partition(".")
        if point:
            lists.setdefault(first, {})[rest] = value
        else:
            lines.append(f"    {name} {_shown(value)}\n")
    return "".join(lines) + "".join(f"    {name} [\n{_lines(inner)}    ]\n" for name, inner in lists.items())


def _shown(value: Any) -> str:
    if isinstance(value, int):
        return str(int(value))
    if not isinstance(value, float):
        return f'"{_ESCAPED.sub(lambda match: f"&#{ord(match[0])};", str(value))}"'
    if not math.isfinite(value):
        return "NAN" if math.isnan(value) else f"{'+' if value > 0 else '-'}INF"
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e")
