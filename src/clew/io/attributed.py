"""Graphs from files that list nodes and edges with attributes, such as GraphML and JSON of nodes and links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.io.attributes import selected
from clew.io.options import ReadOptions, about_direction, graph_from_edges, noted
from clew.io.source import Source
from clew.names import VertexNames

WEIGHT = "weight"  # the attribute that is the weight, unless the caller names another
BATCH = 1 << 16  # nodes or edges that are written at once


@dataclass
class Content:
    """What a file lists: nodes and edges with their attributes, in the order of the file.

    ``nodes`` has the number of every node. Attributes are columns by name; each has the values of some nodes or edges
    by their numbers. ``defaults`` are the values of the others. A file without edges may say that edges have weights.
    """

    nodes: dict[Any, int] = field(default_factory=dict)
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

    def graph(self, source: Source, options: ReadOptions, *, as_text: bool, directed_by: str) -> Graph:
        """The graph. Names that are all integers as one writes them are integers, unless the file says text."""
        names = list(self.nodes)
        if not as_text and options.ids != "text":
            names = _integers(names) or names
        elif options.ids == "text":
            names = [str(name) for name in names]
        starts, ends = (_numbers(self.nodes, each, source) for each in (self.source, self.target))
        weights, columns, said = self._weights(options)
        known: dict[str, Any] = {"directed": self.directed, "edge_columns": columns}
        order = None
        if options.ids != "map" and _are_ids(names):
            order = np.array(names, dtype=np.int64)
            starts, ends = order[starts], order[ends]
            graph = graph_from_edges(starts, ends, weights, options, num_vertices=len(names), **known)
        else:
            graph = graph_from_edges(starts, ends, weights, options, names=VertexNames(_arrow(names)), **known)
        if self.node_columns:
            table = _table(self.node_columns, len(names), self._defaults("node"))
            graph = graph.with_vertex_columns(table if order is None else table.take(np.argsort(order)))
        return noted(graph, *said, *about_direction(self.directed, options, by=directed_by))

    def _weights(self, options: ReadOptions) -> tuple[Array | None, pa.Table | None, list[str]]:
        """The weights, the other columns of edges, and what was decided."""
        name = WEIGHT if options.weight is None else options.weight
        if options.weight is not None and name not in self.edge_columns:
            known = ", ".join(map(repr, self.edge_columns)) or "none"
            raise GraphError(f"there is no edge attribute {name!r} for the weights; the file has {known}.")
        table = _table(self.edge_columns, len(self.source), self._defaults("edge"))
        weights = np.empty(0) if self.weights_without_edges and not self.source else None
        said: list[str] = []
        if name in table.column_names and options.weights is not False:
            column = table.column(name)
            weights = _as_weights(column)
            if weights is not None:
                table = table.drop_columns([str(name)])
                said.append(
                    f"The edge attribute {name!r} is the weight. Pass weights=False (--weights none) to ignore it."
                )
            elif options.weights or options.weight is not None:
                raise GraphError(f"the edge attribute {name!r} is not a number on every edge, as a weight must be.")
            else:
                said.append(f"The edge attribute {name!r} is not a number on every edge, so it is a column.")
        chosen = table if options.columns is None else selected(table, options.columns)
        if chosen is not None and WEIGHT in chosen.column_names:  # tables of edges have a column of that name
            chosen = chosen.rename_columns(["weight_" if one == WEIGHT else one for one in chosen.column_names])
        return weights, chosen if chosen is not None and chosen.num_columns else None, said

    def _defaults(self, of: str) -> dict[str, Any]:
        return {name: value for (what, name), value in self.defaults.items() if what == of}


def _are_ids(names: list[Any]) -> bool:
    """Whether the names are the integers 0…n-1, in any order."""
    return all(isinstance(name, int) for name in names) and sorted(names) == list(range(len(names)))


def _integers(names: list[Any]) -> list[int] | None:
    """The names as integers, if each is one, written as integers are."""
    if all(isinstance(name, int) for name in names):
        return names
    try:
        numbers = [int(name) for name in names]
    except ValueError:
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
    if all(isinstance(value, int) and 0 <= value < 2**64 for value in column):
        return pa.array(column, pa.uint64())
    return pa.array([None if value is None else str(value) for value in column])


def _as_weights(column: Any) -> Array | None:
    kind = column.type
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    return column.to_numpy() if number and column.null_count == 0 else None


def rows_of(table: pa.Table, count: int) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Batches of rows as dicts without what is null, with the number of the first row."""
    for first in range(0, count, BATCH):
        batch = table.slice(first, BATCH).to_pylist() if table.num_columns else [{}] * min(BATCH, count - first)
        yield first, [{name: value for name, value in row.items() if value is not None} for row in batch]


def names_of(graph: Graph) -> list[Any]:
    """What the vertices are called: their names, or their ids."""
    return list(range(graph.num_vertices)) if graph.names is None else graph.names.array.to_pylist()


def edge_table(graph: Graph) -> tuple[Array, Array, pa.Table]:
    """The ends of all edges, and a table of the weights and the columns."""
    source, target, weights = graph.edges()
    table = graph.edge_columns
    if weights is not None:
        table = pa.table({WEIGHT: weights, **dict(zip(table.column_names, table.columns, strict=True))})
    return source, target, table
