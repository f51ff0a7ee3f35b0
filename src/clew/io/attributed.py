"""Graphs from files that list nodes and edges with attributes: GraphML, GEXF, GML, DOT, Pajek and JSON.

Some of these formats cannot say that names are text, or that edges have weights if there are none. clew writes a
comment for that: ``clew: text weighted``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from clew.attributes import RESERVED
from clew.checks import counted
from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.io.attributes import selected
from clew.io.options import ReadOptions, about_direction, graph_from_edges, noted
from clew.io.sink import Sink
from clew.io.source import Source
from clew.names import VertexNames

WEIGHT = "weight"  # the attribute that is the weight, unless the caller names another
LABEL = "label"
_MARKS = re.compile(rb"clew:((?: text| weighted| unweighted)+)")
BATCH = 1 << 16  # nodes or edges that are written at once


@dataclass
class Content:
    """What a file lists: nodes and edges with their attributes, in the order of the file.

    ``nodes`` has the number of every node. Attributes are columns by name; each has the values of some nodes or edges
    by their numbers. ``defaults`` are the values of the others. A file without edges may say that edges have weights.
    ``labels`` are what nodes are called, by their numbers, where a file has numbers or ids besides.
    """

    nodes: dict[Any, int] = field(default_factory=dict)
    labels: dict[int, Any] = field(default_factory=dict)
    source: list[Any] = field(default_factory=list)
    target: list[Any] = field(default_factory=list)
    node_columns: dict[str, dict[int, Any]] = field(default_factory=dict)
    edge_columns: dict[str, dict[int, Any]] = field(default_factory=dict)
    defaults: dict[tuple[str, str], Any] = field(default_factory=dict)
    directed: bool = True
    weights_without_edges: bool = False

    def add_node(self, node: Any) -> bool:
        """Number a node; False if it is there already."""
        count = len(self.nodes)
        return self.nodes.setdefault(node, count) == count

    def put(self, of: str, number: int, values: Mapping[str, Any]) -> None:
        """Set attributes of the node or the edge with this number."""
        columns = self.node_columns if of == "node" else self.edge_columns
        for name, value in values.items():
            columns.setdefault(name, {})[number] = value

    def graph(self, source: Source, options: ReadOptions, *, as_text: bool, directed_by: str) -> Graph:
        """The graph. Names that are all integers as one writes them are integers, unless the file says text."""
        names, called = self._names()
        if not as_text and options.ids != "text":
            names = _integers(names) or names
        elif options.ids == "text":
            names = [str(name) for name in names]
        starts, ends = (_numbers(self.nodes, each, source) for each in (self.source, self.target))
        weights, columns, said = self._weights(options)
        said += called
        known: dict[str, Any] = {"directed": self.directed, "edge_columns": columns}
        order = None
        if options.ids != "map" and _are_ids(names):
            order = np.array(names, dtype=np.int64)
            starts, ends = order[starts], order[ends]
            graph = graph_from_edges(starts, ends, weights, options, num_vertices=len(names), **known)
        else:
            graph = graph_from_edges(starts, ends, weights, options, names=VertexNames(_arrow(names)), **known)
        if self.node_columns:
            table = _renamed(_table(self.node_columns, len(names), self._defaults("node")), "vertex")
            graph = graph.with_vertex_columns(table if order is None else table.take(np.argsort(order)))
        return noted(graph, *said, *about_direction(self.directed, options, by=directed_by))

    def _names(self) -> tuple[list[Any], list[str]]:
        """What the vertices are called, and what was decided about labels."""
        labels = [self.labels.get(number) for number in range(len(self.nodes))]
        if not self.labels:
            return list(self.nodes), []
        if None not in labels and len(set(labels)) == len(labels):
            return labels, ["Vertices are called by their labels."]
        self.node_columns[LABEL] = dict(self.labels)
        return list(self.nodes), ["Labels are missing or occur twice, so vertices are called by their ids."]

    def _weights(self, options: ReadOptions) -> tuple[Array | None, pa.Table | None, list[str]]:
        """The weights, the other columns of edges, and what was decided."""
        table = _table(self.edge_columns, len(self.source), self._defaults("edge"))
        weights, columns, said = weight_among(table, options)
        name = WEIGHT if options.weight is None else str(options.weight)
        if weights is not None and (without := len(self.source) - len(self.edge_columns[name])):
            said.append(f"{counted(without, 'edge')} without it got the weight {self.defaults['edge', name]}.")
        if self.weights_without_edges and not self.source:
            weights = np.empty(0)
        return weights, columns, said

    def _defaults(self, of: str) -> dict[str, Any]:
        return {name: value for (what, name), value in self.defaults.items() if what == of}


def weight_among(table: pa.Table, options: ReadOptions) -> tuple[Array | None, pa.Table | None, list[str]]:
    """The weights among the attributes of edges, the other columns as requested, and what was decided."""
    name, said = WEIGHT if options.weight is None else str(options.weight), list[str]()
    if options.weight is not None and name not in table.column_names:
        known = ", ".join(map(repr, table.column_names)) or "none"
        raise GraphError(f"there is no edge attribute {name!r} for the weights; the file has {known}.")
    weights = None
    if name in table.column_names and options.weights is not False:
        weights = _as_weights(table.column(name))
        if weights is not None:
            table = table.drop_columns([name])
            said.append(f"The edge attribute {name!r} is the weight. Pass weights=False (--weights none) to ignore it.")
        elif options.weights or options.weight is not None:
            raise GraphError(f"the edge attribute {name!r} is not a number on every edge, as a weight must be.")
        else:
            said.append(f"The edge attribute {name!r} is not a number on every edge, so it is a column.")
    chosen = table if options.columns is None else selected(table, options.columns)
    return weights, _renamed(chosen, "edge") if chosen is not None and chosen.num_columns else None, said


def _renamed(table: pa.Table, of: str) -> pa.Table:
    """The table with other names for columns that every table of vertices or edges has."""
    return table.rename_columns([f"{name}_" if name in (*RESERVED[of], "") else name for name in table.column_names])


def _are_ids(names: list[Any]) -> bool:
    """Whether the names are the integers 0…n-1, in any order."""
    return all(isinstance(name, int) for name in names) and sorted(names) == list(range(len(names)))


def _integers(names: list[Any]) -> list[int] | None:
    """The names as integers, if each is one, written as integers are."""
    if all(isinstance(name, int) for name in names):
        return names
    try:
        numbers = [int(name) for name in names]
    except (ValueError, OverflowError):  # text, or an infinite number
        return None
    plain = all(str(number) == name for number, name in zip(numbers, names, strict=True))
    low, high = min(numbers, default=0), max(numbers, default=0)
    return numbers if plain and low >= -(2**63) and high < (2**64 if low >= 0 else 2**63) else None


def _arrow(names: list[Any]) -> Any:
    unsigned = bool(names) and all(isinstance(name, int) for name in names) and 2**63 <= max(names) < 2**64
    return pa.array(names, pa.uint64()) if unsigned and min(names) >= 0 else names


def _numbers(nodes: dict[Any, int], ends: list[Any], source: Source) -> Array:
    try:
        return np.array([nodes[end] for end in ends], dtype=np.int64)
    except KeyError as error:
        raise source.error(f"an edge has the end {error.args[0]!r}, which is not among the nodes.") from None


def _table(columns: Mapping[str, dict[int, Any]], rows: int, defaults: Mapping[str, Any]) -> pa.Table:
    """A table with a row per node or edge; null where an attribute is missing. Values of several types become text."""
    arrays = {}
    for name, values in columns.items():
        column = [values.get(row, defaults.get(name)) for row in range(rows)]
        try:
            arrays[name] = pa.array(column)
        except (pa.ArrowException, OverflowError):
            arrays[name] = _mixed(column)
    return pa.table(arrays)


def _mixed(column: list[Any]) -> Any:
    """Integers that need 64 bits without a sign, or text."""
    if all(type(value) is int and 0 <= value < 2**64 for value in column):
        return pa.array(column, pa.uint64())
    return pa.array([None if value is None else str(value) for value in column])


def _as_weights(column: Any) -> Array | None:
    kind = column.type
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    return column.to_numpy() if number and column.null_count == 0 else None


def marks_of(graph: Graph, *, typed: bool = True) -> str:
    """What a comment says about a graph; empty where the file itself says it. ``typed``: text is in quotes."""
    text = " text" if not typed and graph.names is not None and not graph.names.are_integers else ""
    weighted = " weighted" if graph.weighted and not graph.num_arcs else ""
    return f"clew:{text}{weighted}" if text or weighted else ""


def marks_in(source: Source) -> list[str]:
    """What such a comment says."""
    found = _MARKS.search(source.head()[:BATCH])
    return [] if found is None else found[1].decode().split()


def write_nodes(graph: Graph, sink: Sink, line: Callable[[int, dict[str, Any]], str]) -> None:
    """Write what ``line`` makes of the number and the attributes of each node; null attributes are skipped."""
    for first, rows in _rows(graph.vertex_columns, graph.num_vertices):
        sink.write("".join(line(first + k, row) for k, row in enumerate(rows)).encode())


def write_edges(graph: Graph, sink: Sink, line: Callable[[int, int, int, dict[str, Any]], str]) -> None:
    """Write what ``line`` makes of the number, the ends and the attributes of each edge."""
    source, target, _ = graph.edges()
    for first, rows in _rows(edge_table(graph), source.size):
        ends = zip(source[first:].tolist(), target[first:].tolist(), rows, strict=False)
        sink.write("".join(line(first + k, u, v, row) for k, (u, v, row) in enumerate(ends)).encode())


def _rows(table: pa.Table, count: int) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Batches of rows as dicts without what is null, with the number of the first row."""
    for first in range(0, count, BATCH):
        batch = table.slice(first, BATCH).to_pylist() if table.num_columns else [{}] * min(BATCH, count - first)
        yield first, [{name: value for name, value in row.items() if value is not None} for row in batch]


def names_of(graph: Graph) -> list[Any]:
    """What the vertices are called: their names, or their ids."""
    return list(range(graph.num_vertices)) if graph.names is None else graph.names.array.to_pylist()


def edge_table(graph: Graph) -> pa.Table:
    """The weights and the columns of edges."""
    weights, table = graph.edges()[2], graph.edge_columns
    if weights is not None:
        table = pa.table({WEIGHT: weights, **dict(zip(table.column_names, table.columns, strict=True))})
    return table


def has_parallel_edges(graph: Graph) -> bool:
    """Whether an edge occurs more than once."""
    starts = np.zeros(graph.num_arcs + 1, dtype=np.bool_)
    starts[graph.indptr] = True
    return bool(np.any((np.diff(graph.indices) == 0) & ~starts[1:-1]))
