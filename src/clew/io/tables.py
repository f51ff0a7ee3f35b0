"""Tables with a row per edge, in Parquet and Arrow IPC files (which include Feather version 2), to graphs and back.

Strings are handled as Arrow's dictionaries: a code per row and the distinct strings, which alone are hashed.

A table that clew writes has JSON in its schema's metadata: whether edges are directed, and the number of vertices. If
the rows do not preserve the order of the vertices, all names are listed too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from clew.checks import counted
from clew.convert.libraries import from_arrow, to_arrow
from clew.dtypes import Array, id_dtype
from clew.errors import ClewError, GraphError
from clew.graph import Graph
from clew.io.binary import refuse_expansion, refuse_rows
from clew.io.columns import CHOOSE_ENDS, Columns, choose, fields_of, is_string, listed
from clew.io.options import ReadOptions, WriteOptions, about_direction, graph_from_edges, noted
from clew.io.sink import Sink
from clew.io.source import Match, SinkFile, Source
from clew.names import VertexNames, encode

PARQUET_MAGIC = b"PAR1"
FILE_MAGIC = b"ARROW1"
FEATHER_1_MAGIC = b"FEA1"
STREAM_START = b"\xff\xff\xff\xff"
STREAM_END = b"\xff\xff\xff\xff\0\0\0\0"
BATCH_ROWS = 1 << 20
KEY = b"clew"
MAX_NOTE_BYTES = 1 << 25  # readers of tables load the whole of the metadata first, and some refuse 100 MB of it


def sniff_parquet(head: bytes) -> Match:
    """Four bytes at the start and, though they are not seen here, at the end."""
    return Match.SURE if head.startswith(PARQUET_MAGIC) else Match.NO


def read_parquet(source: Source, options: ReadOptions) -> Graph:
    """Read the columns that hold the edges and no others."""

    def opened(**more: Any) -> pq.ParquetFile:
        buffer = pa.BufferReader(pa.py_buffer(source.whole().data))
        return pq.ParquetFile(buffer, page_checksum_verification=True, pre_buffer=False, **more)

    with arrow_errors(source, "Parquet"):
        file = opened()
        schema = file.schema_arrow
        chosen = choose(fields_of(schema), options, read_note(file.metadata.metadata, source).columns)
        needed = chosen.to_read()
        refuse_expansion(source, file.metadata.num_rows * 8 * len(needed))
        # Strings stay codes and distinct values, as in the file: a long string, repeated, must not fill memory.
        ends = {chosen.source, chosen.target}
        strings = [schema.names[column] for column in ends if is_string(schema.field(column).type)]
        names = list(dict.fromkeys(schema.names[column] for column in needed))
        table = opened(metadata=file.metadata, read_dictionary=strings).read(columns=names)
        read = [column for name in names for column, other in enumerate(schema.names) if other == name]
        table = table.select([read.index(column) for column in needed])  # of all that are called so
        table.validate(full=True)
        return graph_from_table(table, chosen, source, options)


def write_parquet(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write a million edges per row group: ids as differences, the rest by dictionary where that pays, and zstd."""
    schema = schema_of(graph)
    note = write_note(graph, sink)
    integers = [name for name in ("source", "target") if pa.types.is_integer(schema.field(name).type)]
    encodings: dict[str, Any] = {
        "use_dictionary": [name for name in schema.names if name not in integers],
        "column_encoding": dict.fromkeys(integers, "DELTA_BINARY_PACKED"),
    }
    file: Any = SinkFile(sink)
    with pq.ParquetWriter(file, schema, compression="zstd", write_page_checksum=True, **encodings) as writer:
        writer.add_key_value_metadata({KEY.decode(): note.decode()})
        for batch in batches(graph, options):
            writer.write_batch(batch)


def sniff_arrow(head: bytes) -> Match:
    """Files have a magic number; a stream starts with a marker and the length of its schema."""
    if head.startswith((FILE_MAGIC, FEATHER_1_MAGIC)):
        return Match.SURE
    length = int.from_bytes(head[4:8], "little")
    stream = head.startswith(STREAM_START) and length % 8 == 0 and 0 < length < 1 << 30
    return Match.MAYBE if stream else Match.NO


def read_arrow(source: Source, options: ReadOptions) -> Graph:
    """Read the columns that hold the edges and no others."""
    data = source.whole()
    if data[:4].tobytes() == FEATHER_1_MAGIC:
        raise source.error("this is Feather version 1, which is no longer in use; write it as Feather version 2.")
    if data[:4].tobytes() == STREAM_START and data[-len(STREAM_END) :].tobytes() != STREAM_END:
        # Arrow takes the end of the data for the end of the stream, and would not miss the edges that were cut off.
        raise source.error("the stream has no end-of-stream marker, so it was cut short; copy it again.")
    with arrow_errors(source, "Arrow IPC"):
        buffer = pa.py_buffer(data.data)
        is_file = data[: len(FILE_MAGIC)].tobytes() == FILE_MAGIC
        opened: Any = pa.ipc.open_file if is_file else pa.ipc.open_stream
        schema = opened(pa.BufferReader(buffer)).schema
        chosen = choose(fields_of(schema), options, read_note(schema.metadata, source).columns)
        included = pa.ipc.IpcReadOptions(included_fields=chosen.to_read())
        reader = opened(pa.BufferReader(buffer), options=included)
        batches: list[pa.RecordBatch] = []
        total = 0
        for batch in map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader:
            batch.validate(full=True)
            total += max(batch.nbytes, 8 * batch.num_rows * batch.num_columns)
            refuse_expansion(source, total)
            batches.append(batch)
        return graph_from_table(pa.Table.from_batches(batches, reader.schema), chosen, source, options)


def write_arrow(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write an Arrow IPC file, its buffers packed with zstd."""
    note = {KEY: write_note(graph, sink)}
    schema = schema_of(graph).with_metadata(note)
    packed = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(SinkFile(sink), schema, options=packed) as writer:
        for batch in batches(graph, options):
            writer.write_batch(batch)


class Coded(NamedTuple):
    """A column of strings: the distinct ones in the order in which they first occur, and which of them a row holds."""

    codes: Array
    strings: pa.Array[Any]


@contextmanager
def arrow_errors(source: Source, title: str) -> Iterator[None]:
    """Arrow's errors about damaged data as a ``FormatError``."""
    try:
        yield
    except ClewError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        said = str(error).split("\n", 1)[0].rstrip(". ")[:300]
        raise source.error(
            f"this is not a valid {title} file, or it is damaged ({said}); copy it again, or write it again."
        ) from None


def graph_from_table(table: pa.Table, columns: Columns, source: Source, options: ReadOptions) -> Graph:
    """The graph of a table whose data were validated and whose columns are those chosen, in the order of the file."""
    note = read_note(table.schema.metadata, source)
    first, second, weights = edges_of(table, columns)
    num_vertices, names = None, None
    if note.names is not None and options.ids == "auto":
        names = VertexNames(typed_names(note.names, first))
        first, second = _known(first, names), _known(second, names)
    elif isinstance(first, Coded) and isinstance(second, Coded):
        (ids, more), names = encode(first.strings, second.strings)
        first, second = ids[first.codes], more[second.codes]
    elif note.named and options.ids == "auto":
        options = replace(options, ids="map")
    elif note.num_vertices is not None and not note.named:
        num_vertices = note.num_vertices
        refuse_rows(source, num_vertices)
    known: dict[str, Any] = {"directed": note.directed, "num_vertices": num_vertices, "names": names}
    if columns.attributes:
        labels = table.rename_columns([columns.label(column) for column in columns.to_read()])
        known["edge_columns"] = labels.select([columns.label(column) for column in columns.attributes])
    graph = graph_from_edges(first, second, weights, options, **known)
    return noted(graph, *decisions_of(table.schema, note, columns, options), columns=columns.roles())


def edges_of(table: pa.Table, columns: Columns) -> tuple[Array | Coded, Array | Coded, Array | None]:
    """The sources, targets and weights of a table whose columns are those chosen, in the order of the file."""
    table = table.rename_columns([columns.label(column) for column in columns.to_read()])
    ends = [columns.label(column) for column in (columns.source, columns.target)]
    weights = None
    if columns.weight is not None:
        weights = from_arrow(table, ends[0], ends[1], columns.label(columns.weight))[2]
    for name in ends:
        if nulls := table[name].null_count:
            raise GraphError(f"column {name!r} has {counted(nulls, 'null')}; expected a vertex in every row.")
    first, second = (_vertices(table[name]) for name in ends)
    held = ["text" if isinstance(end, Coded) else "integers" for end in (first, second)]
    if held[0] != held[1]:
        raise GraphError(
            f"column {ends[0]!r} holds {held[0]} and {ends[1]!r} holds {held[1]}; expected integers in both or strings "
            f"in both. {listed(columns.fields)}"
        ).advised(CHOOSE_ENDS)
    return first, second, weights


def decisions_of(schema: pa.Schema, note: Note, columns: Columns, options: ReadOptions) -> tuple[str, ...]:
    """What was decided about the columns and the direction of a table."""
    by = "the note that clew wrote into the file" if KEY in (schema.metadata or {}) else ""
    return (*columns.decisions, *about_direction(note.directed, options, by=by))


def schema_of(graph: Graph) -> pa.Schema:
    """The columns of the table that ``batches`` fills."""
    nothing = graph.indices[:0]
    more = None if graph.attributes.edges is None else graph.attributes.edges[:0]
    return to_arrow(nothing, nothing, None if graph.weights is None else graph.weights[:0], graph.names, more).schema


def batches(graph: Graph, options: WriteOptions) -> Iterator[pa.RecordBatch]:
    """The edges, an undirected one once, a million at a time."""
    source, target, weights = graph.edges()
    for start in range(0, source.size, BATCH_ROWS):
        rows = slice(start, start + BATCH_ROWS)
        part = None if weights is None else weights[rows]
        more = None if graph.attributes.edges is None else graph.attributes.edges[rows]
        yield from to_arrow(source[rows], target[rows], part, graph.names, more).to_batches()
        if options.progress:
            options.progress(min(rows.stop, source.size), source.size)


def _vertices(column: pa.ChunkedArray[Any]) -> Array | Coded:
    """Integers as a NumPy array, strings by code."""
    kind: pa.DataType = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return column.cast(kind).to_numpy() if pa.types.is_integer(kind) else _coded(column)


def _coded(column: Any) -> Coded:
    if not len(column):
        return Coded(np.empty(0, dtype=np.int64), pa.array([], pa.large_string()))
    if not pa.types.is_dictionary(column.type):
        (codes,), names = encode(column.cast(pa.large_string()))
        return Coded(codes, names.array)
    column = column.unify_dictionaries().combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # older Arrow keeps one chunk as a chunked array
        column = column.chunk(0)
    codes, dictionary = column.indices, column.dictionary.cast(pa.large_string())
    used = pc.unique(codes)
    strings = dictionary.take(used)
    if strings.null_count:
        raise GraphError("a vertex is null; expected a string in every row.")
    place = np.empty(len(dictionary), dtype=id_dtype(len(used)))
    place[used.to_numpy()] = np.arange(len(used))
    return Coded(place[codes.to_numpy()], strings)


def _known(column: Array | Coded, names: VertexNames) -> Array:
    """The ids of vertices whose names are all known."""
    return names.ids_of(column) if isinstance(column, np.ndarray) else names.ids_of(column.strings)[column.codes]


def typed_names(names: list[Any], like: Any) -> pa.Array[Any]:
    """The list of names in the type of the column."""
    try:
        return pa.array(names, pa.from_numpy_dtype(like.dtype) if isinstance(like, np.ndarray) else pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise GraphError(
            f"the names in the schema's metadata are not those of the table's vertices: {error}."
        ) from None


@dataclass(frozen=True, slots=True)
class Note:
    """What a table that clew wrote says about its graph."""

    directed: bool = True
    num_vertices: int | None = None
    named: bool = False
    names: list[Any] | None = None
    columns: tuple[str, ...] = ()


def write_note(graph: Graph, sink: Sink) -> bytes:
    """The bytes that go into the metadata of the schema, under ``KEY``."""
    note: dict[str, Any] = {"directed": graph.directed, "num_vertices": graph.num_vertices}
    note["named"] = graph.names is not None
    if graph.attributes.edges is not None:
        note["columns"] = graph.attributes.edges.column_names
    short = json.dumps(note).encode()
    if graph.names is None:
        return short
    used = np.zeros(graph.num_vertices, dtype=np.bool_)
    used[graph.indices] = True
    used |= np.diff(graph.indptr) > 0
    complete = bool(used.all())
    if complete and _come_back_in_order(graph.names):
        return short
    text = json.dumps(note | {"names": graph.names.array.to_pylist()}, ensure_ascii=False).encode()
    if len(text) <= MAX_NOTE_BYTES:
        return text
    if not complete:
        raise sink.error(
            f"{np.count_nonzero(~used):,} vertices have no edges, and the list of all names takes {len(text):,} bytes, "
            "too many for the metadata of a table. Write a .clew or .npz file instead."
        )
    return short


def _texts(names: Any) -> tuple[str, ...]:
    return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()


def _come_back_in_order(names: VertexNames) -> bool:
    """Whether mapping the names in the table gives these ids again: true of ascending 64-bit integers."""
    if not pa.types.is_int64(names.array.type):
        return False
    values = names.array.to_numpy()
    return bool(np.all(values[1:] > values[:-1]))


def read_note(metadata: Mapping[bytes, bytes] | None, source: Source) -> Note:
    """What the metadata of a schema says, or nothing where clew did not write it."""
    text = (metadata or {}).get(KEY)
    if text is None:
        return Note()
    try:
        note = json.loads(text)
    except (ValueError, RecursionError):
        note = None
    match note:
        case {"directed": bool(directed), "num_vertices": int(count), "named": bool(named)} if (
            type(count) is int and 0 <= count < 1 << 62
        ):
            names = note.get("names")
            if names is None or (isinstance(names, list) and len(names) == count):
                return Note(directed, count, named, names, _texts(note.get("columns")))
    raise source.error(
        f"the schema's metadata has an entry 'clew' that clew did not write ({text[:100]!r}); remove it from the file."
    )
