"""Parquet tables with a row per edge; see ``edge_tables`` for the columns."""

from __future__ import annotations

from typing import Any

from clew.graph import Graph
from clew.io.binary import SinkFile, refuse_expansion
from clew.io.options import ReadOptions, WriteOptions
from clew.io.registry import Match
from clew.io.sink import Sink
from clew.io.source import Source
from clew.io.tables import edges as edge_tables
from clew.io.tables.columns import is_string

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
        chosen = edge_tables.chosen_columns(schema, options)
        wanted = chosen.to_read()
        refuse_expansion(source, file.metadata.num_rows * 8 * len(wanted))
        # Strings stay codes and distinct values, as in the file: a long string, repeated, must not fill memory.
        ends = {chosen.columns.source, chosen.columns.target}
        strings = [schema.names[column] for column in ends if is_string(schema.field(column).type)]
        names = list(dict.fromkeys(schema.names[column] for column in wanted))
        table = opened(metadata=file.metadata, read_dictionary=strings).read(columns=names)
        read = [column for name in names for column, other in enumerate(schema.names) if other == name]
        table = table.select([read.index(column) for column in wanted])  # of all that are called so
        table.validate(full=True)
        return edge_tables.graph_from_table(table, chosen, source, options)


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write a million edges per row group: ids as differences, the rest by dictionary where that pays, and zstd."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = edge_tables.schema_of(graph)
    note = edge_tables.write_note(graph, sink)
    integers = [name for name in ("source", "target") if pa.types.is_integer(schema.field(name).type)]
    encodings: dict[str, Any] = {
        "use_dictionary": [name for name in schema.names if name not in integers],
        "column_encoding": dict.fromkeys(integers, "DELTA_BINARY_PACKED"),
    }
    file: Any = SinkFile(sink)
    with pq.ParquetWriter(file, schema, compression="zstd", write_page_checksum=True, **encodings) as writer:
        writer.add_key_value_metadata({edge_tables.KEY.decode(): note.decode()})
        for batch in edge_tables.batches(graph, options):
            writer.write_batch(batch)
