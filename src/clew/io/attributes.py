"""Columns of vertices and edges in files: tables of vertices, columns of edge lists, sections of ``.clew`` files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from clew.attributes import Attributes, arrow_table, checked
from clew.checks import counted
from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.io.columns import plain
from clew.io.options import ReadOptions, noted, requested_weights
from clew.io.sink import Sink
from clew.io.source import SinkFile, Source

SECTIONS = {"vertices": "vertex_columns", "edges": "edge_columns"}
KEYS = (
    "vertex",
    "id",
    "name",
    "node",
    "vertexid",
    "nodeid",
)  # usual names of the column that names vertices; otherwise it is the first
DECIMAL_COMMA = r"^[+-]?([0-9]+(,[0-9]+)?|,[0-9]+)([eE][+-]?[0-9]+)?$"
COMMENT = re.compile(rb"(?m)^[ \t]*[#%].*(?:\n|\Z)")
SUFFIXES = (".parquet", ".arrow", ".csv", ".tsv")


def to_arrays(attributes: Attributes) -> dict[str, Array]:
    """Each table as the bytes of an Arrow IPC file, whose buffers can be used where they are."""
    arrays = {}
    for part, section in SECTIONS.items():
        if (table := getattr(attributes, part)) is not None:
            sink: Any = pa.BufferOutputStream()
            with pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
            arrays[section] = np.frombuffer(sink.getvalue(), dtype=np.uint8)
    return arrays


def from_arrays(graph: Graph, arrays: Mapping[str, Array], options: ReadOptions, *, check: bool) -> Graph:
    """The graph with the columns of a ``.clew`` file, as far as they were requested."""
    tables: dict[str, pa.Table | None] = {}
    for part, section in SECTIONS.items():
        if section not in arrays:
            continue
        try:
            table = pa.ipc.open_file(pa.py_buffer(arrays[section].data)).read_all()
            if check:
                table.validate(full=True)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise GraphError(f"the section {section!r} is no table ({error}); write the file again.") from None
        if part == "vertices":
            table = checked(table, graph.num_vertices, "vertex")
        elif check or graph.directed:  # to count undirected edges, all of them are read
            table = checked(table, graph.num_edges, "edge")
        tables[part] = table
    if not tables:
        return graph
    graph = graph._with(attributes=Attributes(**tables))
    graph = graph if options.weight is None else graph.with_weights(str(options.weight))
    if options.columns is not None:
        chosen = selected(graph.edge_columns, options.columns)
        graph = graph._with(attributes=replace(graph.attributes, edges=chosen))
    weights = requested_weights(graph.weights, options)
    graph = graph if weights is graph.weights else graph.with_weights(weights)
    changed = options.directed not in (None, graph.directed) or options.duplicates != "keep" or options.loops != "keep"
    return _rebuilt(graph, options) if changed else graph


def selected(table: pa.Table, columns: Any) -> pa.Table | None:
    """The requested columns of a table; None where there are none."""
    if columns is True:
        return table
    if missing := [name for name in columns or () if name not in table.column_names]:
        known = ", ".join(map(repr, table.column_names)) or "none"
        raise GraphError(f"there is no edge column {missing[0]!r}; the file has {known}.")
    return table.select(list(columns)) if columns else None


def _rebuilt(graph: Graph, options: ReadOptions) -> Graph:
    """A graph with columns, with the direction, duplicates and loops that were requested."""
    directed = graph.directed if options.directed is None else options.directed
    if directed and not graph.directed:
        graph = graph._as_directed()
    policies: dict[str, Any] = {"directed": directed, "duplicates": options.duplicates, "loops": options.loops}
    more: dict[str, Any] = {"names": graph.names, "metadata": graph.metadata, "edge_columns": graph.attributes.edges}
    source, target, weights = graph.edges()
    again = Graph.from_edges(source, target, weights, graph.num_vertices, **policies, **more)
    return again._with(attributes=replace(again.attributes, vertices=graph.attributes.vertices))


def columns_of_text(source: Source, skipped: int, names: list[str], requested: list[str], delimiter: bytes) -> pa.Table:
    """Some columns of an edge list whose edges start after ``skipped`` lines, a row per edge."""
    if not delimiter:
        raise GraphError(
            "columns= needs a delimiter other than blanks; write the file with commas, tabs or semicolons."
        )
    text = source.whole().data
    start = 0
    for _ in range(skipped):
        start = bytes(text[start : start + (1 << 20)]).find(b"\n") + start + 1
    body: Any = text[start:]
    if COMMENT.search(body):
        body = COMMENT.sub(b"", body)
    if not len(body):
        return pa.table({name: pa.array([], pa.string()) for name in requested})
    file: Any = pa.BufferReader(pa.py_buffer(body))
    try:
        table = pa.csv.read_csv(
            file,
            pa.csv.ReadOptions(column_names=names, use_threads=False),
            pa.csv.ParseOptions(delimiter=delimiter.decode()),
            pa.csv.ConvertOptions(include_columns=requested),
        )
        return _with_decimal_points(table) if delimiter in (b";", b"\t") else table
    except (pa.ArrowException, ValueError) as error:
        raise GraphError(f"the columns {', '.join(map(repr, requested))} cannot be read: {error}.") from None


def _with_decimal_points(table: pa.Table) -> pa.Table:
    """The table, with numbers instead of the texts of columns that have decimal commas in all their numbers."""
    for place, name in enumerate(table.column_names):
        if pa.types.is_string(table.schema.field(name).type):
            text: Any = pc.utf8_trim_whitespace(table[name])
            text = text.combine_chunks()
            text = pc.replace_with_mask(text, pc.equal(text, pa.scalar("", text.type)), pa.scalar(None, text.type))
            if text.null_count < len(text) and pc.all(pc.match_substring_regex(text, DECIMAL_COMMA)).as_py():
                numbers = pc.replace_substring(text, ",", ".").cast(pa.float64())
                table = table.set_column(place, name, numbers)
    return table


def write_text(graph: Graph, sink: Sink, delimiter: bytes, header: bool) -> None:
    """Write the edges and their columns as CSV."""
    style = pa.csv.WriteOptions(include_header=header, delimiter=delimiter.decode())
    _write_csv(graph.to_arrow(), sink, style)


def _write_csv(table: pa.Table, sink: Sink, style: pa.csv.WriteOptions) -> None:
    file: Any = SinkFile(sink)
    for field in table.schema:
        if pa.types.is_nested(field.type):
            raise GraphError(
                f"column {field.name!r} holds values of type {field.type}, which CSV cannot store. Write .parquet, or "
                "make text of it."
            )
    pa.csv.write_csv(table, file, style)


def with_vertices(graph: Graph, vertices: Any) -> Graph:
    """The graph with the columns of a table of vertices: a file, or anything that ``with_vertex_columns`` takes.

    Vertices of the table that have no edges are added.
    """
    table = _read_table(Path(vertices), graph) if isinstance(vertices, (str, Path)) else arrow_table(vertices)
    by = _key(table.column_names)
    found = graph.with_vertex_columns(table, by=by, unknown="error" if graph.names is None else "add")
    added = found.num_vertices - graph.num_vertices
    if graph.names is not None and 0 < added == table.num_rows and graph.num_vertices:
        raise GraphError(
            f"no row of the table of vertices names a vertex: its column {by!r} has values such as "
            f"{table[by][0].as_py()!r}, and vertices have names such as {graph.name(0)!r}. Rename the "
            "column that holds the names to 'vertex', or put it first."
        )
    said = f"{counted(added, 'vertex')} of the table of vertices had no edges and were added."
    return noted(found, said) if added else found


def _key(names: list[str]) -> str:
    """The column with the names of vertices: one with a usual name, or the first."""
    usual = (name for key in KEYS for name in names if plain(name) == key)
    return next(usual, names[0] if names else "vertex")


def _read_table(path: Path, graph: Graph) -> pa.Table:
    """A table of vertices; names are read as text, since 01 is not 1."""
    try:
        if path.suffix == ".parquet":
            return pq.read_table(path)
        if path.suffix == ".arrow":
            return pa.ipc.open_file(path.read_bytes()).read_all()
        if path.suffix in (".csv", ".tsv"):
            return _read_text(path, graph)
    except FileNotFoundError:
        raise GraphError(f"the table of vertices {str(path)!r} cannot be read: there is no such file.") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        raise GraphError(f"the table of vertices {str(path)!r} cannot be read: {error}.") from None
    raise GraphError(f"the table of vertices is {path.name!r}; expected a name that ends in {', '.join(SUFFIXES)}.")


def _read_text(path: Path, graph: Graph) -> pa.Table:
    """A table in CSV. The delimiter is the comma, tab or semicolon, which the first line has most of."""
    with path.open("rb") as file:
        first = file.readline()
    usual = "," if path.suffix == ".csv" else "\t"
    delimiter = max((usual, ",", ";", "\t"), key=lambda one: first.count(one.encode()))
    style = pa.csv.ParseOptions(delimiter=delimiter)
    with pa.csv.open_csv(path, parse_options=style) as reader:
        by = _key(reader.schema.names)
    table = pa.csv.read_csv(path, None, style, pa.csv.ConvertOptions(column_types={by: pa.large_string()}))
    if graph.name_type == "strings":
        names: Any = graph.names
        known = pc.is_in(table[by], value_set=names.array)  # edges lose blanks around names that are not in quotes
        trimmed = pc.if_else(known, table[by], pc.utf8_trim_whitespace(table[by]))
        table = table.set_column(table.column_names.index(by), by, trimmed)
    return table if delimiter == "," else _with_decimal_points(table)


def write_vertices(graph: Graph, path: Path) -> None:
    """Write a row per vertex: its name and its columns."""
    vertex = pa.array(np.arange(graph.num_vertices)) if graph.names is None else graph.names.array
    columns = graph.vertex_columns
    table = pa.table({"vertex": vertex, **dict(zip(columns.column_names, columns.columns, strict=True))})
    with Sink(path) as sink:
        file: Any = SinkFile(sink)
        if sink.suffix == ".parquet":
            pq.write_table(table, file, compression="zstd")
        elif sink.suffix == ".arrow":
            with pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
        elif sink.suffix in (".csv", ".tsv"):
            _write_csv(table, sink, pa.csv.WriteOptions(delimiter="," if sink.suffix == ".csv" else "\t"))
        else:
            expected = ", ".join(SUFFIXES)
            raise GraphError(f"the table of vertices is {path.name!r}; expected a name that ends in {expected}.")


def lost_columns(graph: Graph, keeps_edges: bool, keeps_vertices: bool) -> list[str]:
    """What is not kept of the columns, a phrase each."""
    edges, vertices = graph.edge_columns.column_names, graph.vertex_columns.column_names
    phrases = []
    if edges and not keeps_edges:
        phrases.append(f"the {counted(len(edges), 'edge column')} {', '.join(edges)}")
    if vertices and not keeps_vertices:
        names = f"the {counted(len(vertices), 'vertex column')} {', '.join(vertices)}"
        phrases.append(f"{names}: write them with vertices='vertices.csv'")
    return phrases
