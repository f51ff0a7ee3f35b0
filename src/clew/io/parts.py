"""Parts of files: the share of one of several readers, and its edges.

A Parquet file is shared by row groups, an Arrow file by record batches and a text by lines. One reader reads a file
that cannot be shared, such as a compressed one, and says so. Columns, headers and errors are those of a whole file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from clew.adjacency import COUNTS
from clew.dtypes import MAX_INT32_VERTICES, Array, id_dtype
from clew.errors import GraphError
from clew.graph import Graph
from clew.io import edge_list, format_of, read_opened, registry, tables
from clew.io.binary import refuse_expansion, refuse_rows
from clew.io.columns import Columns, choose, fields_of, is_string
from clew.io.edge_list.dialect import Dialect, detect
from clew.io.edge_list.sample import Sample
from clew.io.options import ReadOptions, requested_weights
from clew.io.ranges import Range, UrlSource, line_start, open_source
from clew.io.source import Source

BATCH_ROWS = 1 << 18


class Piece(NamedTuple):
    """What a reader is to read: the stored bytes of a file from ``start`` to ``stop``, of ``size``."""

    path: str
    number: int  # of the file among all files
    start: int
    stop: int
    size: int


@dataclass
class Part:
    """The share of a file that one reader reads.

    Parameters
    ----------
    source, target, weights
        The edges. Ends are integers as they are in the file, or codes of ``names``.
    names
        The names of this part's vertices, each once, as an Arrow array of text; or None.
    directed, columns, decisions
        As of a graph that was read from the whole file.
    more_names
        Names of vertices that may have no edge, or None.
    keep, named
        Whether the integers are ids; whether they are names.
    rows
        The vertices whose names this reader has, if ends are ids of a graph that the file stores; else None.
    counts
        The report of such a graph; else None.
    count
        The number of vertices that the file says there are, or None.
    decimal_comma, header
        See ``clew.io.edge_list.Rows``.
    """

    source: Array
    target: Array
    weights: Array | None
    directed: bool
    names: Any = None
    more_names: Any = None
    keep: bool = False
    named: bool = False
    rows: tuple[int, int] | None = None
    counts: tuple[int, ...] | None = None
    count: int | None = None
    columns: dict[str, str] = field(default_factory=dict)
    decisions: tuple[str, ...] = ()
    decimal_comma: bool = False
    header: str | None = None


def read_part(
    piece: Piece,
    format_name: str | None,
    options: ReadOptions,
    *,
    decimal_comma: bool = False,
    header: str | None = None,
) -> Part | None:
    """Read a piece of a file; None if another reader has all of it.

    ``decimal_comma`` and ``header`` are what another reader has learned about the same file.
    """
    source = open_source(piece.path, options.max_expanded_bytes)
    one = format_of(source, format_name, options)
    try:
        part = _read(piece, source, one, options, decimal_comma, header)
    except GraphError as error:
        raise source.error(error.problem, remedy=error.remedy, option=error.option) from None
    note = None if format_name else registry.contradiction(one, source.suffix)
    return part if note is None or part is None else replace(part, decisions=(*part.decisions, note))


def _read(
    piece: Piece, source: Source, one: registry.Format, options: ReadOptions, comma: bool, header: str | None
) -> Part | None:
    if not source.compressed and one.name in ("parquet", "arrow"):
        return (_parquet if one.name == "parquet" else _arrow)(piece, source, options)
    if one.name == registry.EDGE_LIST and not Sample.of(source).has_attributes:
        dialect = detect(source, options) if header is None else edge_list.without_header(source, options, header)
        if not dialect.bipartite and dialect.count is None and dialect.empty is None:
            return _lines(piece, source, dialect, options, comma)
    if one.name == "clew" and not source.compressed:
        graph = read_opened(source, one.name, replace(options, duplicates="keep", loops="keep"))
        return _of_graph(graph, piece.start / piece.size, piece.stop / piece.size)
    return _whole(piece, source, one, options)


def rows_stored(path: str, format_name: str | None) -> int | None:
    """The rows of a Parquet file, by its footer; None of other files, and of one that cannot be read."""
    if format_name != "parquet" and not path.partition("?")[0].endswith((".parquet", ".pq")):
        return None
    try:
        return int(pq.ParquetFile(_opened(open_source(path)), pre_buffer=False).metadata.num_rows)
    except (GraphError, OSError, pa.ArrowException):
        return None


def _whole(piece: Piece, source: Source, one: registry.Format, options: ReadOptions) -> Part | None:
    """The edges of a file that only one reader can read."""
    if piece.start:
        return None
    # Duplicates and loops are counted and merged when the edges of all parts are there.
    part = _of_graph(read_opened(source, one.name, replace(options, duplicates="keep", loops="keep")), 0, 1)
    if piece.stop < piece.size:
        part.decisions = (*part.decisions, f"One worker read {Path(source.name).name}: {_why(source, one)}.")
    return part


def _why(source: Source, one: registry.Format) -> str:
    return "it is compressed" if source.compressed else f"files of this kind ({one.title}) cannot be split"


def _of_graph(graph: Graph, first: float, last: float) -> Part:
    """The edges of some rows of a graph."""
    low, high = (int(np.searchsorted(graph.indptr, share * graph.num_arcs)) for share in (first, last))
    low, high = (0 if first == 0 else low), (graph.num_vertices if last == 1 else high)
    known = {"directed": graph.directed, "columns": dict(graph.report.columns), "decisions": graph.report.decisions}
    edges = edge_list.writer.edges_of_rows(graph, low, high)
    part = Part(*edges, count=graph.num_vertices, keep=graph.names is None, **known)  # type: ignore[arg-type]
    part.counts = tuple(getattr(graph.report, name) for name in COUNTS)
    if graph.names is not None:
        part.names, part.rows = graph.names.array, (low, high)
    if graph.metadata:
        lost = ", ".join(map(str, graph.metadata))
        part.decisions = (*part.decisions, f"The metadata of the graph ({lost}) does not go to a cluster.")
    return part


def in_rows(indptr: Array, start: int, stop: int) -> Array:
    """The rows of the entries from ``start`` to ``stop``."""
    first = int(np.searchsorted(indptr, start, "right")) - 1
    last = int(np.searchsorted(indptr, stop, "left"))
    ends = np.clip(indptr[first : last + 1], start, stop)
    return np.repeat(np.arange(first, last), np.diff(ends))


def _lines(piece: Piece, source: Source, dialect: Dialect, options: ReadOptions, comma: bool) -> Part:
    """The lines that start in the piece; all of them for the first reader of a compressed file."""
    text: Source = source
    decisions: tuple[str, ...] = ()
    if comma:
        dialect = replace(dialect, layout=replace(dialect.layout, decimal_comma=True))
    if source.compressed:
        if piece.start:
            text = Source(b"")
            text.path, text.name = source.path, source.name
        elif piece.stop < piece.size:
            decisions = (f"One worker read {Path(source.name).name}: it is compressed.",)
    else:
        body = 0 if dialect.after is None else dialect.after.end
        bounds = [body if place <= body else line_start(source, place) for place in (piece.start, piece.stop)]
        text = Range(source, *bounds)
    rows = edge_list.read_rows(text, dialect if text is source else replace(dialect, after=None), options)
    for end in rows.ends:
        refuse_wide(end)
    first, second = rows.ends
    return Part(
        first,
        second,
        rows.weights,
        dialect.directed if options.directed is None else options.directed,
        names=rows.names,
        keep=rows.keep,
        columns=dialect.columns,
        decisions=(*dialect.decisions, *rows.decisions, *decisions),
        decimal_comma=rows.decimal_comma,
        header=rows.header,
    )


def _parquet(piece: Piece, source: Source, options: ReadOptions) -> Part:
    with tables.arrow_errors(source, "Parquet"):
        opened = _opened(source)
        file = pq.ParquetFile(opened, page_checksum_verification=True, pre_buffer=False)
        schema, about = file.schema_arrow, file.metadata
        chosen = _chosen(schema, about.metadata, source, options)
        refuse_expansion(source, about.num_rows * 8 * len(chosen.to_read()))
        ends = {chosen.source, chosen.target}
        texts = [schema.names[column] for column in ends if is_string(schema.field(column).type)]
        sizes = [about.row_group(group).total_byte_size for group in range(about.num_row_groups)]
        groups = _mine(piece, np.array(sizes, np.float64))
        count = sum(about.row_group(group).num_rows for group in groups)
        names = list(dict.fromkeys(schema.names[column] for column in chosen.to_read()))
        file = pq.ParquetFile(
            opened, metadata=about, read_dictionary=texts, page_checksum_verification=True, pre_buffer=False
        )
        batches = file.iter_batches(BATCH_ROWS, row_groups=groups, columns=names, use_threads=False)
        schema = schema.with_metadata(about.metadata or {})  # the file's own entries come after the schema was stored
        return _of_batches(batches if groups else (), count, schema, chosen, source, options)


def _arrow(piece: Piece, source: Source, options: ReadOptions) -> Part | None:
    if source.head()[: len(tables.FILE_MAGIC)] != tables.FILE_MAGIC:  # a stream has no list of its batches
        return _whole(piece, source, registry.named("arrow"), options)
    with tables.arrow_errors(source, "Arrow IPC"):
        opened = _opened(source)
        schema = pa.ipc.open_file(opened).schema
        chosen = _chosen(schema, schema.metadata, source, options)
        included = pa.ipc.IpcReadOptions(included_fields=chosen.to_read(), use_threads=False)
        reader = pa.ipc.open_file(opened, options=included)
        mine = _mine(piece, np.ones(reader.num_record_batches))
        return _of_batches(map(reader.get_batch, mine), 0, schema, chosen, source, options)


def _chosen(schema: Any, metadata: Any, source: Source, options: ReadOptions) -> Columns:
    """The columns that hold the edges. Columns that clew wrote besides are no weights, and are not read."""
    written = tables.read_note(metadata, source).columns
    return choose(fields_of(schema), options, written)._replace(attributes=())


def _opened(source: Source) -> Any:
    """The file for Arrow, which reads the ranges that it needs."""
    return source._file if isinstance(source, UrlSource) else pa.OSFile(str(source.path), "rb")


def _mine(piece: Piece, sizes: Array) -> list[int]:
    """Which of consecutive groups have their middle in a piece."""
    middle = (np.cumsum(sizes) - sizes / 2) * (piece.size / max(1.0, float(sizes.sum())))
    return [int(group) for group in np.flatnonzero((middle >= piece.start) & (middle < piece.stop))]


def _of_batches(batches: Iterable[Any], rows: int, schema: Any, chosen: Any, source: Source, options: Any) -> Part:
    note = tables.read_note(schema.metadata, source)
    columns = [schema.field(column) for column in chosen.to_read()]
    names = [column.name for column in columns]
    held = Edges(rows)
    for batch in _filled(batches, columns):
        batch.validate(full=True)
        if batch.schema.names != names:  # two columns of one name, or another order
            batch = batch.select(names)
        first, second, weights = tables.edges_of(pa.Table.from_batches([batch]), chosen)
        held.append(first, second, requested_weights(weights, options))
        if options.progress is not None:
            options.progress(held.size, rows or None)
    part = held.finished(options.directed if options.directed is not None else note.directed)
    if note.names is not None and options.ids == "auto":
        part.more_names = tables.typed_names(note.names, np.empty(0, np.int64) if part.names is None else None)
    elif part.names is None and not note.named and note.num_vertices is not None and options.ids in ("auto", "keep"):
        part.count = note.num_vertices
        refuse_rows(source, note.num_vertices)
    part.keep = part.names is None and (options.ids == "keep" or part.count is not None)
    part.named = note.named
    part.columns, part.decisions = chosen.roles(), tables.decisions_of(schema, note, chosen, options)
    return part


def _filled(batches: Iterable[Any], columns: list[Any]) -> Iterator[Any]:
    """The batches, or one without rows, so that columns are checked also where a reader has none."""
    empty = True
    for batch in batches:
        empty = False
        yield batch
    if empty:
        yield pa.RecordBatch.from_pylist([], pa.schema(columns))


class Edges:
    """Edges of batches, kept in as few bytes as they need: 4 for an end if it fits."""

    def __init__(self, rows: int) -> None:
        self.size = 0
        self._ends: list[Array] = [np.empty(rows, np.int32), np.empty(rows, np.int32)]
        self._weights: Array | None = None
        self._names: list[Any] = []  # distinct among themselves, then those of newer batches
        self._known = 0  # names that are distinct

    def append(self, first: Any, second: Any, weights: Array | None = None) -> None:
        """More edges: integers, or codes of names."""
        ends = self._codes(first, second) if isinstance(first, tables.Coded) else (first, second)
        size = self.size + ends[0].size
        for k, values in enumerate(ends):
            refuse_wide(values)
            if values.size and not -MAX_INT32_VERTICES <= int(values.min()) <= int(values.max()) < MAX_INT32_VERTICES:
                self._ends[k] = self._ends[k].astype(np.int64, copy=False)
            self._ends[k] = _with_room(self._ends[k], size)
            self._ends[k][self.size : size] = values
        if weights is not None:
            if self._weights is None:
                self._weights = np.empty(self._ends[0].size, weights.dtype)
            self._weights = _with_room(self._weights, size)
            self._weights[self.size : size] = weights
        self.size = size

    def finished(self, directed: bool) -> Part:
        """All of them."""
        for array in (*self._ends, self._weights):
            if array is not None:
                array.resize(self.size, refcheck=False)
        return Part(self._ends[0], self._ends[1], self._weights, directed, names=self._merged())

    def _codes(self, *columns: Any) -> list[Array]:
        """The codes of a batch's names among all names so far."""
        total = sum(map(len, self._names))
        if total + sum(len(column.strings) for column in columns) > max(1 << 20, 3 * self._known):
            self._merged()
            total = self._known
        codes = []
        for column in columns:
            codes.append(column.codes.astype(np.int64) + total)
            self._names.append(column.strings)
            total += len(column.strings)
        return codes

    def _merged(self) -> Any:
        """Every name once; the codes follow."""
        if not self._names:
            return None
        everything = pa.concat_arrays(self._names)
        names = pc.unique(everything)
        code = pc.index_in(everything, value_set=names).to_numpy(zero_copy_only=False).astype(id_dtype(len(names)))
        for end in self._ends:
            end[: self.size] = code[end[: self.size]]
        self._names, self._known = [names], len(names)
        return names


def refuse_wide(values: Array) -> None:
    """Reject integers of 2^63 and more."""
    if values.dtype == np.uint64 and values.size and int(values.max()) >> 63:
        raise GraphError(
            f"there is a vertex called {int(values.max())}; workers of a cluster read integers below 2^63 only.",
            remedy="Pass ids='text', or read the file on one machine and call spread().",
        )


def _with_room(array: Array, size: int) -> Array:
    """The array with at least ``size`` entries; it grows in place."""
    if array.size < size:
        array.resize(max(size, array.size + array.size // 4), refcheck=False)
    return array
