"""Matrix Market: entry (i, j) of a matrix is the edge from i to j, counted from 1 in the file and from 0 in the graph.

clew reads coordinate and array files with pattern, integer or real (also ``double`` and ``unsigned-integer``) values.
Matrices are general, symmetric or skew-symmetric; complex and Hermitian ones are an error. The format leaves some
questions open:

* General matrices are directed graphs. ``directed=False`` reads every entry as an undirected edge.
* Symmetric matrices are undirected graphs. Each entry is one edge, in either triangle. The format requires the lower
  one, but not all writers follow it, and LAGraph and SciPy mirror both. An edge in both triangles is a duplicate; see
  ``duplicates=``. ``directed=True`` gives both arcs.
* Skew-symmetric matrices are directed graphs with both arcs, the mirrored one with the negated weight. An entry on
  the diagonal, unsigned values and a smallest integer, which has no negative, are refused. ``directed=False`` takes
  every entry as it stands for an undirected edge.
* A matrix that is not square, r × c, is a bipartite graph: rows are vertices 0…r-1, columns are r…r+c-1, and
  ``metadata["bipartite"]`` is ``[r, c]``.
* Of an array, which lists every entry, those that are exactly 0 are no edges. In a coordinate file a listed 0 is one.
* Integers are int64 and reals float64, unless a line ``%%GraphBLAS type …``, as LAGraph writes it, names another
  dtype or ``weight_dtype`` is passed. A value that does not fit is an error; with a float type, integers may be
  ``inf`` or ``nan``.
* A pattern has no weights, even if it declares a type.
* Without a banner, a file whose first line is three integers is read as LAGraph does: these are the size line of a
  matrix in coordinate form, real (or a pattern, where entries have no values) and general. ``report`` says so. A file
  named ``.mtx`` that has two integers on every line is no matrix but a list of edges, and read as that.
* ``ids="map"`` takes row and column numbers, as they stand in the file, for names, and numbers only vertices that
  occur: for matrices with far more rows than entries. A column of a matrix that is not square is then called r plus
  its number.

Undirected graphs are written as symmetric matrices, lower triangle, and directed ones as general matrices. A bipartite
graph is written as r × c if its metadata fits its edges. The GraphBLAS line preserves every dtype. Names are not
written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, cast, get_args

import numpy as np

from clew.dtypes import Array, id_dtype
from clew.errors import FormatError
from clew.graph import Graph
from clew.io.foreign import IF_EDGES
from clew.io.options import ReadOptions, WriteOptions, graph_from_edges, noted
from clew.io.registry import BANNER
from clew.io.sink import Sink
from clew.io.source import HEAD_BYTES, Match, Source
from clew.io.text import Kind, Layout, Line, Word, first_rows, leading_lines, shown
from clew.io.text.tables import Table, read_table
from clew.io.text.writer import write_table

Symmetry = Literal["general", "symmetric", "skew-symmetric"]
GENERAL: Symmetry = "general"

_SIZE = re.compile(rb"\+?[0-9]+([ \t]+\+?[0-9]+){2}")
_PAIR = re.compile(rb"\+?[0-9]+[ \t]+\+?[0-9]+")
SAMPLE_ROWS = 20
FIELDS: dict[str, np.dtype[Any] | None] = {
    "pattern": None,
    "integer": np.dtype(np.int64),
    "real": np.dtype(np.float64),
    "double": np.dtype(np.float64),
    "unsigned-integer": np.dtype(np.uint64),
}
#: The types of the ``%%GraphBLAS type`` line.
TYPES: dict[str, np.dtype[Any]] = {
    "bool": np.dtype(np.bool_),
    **{f"{kind}{bits}_t": np.dtype(f"{kind}{bits}") for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
}
_DECISION = (
    "There is no '%%MatrixMarket' banner: the first line was read as the size line of a general coordinate matrix. "
    "Pass format='edge-list' (--format edge-list) if it is an edge."
)
_TYPE_NAMES = {dtype: name for name, dtype in TYPES.items()}


@dataclass(frozen=True, slots=True)
class Header:
    """What the header says.

    Parameters
    ----------
    dense
        Whether all entries are listed, column by column, rather than those that are there with their row and column.
    dtype
        The dtype of the values; None in a pattern, which has none.
    symmetry
        Which entries are implied by others.
    rows, columns
        The shape of the matrix.
    entries
        How many entries the file lists.
    size
        The words of the size line, which is the last line of the header.
    bare
        Whether the banner is missing, so that form, values and symmetry are LAGraph's defaults.
    """

    dense: bool
    dtype: np.dtype[Any] | None
    symmetry: Symmetry
    rows: int
    columns: int
    entries: int
    size: list[Word]
    bare: bool

    @property
    def square(self) -> bool:
        """Whether rows and columns are the same vertices."""
        return self.rows == self.columns

    @property
    def num_vertices(self) -> int:
        """One vertex per row; of a matrix that is not square, one per row and one per column."""
        return self.rows if self.square else self.rows + self.columns


def read_header(source: Source) -> Header:
    """Read and check everything up to the size line."""
    lines = leading_lines(source)
    banner = next((line for line in lines if line.text.strip()), None)
    if banner is None:
        raise source.error("the file is empty; expected the banner '%%MatrixMarket matrix …'.")
    bare = not BANNER.match(banner.text) and has_bare_size(source.head())
    if bare:  # LAGraph's defaults; without values, entries are a pattern
        lines = leading_lines(source)
        entry = next(islice(_rows(source.head()), 1, None), b"")
        dense, dtype, symmetry = False, None if len(entry.split()) == 2 else FIELDS["real"], GENERAL
    else:
        dense, dtype, symmetry = _parse_banner(source, banner)
    line = banner
    for line in lines:
        text = line.text.strip()
        if text.startswith(b"%"):
            declared = _declared_type(line)
            dtype = dtype if dtype is None or declared is None else declared
        elif text:
            return _with_size(line, dense, dtype, symmetry, bare)
    raise source.error(
        "the file ends before its size line; expected the numbers of rows and columns.", line=line.number
    )


def has_bare_size(head: bytes) -> bool:
    """Whether a file without a banner starts with a size line: three integers, the first line that is no comment."""
    return _SIZE.fullmatch(next(_rows(head), b"")) is not None


def has_bare_edges(head: bytes) -> bool:
    """Whether a file without a banner is a list of edges: two integers on its first lines, and no size line."""
    return all(map(_PAIR.fullmatch, [*islice(_rows(head), SAMPLE_ROWS)] or [b""]))


def _rows(head: bytes) -> Iterator[bytes]:
    """The first lines that are neither blank nor comments; the last line of the first bytes may have been cut."""
    return first_rows(head[: head.rfind(b"\n") + 1] if len(head) == HEAD_BYTES else head, b"%")


def _parse_banner(source: Source, line: Line) -> tuple[bool, np.dtype[Any] | None, Symmetry]:
    if not BANNER.match(line.text):
        raise source.error(
            f"the first line is {shown(line.text)}; expected the banner '%%MatrixMarket matrix …', without which "
            "nothing says what the numbers are.",
            line=line.number,
            column=1,
        ).advised(IF_EDGES)
    _choice(line, 1, "object", ["matrix"])
    form = _choice(line, 2, "format", ["coordinate", "array"])
    field = _choice(line, 3, "field", list(FIELDS), "complex")
    symmetry = _choice(line, 4, "symmetry", list(get_args(Symmetry)), "hermitian")
    if field == "pattern" and (form == "array" or symmetry == "skew-symmetric"):
        wrong = form if form == "array" else symmetry
        problem = f"a pattern has no values, so it cannot be {wrong!r}; expected coordinate, general or symmetric."
        raise line.words()[3].error(problem)
    return form == "array", FIELDS[field], cast(Symmetry, symmetry)


def _choice(line: Line, place: int, name: str, known: list[str], refused: str | None = None) -> str:
    """One word of the banner, in lower case; ``refused`` is the word for complex numbers."""
    word = [*line.words(), *[line.missing_word()] * 4][place]
    text = word.text.decode("latin-1").lower()
    if text in known:
        return text
    expected = f"expected {', '.join(known[:-1])}{' or ' if known[1:] else ''}{known[-1]}."
    reason = "complex numbers cannot be the weights of a graph: " if text == refused else ""
    raise word.error(f"the {name} of the banner is {word if word.text else 'missing'}; {reason}{expected}")


def _declared_type(line: Line) -> np.dtype[Any] | None:
    """The dtype on a line ``%%GraphBLAS type …``; any other comment says nothing."""
    words = line.words()
    if len(words) < 2 or words[0].text.lower() != b"%%graphblas" or words[1].text.lower() != b"type":
        return None
    name = b" ".join(word.text for word in words[2:])
    dtype = TYPES.get(name.decode("latin-1").lower())
    if dtype is None:
        word = words[2] if words[2:] else line.missing_word()
        raise word.error(f"the type of the values is {shown(name)}; expected one of {', '.join(TYPES)}.")
    return dtype


def _with_size(line: Line, dense: bool, dtype: np.dtype[Any] | None, symmetry: Symmetry, bare: bool) -> Header:
    names = ("rows", "columns", "entries")[: 2 if dense else 3]
    problem = f"the size line is {shown(line.text)}; expected the numbers of {', '.join(names)}."
    (rows, columns, *listed), size = line.counts(names, problem)
    if rows != columns and symmetry != GENERAL:
        raise size[1].error(
            f"the matrix is {symmetry} but has {rows:,} rows and {columns:,} columns; expected as many."
        )
    if rows + columns >= 1 << 63:
        raise size[1].error(f"the number of columns is {size[1]}; expected less than 2^63 with the rows.")
    triangle = {"symmetric": rows * (rows + 1) // 2, "skew-symmetric": rows * (rows - 1) // 2}
    entries = triangle.get(symmetry, rows * columns) if dense else listed[0]
    return Header(dense, dtype, symmetry, rows, columns, entries, size, bare)


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
        raise error.advised(IF_EDGES) from None


def _graph(source: Source, header: Header, options: ReadOptions) -> Graph:
    mapped = options.ids == "map"
    first = 1 if mapped else 0
    layout = _layout(header, options, 1 - first)
    table = read_table(source, layout, after=header.size[0].line, progress=options.progress)
    table.check_rows(header.entries, "entries", header.size[-1].place)
    if not mapped:
        remedy = " Pass ids='map' to number only those that occur."
        header.size[0].check_vertices(header.num_vertices, table.num_rows, remedy)
    if header.symmetry == "skew-symmetric":
        _check_skew(table)
    weights: Array | None
    if header.dense:
        rows, columns, weights = _dense_entries(header, table, first)
    else:
        (rows, columns), weights = table.ids, table.numbers
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
    dtype = header.dtype if options.weight_dtype is None else options.weight_dtype
    if header.dense:
        return Layout(("number",), ("value",), number_dtype=dtype, comments=b"%")
    ranges = ((1, header.rows), (1, header.columns))
    if header.dtype is None:
        return Layout(("id", "id"), ("row", "column"), ranges, base, comments=b"%")
    value: Kind = "skip" if options.weights is False else "number"
    return Layout(("id", "id", value), ("row", "column", "value"), ranges, base, dtype, b"%")


def _dense_entries(header: Header, table: Table, first: int) -> tuple[Array, Array, Array]:
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
