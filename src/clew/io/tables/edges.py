"""Tables with a row per edge, whatever they are stored in, to graphs and back.

Strings are handled as Arrow's dictionaries: a code per row and the distinct strings, which alone are hashed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clew.convert.arrow import from_arrow, to_arrow
from clew.dtypes import Array, IdArray, id_dtype
from clew.errors import ClewError, GraphError
from clew.graph import Graph
from clew.io.apply import graph_from_edges
from clew.io.binary import refuse_rows
from clew.io.options import ReadOptions, WriteOptions
from clew.io.source import Source
from clew.io.tables.columns import Columns
from clew.io.tables.notes import read_note
from clew.names import VertexNames, encode

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 1 << 20


class Coded(NamedTuple):
    """A column of strings: the distinct ones in the order in which they first occur, and which of them a row holds."""

    codes: Array
    strings: pa.Array[Any]


@contextmanager
def arrow_errors(source: Source, title: str) -> Iterator[None]:
    """Whatever Arrow says about damaged data, as a ``FormatError``."""
    import pyarrow as pa

    try:
        yield
    except ClewError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        said = str(error).split("\n", 1)[0].rstrip(". ")[:300]
        raise source.error(
            f"this is not a valid {title} file, or it is damaged ({said}); copy it again, or write it anew."
        ) from None


def graph_from_table(table: pa.Table, columns: Columns, source: Source, options: ReadOptions) -> Graph:
    """The graph of a table whose data were validated."""
    note = read_note(table.schema.metadata, source)
    weights = from_arrow(table, *columns).weights
    for name in (columns.source, columns.target):
        if nulls := table[name].null_count:
            raise GraphError(f"column {name!r} has {nulls:,} nulls; expected a vertex in every row.")
    first, second = _vertices(table[columns.source]), _vertices(table[columns.target])
    if isinstance(first, Coded) != isinstance(second, Coded):
        raise GraphError(
            f"column {columns.source!r} holds {table[columns.source].type} and {columns.target!r} "
            f"{table[columns.target].type}; expected integers in both or strings in both."
        )
    num_vertices, names = None, None
    if note.names is not None and options.ids == "auto":
        names = VertexNames(_typed_names(note.names, first))
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
    return graph_from_edges(first, second, weights, options, **known)


def schema_of(graph: Graph) -> pa.Schema:
    """The columns of the table that ``batches`` fills."""
    nothing: IdArray = graph.indices[:0]
    return to_arrow(nothing, nothing, None if graph.weights is None else graph.weights[:0], graph.names).schema


def batches(graph: Graph, options: WriteOptions) -> Iterator[pa.RecordBatch]:
    """The edges, an undirected one once, a million at a time."""
    source, target, weights = graph.edges()
    for start in range(0, source.size, BATCH_ROWS):
        rows = slice(start, start + BATCH_ROWS)
        part = None if weights is None else weights[rows]
        yield from to_arrow(source[rows], target[rows], part, graph.names).to_batches()
        if options.progress:
            options.progress(min(rows.stop, source.size), source.size)


def _vertices(column: pa.ChunkedArray[Any]) -> Array | Coded:
    """Integers as a NumPy array, strings by code."""
    import pyarrow as pa

    kind: pa.DataType = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return column.cast(kind).to_numpy() if pa.types.is_integer(kind) else _coded(column)


def _coded(column: Any) -> Coded:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        column = column.cast(pa.large_string()).dictionary_encode()
    if not len(column):
        return Coded(np.empty(0, dtype=np.int64), pa.array([], pa.large_string()))
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


def _typed_names(names: list[Any], like: Array | Coded) -> pa.Array[Any]:
    """The list of names in the type of the column."""
    import pyarrow as pa

    try:
        return pa.array(names, pa.from_numpy_dtype(like.dtype) if isinstance(like, np.ndarray) else pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise GraphError(
            f"the names in the schema's metadata are not those of the table's vertices: {error}."
        ) from None
