"""Arrow IPC tables with a row per edge, as files (which is Feather version 2) or streams; see ``edge_tables``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from clew.graph import Graph
from clew.io.binary import SinkFile, refuse_expansion
from clew.io.options import ReadOptions, WriteOptions
from clew.io.registry import Match
from clew.io.sink import Sink
from clew.io.source import Source
from clew.io.tables import edges as edge_tables

if TYPE_CHECKING:
    import pyarrow as pa

FILE_MAGIC = b"ARROW1"
FEATHER_1_MAGIC = b"FEA1"
STREAM_START = b"\xff\xff\xff\xff"
STREAM_END = b"\xff\xff\xff\xff\0\0\0\0"


def sniff(head: bytes) -> Match:
    """Files have a magic number; a stream starts with a marker and the length of its schema."""
    if head.startswith((FILE_MAGIC, FEATHER_1_MAGIC)):
        return Match.SURE
    length = int.from_bytes(head[4:8], "little")
    stream = head.startswith(STREAM_START) and length % 8 == 0 and 0 < length < 1 << 30
    return Match.MAYBE if stream else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read the columns that hold the edges and no others."""
    import pyarrow as pa

    data = source.whole()
    if data[:4].tobytes() == FEATHER_1_MAGIC:
        raise source.error("this is Feather version 1, which is no longer in use; write it anew as Feather version 2.")
    if data[:4].tobytes() == STREAM_START and data[-len(STREAM_END) :].tobytes() != STREAM_END:
        # Arrow takes the end of the data for the end of the stream, and would not miss the edges that were cut off.
        raise source.error("the stream has no end-of-stream marker, so it was cut short; copy it again.")
    with edge_tables.arrow_errors(source, "Arrow IPC"):
        buffer = pa.py_buffer(data.data)
        schema = _reader(buffer, None).schema
        chosen = edge_tables.chosen_columns(schema, options)
        reader = _reader(buffer, pa.ipc.IpcReadOptions(included_fields=chosen.to_read()))
        taken: list[pa.RecordBatch] = []
        total = 0
        for batch in _batches(reader):
            batch.validate(full=True)
            total += max(batch.nbytes, 8 * batch.num_rows * batch.num_columns)
            refuse_expansion(source, total)
            taken.append(batch)
        table = pa.Table.from_batches(taken, reader.schema)
        return edge_tables.graph_from_table(table, chosen, source, options)


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write an Arrow IPC file, its buffers packed with zstd."""
    import pyarrow as pa

    note = {edge_tables.KEY: edge_tables.write_note(graph, sink)}
    schema = edge_tables.schema_of(graph).with_metadata(note)
    packed = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(SinkFile(sink), schema, options=packed) as writer:
        for batch in edge_tables.batches(graph, options):
            writer.write_batch(batch)


def _reader(buffer: pa.Buffer, options: Any) -> Any:
    import pyarrow as pa

    is_file = buffer.slice(0, min(buffer.size, len(FILE_MAGIC))).to_pybytes() == FILE_MAGIC
    opened = pa.ipc.open_file if is_file else pa.ipc.open_stream
    return opened(pa.BufferReader(buffer), options=options)


def _batches(reader: Any) -> Iterator[pa.RecordBatch]:
    if hasattr(reader, "num_record_batches"):
        return (reader.get_batch(index) for index in range(reader.num_record_batches))
    return iter(reader)
