"""Parquet tables with a row per edge; see ``edge_tables`` for the columns."""

from __future__ import annotations

from typing import Any

from clew.graph import Graph
from clew.io.binary import SinkFile, refuse_expansion
from clew.io.options import ReadOptions, WriteOptions
from clew.io.registry import Format, Match
from clew.io.sink import Sink
from clew.io.source import Source
from clew.io.tables import columns as edge_columns
from clew.io.tables import edges as edge_tables
from clew.io.tables import notes as edge_notes

MAGIC = b"PAR1"


def sniff(head: bytes) -> Match:
    """Four bytes at the start and, though they are not seen here, at the end."""
    return Match.SURE if head.startswith(MAGIC) else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read the columns that hold the edges and no others."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def opened(**more: Any) -> pq.ParquetFile:
        buffer = pa.BufferReader(pa.py_buffer(source.whole().data))
        return pq.ParquetFile(buffer, page_checksum_verification=True, pre_buffer=False, **more)

    with edge_tables.arrow_errors(source, "Parquet"):
        file = opened()
        schema = file.schema_arrow
        columns = edge_columns.choose(schema, options)
        refuse_expansion(source, file.metadata.num_rows * 8 * len(columns.names()))
        # Strings stay codes and distinct values, as in the file: a long string, repeated, must not fill memory.
        strings = [name for name in columns.names()[:2] if edge_columns.is_string(schema.field(name).type)]
        table = opened(metadata=file.metadata, read_dictionary=strings).read(columns=columns.names())
        table.validate(full=True)
        return edge_tables.graph_from_table(table, columns, source, options)


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write a million edges per row group: ids as differences, the rest by dictionary where that pays, and zstd."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = edge_tables.schema_of(graph)
    note = edge_notes.write_note(graph, sink)
    integers = [name for name in ("source", "target") if pa.types.is_integer(schema.field(name).type)]
    encodings: dict[str, Any] = {
        "use_dictionary": [name for name in schema.names if name not in integers],
        "column_encoding": dict.fromkeys(integers, "DELTA_BINARY_PACKED"),
    }
    file: Any = SinkFile(sink)
    with pq.ParquetWriter(file, schema, compression="zstd", write_page_checksum=True, **encodings) as writer:
        writer.add_key_value_metadata({edge_notes.KEY.decode(): note.decode()})
        for batch in edge_tables.batches(graph, options):
            writer.write_batch(batch)


FORMAT = Format("parquet", "Parquet edge table", (".parquet", ".pq"), sniff, read, write, keeps_names=True)
