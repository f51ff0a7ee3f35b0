"""Matrix Market: entry (i, j) of a matrix is the edge from i to j, counted from 1 in the file and from 0 in the graph.

Read are coordinate and array files, of pattern, integer, real (or ``double``, ``unsigned-integer``) values, general,
symmetric or skew-symmetric. Complex and Hermitian matrices are refused. What the format leaves open is decided so:

* General matrices are directed graphs. ``directed=False`` takes every entry for an undirected edge.
* Symmetric matrices are undirected graphs. Each entry is one edge, in whichever triangle it stands: the format asks
  for the lower one, but writers do not all care, and LAGraph and SciPy mirror either. An edge that is listed in both
  triangles is there twice; ``duplicates=`` says what to do with it. ``directed=True`` gives both arcs.
* Skew-symmetric matrices are directed graphs with both arcs, the mirrored one with the negated weight. An entry on
  the diagonal, unsigned values and a smallest integer, which has no negative, are refused. ``directed=False`` takes
  every entry as it stands for an undirected edge.
* A matrix that is not square, r × c, is a bipartite graph: rows are vertices 0…r-1, columns are r…r+c-1, and
  ``metadata["bipartite"]`` is ``[r, c]``.
* Of an array, which lists every entry, those that are exactly 0 are no edges. In a coordinate file a listed 0 is one.
* Integers are int64 and reals float64, unless a line ``%%GraphBLAS type …``, as LAGraph writes it, names another
  dtype or ``weight_dtype`` is passed. A value that does not fit is an error; with a float type, integers may be
  ``inf`` or ``nan``.
* A pattern has no weights, whatever type it declares.
* Without a banner, a file whose first line is three integers is read as LAGraph does: these are the size line of a
  matrix in coordinate form, real (or a pattern, where entries have no values) and general. ``report`` says so. A file
  named ``.mtx`` that has two integers on every line is no matrix but a list of edges, and read as that.
* ``ids="map"`` takes row and column numbers, as they stand in the file, for names, and numbers only vertices that
  occur: for matrices with far more rows than entries. A column of a matrix that is not square is then called r plus
  its number.

Undirected graphs are written as symmetric matrices, lower triangle, others as general ones (as r × c where the
metadata say so and no edge contradicts); with the GraphBLAS line, so that every dtype comes back. Names are not
written.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.dtypes import Array, id_dtype
from clew.errors import FormatError
from clew.graph import Graph
from clew.io.apply import graph_from_edges, noted
from clew.io.foreign import IF_EDGES
from clew.io.header import check_rows, check_vertices
from clew.io.matrix_market.header import BANNER, TYPES, Header, has_bare_edges, has_bare_size, read_header
from clew.io.options import ReadOptions, WriteOptions, weight_dtype
from clew.io.registry import EDGE_LIST, Format, Match
from clew.io.sink import Sink
from clew.io.source import Source
from clew.io.text import Layout, Table, read_table, write_table
from clew.io.text.layout import Kind

_DECISION = (
    "There is no '%%MatrixMarket' banner: the first line was taken for the size line of a general coordinate matrix. "
    "Pass format='edge-list' (--format edge-list) if it is an edge."
)
_TYPE_NAMES = {dtype: name for name, dtype in TYPES.items()}


def sniff(head: bytes) -> Match:
    """Sure where the banner is there; maybe where the first line could be the size line of a file without one."""
    return Match.SURE if BANNER.match(head) else Match.MAYBE if has_bare_size(head) else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a graph."""
    header = read_header(source)
    if not header.bare:
        return _graph(source, header, options)
    try:
        return noted(_graph(source, header, options), _DECISION)
    except FormatError as error:
        raise error.advised(*IF_EDGES) from None


def _graph(source: Source, header: Header, options: ReadOptions) -> Graph:
    mapped = options.ids == "map"
    first = 1 if mapped else 0
    layout = _layout(header, options, 1 - first)
    table = read_table(source, layout, after=header.last_line, progress=options.progress)
    check_rows(table, header.size[-1], header.entries, "entries")
    if not mapped:
        remedy = " Pass ids='map' to number only those that occur."
        check_vertices(source, header.size[0], header.num_vertices, table.num_rows, remedy)
    if header.symmetry == "skew-symmetric":
        _check_skew(table)
    rows, columns, weights = _dense_entries(header, table, first) if header.dense else _listed_entries(table)
    metadata: dict[str, Any] = {}
    if not header.square:
        columns = columns.astype(id_dtype(header.num_vertices), copy=False)
        columns += header.rows
        metadata = {} if mapped else {"bipartite": [header.rows, header.columns]}
    if header.symmetry == "symmetric":
        return graph_from_edges(rows, columns, weights, options, directed=False, num_vertices=header.rows)
    if header.symmetry == "skew-symmetric" and options.directed is not False:
        rows, columns = np.concatenate([rows, columns]), np.concatenate([columns, rows])
        weights = None if weights is None else np.concatenate([weights, -weights])
    return graph_from_edges(
        rows, columns, weights, options, directed=True, num_vertices=header.num_vertices, metadata=metadata
    )


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write a graph."""
    source, target, weights = graph.edges()
    rows, columns = (source, target) if graph.directed else (target, source)
    height, width = _shape(graph, source, target)
    values = [] if weights is None else [weights]
    field = "pattern" if weights is None else "real" if weights.dtype.kind == "f" else "integer"
    sink.write(f"%%MatrixMarket matrix coordinate {field} {'general' if graph.directed else 'symmetric'}\n".encode())
    if weights is not None:
        sink.write(f"%%GraphBLAS type {_TYPE_NAMES[weights.dtype]}\n".encode())
    sink.write(f"{height} {width} {rows.size}\n".encode())
    first_column = 1 if height == width else 1 - height
    bases = (1, first_column, 0)[: 2 + len(values)]
    write_table(sink, [rows, columns, *values], bases=bases, progress=options.progress)


def _layout(header: Header, options: ReadOptions, base: int) -> Layout:
    dtype = header.dtype if options.weight_dtype is None else weight_dtype(options.weight_dtype)
    if header.dense:
        return Layout(("number",), ("value",), number_dtype=dtype, comments=b"%")
    ranges = ((1, header.rows), (1, header.columns))
    if header.dtype is None:
        return Layout(("id", "id"), ("row", "column"), ranges, base, comments=b"%")
    value: Kind = "skip" if options.weights is False else "number"
    return Layout(("id", "id", value), ("row", "column", "value"), ranges, base, dtype, b"%")


def _listed_entries(table: Table) -> tuple[Array, Array, Array | None]:
    rows, columns = table.ids
    return rows, columns, table.numbers


def _dense_entries(header: Header, table: Table, first: int) -> tuple[Array, Array, Array | None]:
    """Rows, columns and values of the entries other than 0; rows and columns are counted from ``first``."""
    assert table.numbers is not None
    places = np.flatnonzero(table.numbers)
    if header.symmetry == "general":
        columns, rows = np.divmod(places, max(1, header.rows))
    else:
        skew = header.symmetry == "skew-symmetric"
        lengths = np.arange(header.rows, 0, -1) - skew  # of the columns: each is one shorter than the one before
        starts = np.cumsum(lengths) - lengths
        columns = np.searchsorted(starts, places, side="right") - 1
        rows = places - starts[columns] + columns + skew
    dtype = id_dtype(header.num_vertices)
    return (rows + first).astype(dtype), (columns + first).astype(dtype), table.numbers[places]


def _check_skew(table: Table) -> None:
    """Refuse what cannot be mirrored with the opposite sign."""
    value = len(table.layout.columns) - 1
    if table.ids and (loops := np.flatnonzero(table.ids[0] == table.ids[1])).size:
        raise table.error_at(
            int(loops[0]), 0, "the entry is on the diagonal; expected none there, since the matrix is skew-symmetric."
        )
    if table.numbers is None or table.numbers.dtype.kind == "f":
        return
    dtype = table.numbers.dtype
    if dtype.kind != "i":
        raise table.error_at(
            0,
            value,
            f"the matrix is skew-symmetric, so that half of its values are negative, but their dtype is {dtype}; "
            "expected a signed one. Pass weight_dtype='int64'.",
        )
    lowest = np.iinfo(dtype).min
    if (lost := np.flatnonzero(table.numbers == lowest)).size:
        raise table.error_at(
            int(lost[0]),
            value,
            f"the value is {lowest}; the matrix is skew-symmetric, and {dtype} cannot hold its negative. Pass a wider "
            "weight_dtype, or 'float64'.",
        )


def _shape(graph: Graph, source: Array, target: Array) -> tuple[int, int]:
    """Rows and columns of the matrix: those of the bipartite graph that was read, where it still is one."""
    n = graph.num_vertices
    match graph.metadata.get("bipartite"):
        case [int(rows), int(columns)] if graph.directed and rows >= 0 and columns >= 0:
            # Square ones are written with all their vertices on both sides, since r × r reads back as r vertices.
            if rows + columns == n and rows != columns and bool((source < rows).all() and (target >= rows).all()):
                return rows, columns
    return n, n


def _misnamed(head: bytes) -> str | None:
    return EDGE_LIST if has_bare_edges(head) else None


FORMAT = Format(
    "matrix-market",
    "Matrix Market",
    (".mtx", ".mm"),
    sniff,
    read,
    write,
    keeps_metadata=("bipartite",),
    needs_suffix=True,  # without its banner, a file reads like an edge list with weights
    misnamed=_misnamed,
)
