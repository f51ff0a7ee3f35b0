"""Edge lists: a line for every edge, as SNAP, KONECT, GAP and every program that writes CSV have them.

Columns are separated by blanks, commas, semicolons, tabs or bars. Lines that start with ``#`` or ``%`` are comments.
All lines have the same number of columns; empty ones at the end do not count. Weights may be in double quotes. Between
semicolons and tabs, fractions may have a decimal comma, as spreadsheets write them.

* **The first line** may name the columns. In ``.csv`` and ``.tsv`` files it does where it is text above numbers, or
  where none of its cells occurs again. In other files it does where two words are a usual pair, such as ``source`` and
  ``target``, or all words are usual. Above numbers, one usual word is enough there. Without a suffix, commas,
  semicolons, tabs and bars make a table. ``header=`` decides otherwise.
* **Columns.** The ends are the columns given by ``source=`` and ``target=`` (a name, or a position counted from 1),
  else columns with usual names, else the first two. The weight is the column given by ``weight=``. Else it is a column
  called ``weight``, ``w``, ``value``, ``cost``, ``distance``, ``dist`` or ``length``, else the third of exactly three
  numeric columns. Other numeric columns are an error that lists the choices. ``weights=False`` reads none of them.
* **Vertices** are integers or, where any of them is something else, strings: text in double quotes, and integers that
  are not written as integers are printed (``007``, ``+5``). ``ids="text"`` makes all of them strings. Integers that are
  exactly 0…n-1, each of them used, are vertex ids. Others are names: vertices are numbered in their ascending order. In
  ``.el`` and ``.wel`` files, as GAP has them, integers are always ids. ``ids=`` decides otherwise.
* **Direction.** Edges are directed unless the first comment says ``sym`` or ``bip``, as KONECT's do, or
  ``directed=False`` is passed.
* The integers of a ``bip`` file count different vertices in each column: those of the first column come first, and
  ``metadata["bipartite"]`` has how many there are of each. Where they are not 1…n, ``metadata`` keeps them as
  ``left_ids`` and ``right_ids``.
* A first line that is a single number is the number of vertices, where the ids fit it. Comments such as
  ``# Nodes: 5 Edges: 7`` are not read.
* Dictionaries after the ends, as NetworkX writes them (``0 1 {'weight': 3}``), are read as columns with names.

``graph.report.decisions`` lists what was decided and the options that override it. ``graph.report.columns`` has the
role of every column.

An undirected graph is written with every edge once, and with ``# sym`` as its first line where the file has comments.
An edge list has no vertices without edges, unless there are no edges at all and no header. It does not store the widths
of weights.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clew import threads
from clew.build.rows import extent
from clew.checks import counted
from clew.dtypes import MAX_INT32_VERTICES, Array
from clew.graph import Graph
from clew.io.attributes import columns_of_text
from clew.io.edge_list import kernels
from clew.io.edge_list.dialect import Dialect, can_be_edges, detect, detect_with_attributes
from clew.io.edge_list.sample import Sample
from clew.io.edge_list.writer import write as write
from clew.io.options import ReadOptions, noted, requested_weights
from clew.io.registry import GAP_SUFFIXES
from clew.io.source import HEAD_BYTES, Match, Source
from clew.io.text import Line, Word
from clew.io.text.tables import DecimalComma, NotAnInteger, Table, read_table
from clew.names import encode

IDS_AS_TEXT = "Ids were read as text"
VERTEX_IDS = (0, (1 << 63) - 1)
WITH_DECIMAL_COMMAS = (b";", b"\t")
BITS_PER_VALUE = 32  # up to this many bits for every integer there is: with their ranks, 6 bytes
SMALL_SPAN = 1 << 20
Numbered = tuple[tuple[Array, ...], int, Any]


def read(source: Source, options: ReadOptions) -> Graph:
    """Read an edge list of any dialect."""
    if Sample.of(source).has_attributes:
        return _graph(*detect_with_attributes(source, options))
    return _graph(source, detect(source, options), options)


@dataclass(frozen=True, slots=True)
class Rows:
    """The edges of a text, or of a part of it.

    Parameters
    ----------
    ends
        The source and the target of every edge: integers, or codes of names.
    weights, names
        The weights, and the names that codes stand for; or None.
    keep
        Whether integers are ids.
    decisions
        What was decided while they were read.
    decimal_comma
        Whether weights have one.
    header
        A word of a guessed header that names a vertex as well, so the first line is an edge; else None.
    """

    ends: tuple[Array, ...]
    weights: Array | None
    names: Any
    keep: bool
    decisions: tuple[str, ...] = ()
    decimal_comma: bool = False
    header: str | None = None


def read_rows(source: Source, dialect: Dialect, options: ReadOptions) -> Rows:
    """Read all lines of a text, or of a part of it, in a dialect."""
    keep = options.ids == "keep" or (options.ids == "auto" and source.suffix in GAP_SUFFIXES and not dialect.named)
    table, decisions = _table(source, dialect, options, keep=keep)
    columns: tuple[Array, ...] = table.ids[::-1] if dialect.swapped else table.ids
    if len(columns) == 1:  # one column is both ends
        columns = (columns[0], columns[0].copy())
    weights = requested_weights(table.numbers, options)
    comma = table.layout.decimal_comma
    return Rows(columns, weights, table.names, keep, decisions, comma, _header_among(dialect, table))


def without_header(source: Source, options: ReadOptions, word: str) -> Dialect:
    """The dialect of a file whose first line is an edge after all, since ``word`` occurs again."""
    dialect = detect(source, replace(options, header=False))
    decision = (
        f"The first line was read as an edge, since {word!r} occurs again. "
        "Pass header=True (--header) if it names the columns."
    )
    return replace(dialect, decisions=(decision, *dialect.decisions))


def _graph(source: Source, dialect: Dialect, options: ReadOptions) -> Graph:
    rows = read_rows(source, dialect, options)
    if rows.header is not None:
        return _graph(source, without_header(source, options, rows.header), options)
    columns, names, weights, keep, decisions = rows.ends, rows.names, rows.weights, rows.keep, rows.decisions
    del rows  # the columns alone are needed from here on, and may be replaced by narrower ones
    found = _vertices(source, dialect, columns, names, options, keep=keep)
    del columns
    directed = dialect.directed if options.directed is None else options.directed
    policies = (directed, options.duplicates, options.loops)
    more: dict[str, Any] = {"names": found.names, "metadata": found.metadata, "consume": True}
    first, second = found.columns
    if dialect.attributes:
        more["edge_columns"] = columns_of_text(source, *dialect.text_columns)
    graph = Graph.from_edges(first, second, weights, found.count, *policies, **more)
    return noted(graph, *dialect.decisions, *decisions, *found.decisions, columns=dialect.columns)


def _table(source: Source, dialect: Dialect, options: ReadOptions, *, keep: bool) -> tuple[Table, tuple[str, ...]]:
    """All rows, with names instead of integers where any of the ids is something else; and notes for the report."""
    said: list[str] = []
    layout, named = dialect.layout, options.ids == "text" or (dialect.named and not keep)
    while True:
        ranges = (VERTEX_IDS, VERTEX_IDS) if keep and not named else layout.ranges
        try:
            table = read_table(
                source, replace(layout, ranges=ranges), after=dialect.after, named=named, progress=options.progress
            )
            return table, tuple(said)
        except NotAnInteger as error:
            if options.ids == "keep":
                raise error.advised("Pass ids='text' to read ids as names.") from None
            said.append(f"{IDS_AS_TEXT}, since in line {error.line} {error.problem.partition(';')[0]}.")
            named = True
        except DecimalComma:
            if layout.delimiter not in WITH_DECIMAL_COMMAS:
                raise
            said.append("Weights were read with a decimal comma.")
            layout = replace(layout, decimal_comma=True)


def _header_among(dialect: Dialect, table: Table) -> str | None:
    """A word of a guessed header that turned out to name a vertex as well: then the first line is an edge."""
    header = dialect.header
    if header.names is None or header.said or header.firm or table.names is None:
        return None
    ends = [header.names[column] for column, kind in enumerate(dialect.layout.columns) if kind == "id"]
    return next((name for name in ends if pc.index(table.names, name).as_py() >= 0), None)


def _vertices(
    source: Source, dialect: Dialect, columns: tuple[Array, ...], names: object, options: ReadOptions, *, keep: bool
) -> Vertices:
    if dialect.empty is not None:
        Line(b"", 1, 0, 0, source).missing_word().check_vertices(dialect.empty, 0)
        return Vertices(columns, dialect.empty)
    if names is None and dialect.bipartite:
        return two_sides(*columns)
    if dialect.count is not None:
        return counted_vertices(source, dialect.count, columns, names, options, keep=keep)
    if names is None:
        return Vertices(columns, None) if keep else Vertices(*numbered(*columns, always=options.ids == "map"))
    return Vertices(columns, len(names), names)  # type: ignore[arg-type]


def sniff(head: bytes) -> Match:
    """MAYBE for lines of two columns or more that can be edges."""
    if len(head) >= HEAD_BYTES:
        head = head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1]
    if b"\0" in head or head.lstrip()[:1] in (b"{", b"[", b"<", b""):
        return Match.NO
    return Match.MAYBE if can_be_edges(Source(head)) else Match.NO


@dataclass(frozen=True, slots=True)
class Vertices:
    """The columns of ids 0…n-1, how many vertices there are (None: as many as occur), their names, what else is known.

    ``decisions`` says what was decided about them.
    """

    columns: tuple[Array, ...]
    count: int | None
    names: Any = None
    metadata: dict[str, Any] = field(default_factory=dict)
    decisions: tuple[str, ...] = ()


def two_sides(left: Array, right: Array) -> Vertices:
    """The vertices of the first column, then those of the second, though both count from 1."""
    (left,), lefts, left_ids = numbered(left, always=True)
    (right,), rights, right_ids = numbered(right, always=True)
    if lefts + rights > MAX_INT32_VERTICES:
        right = right.astype(np.int64, copy=False)
    right += right.dtype.type(lefts)
    sides = (("left_ids", left_ids), ("right_ids", right_ids))
    kept = {side: np.asarray(ids) for side, ids in sides if not _counts_from_1(ids)}
    return Vertices((left, right), lefts + rights, None, {"bipartite": [lefts, rights], **kept})


def _counts_from_1(ids: Any) -> bool:
    return ids is None or np.array_equal(ids, np.arange(1, len(ids) + 1))


def counted_vertices(
    source: Source, line: Line, columns: tuple[Array, ...], names: Any, options: ReadOptions, *, keep: bool
) -> Vertices:
    """The vertices of a file whose first line is a single number, and the meaning of that number.

    It is the number of vertices where ids are below it, or count from 1 up to it. It is skipped where it is the number
    of edges or of the vertices that occur; anything else is refused.
    """
    text = line.text.strip()
    number, edges = int(text), columns[0].size
    first = f"The first line ({text.decode()})"
    if names is None and edges and options.ids != "map":
        low, high = (int(each([each(column) for column in columns])) for each in (np.min, np.max))
        if (low >= 0 and high < number) or (low >= 1 and high == number and not keep):
            Word(text, line, 1).check_vertices(number, edges)
            said = f"{first} was read as the number of vertices. Pass ids='map' (--ids map) for those alone that occur."
            if high < number:
                return Vertices(columns, number, None, {}, (said,))
            return Vertices(tuple(column - 1 for column in columns), number, np.arange(1, number + 1), {}, (said,))
    found = Vertices(columns, None if names is None else len(names), names)
    if names is None and not keep:
        found = Vertices(*numbered(*columns, always=options.ids == "map"))
    occurring = found.count if found.count is not None else max(int(column.max()) for column in columns) + 1
    meaning = {occurring: "vertices that occur", edges: "edges"}.get(number)
    if meaning is None and options.ids != "map":
        raise source.error(
            f"the first line is {text.decode()}, but there are {counted(edges, 'edge')} among "
            f"{counted(occurring, 'vertex')}; expected the number of vertices or of edges.",
            line=line.number,
            remedy="Delete the line, or pass ids='map' to skip it.",
        )
    why = "" if meaning is None else f": it is the number of {meaning}"
    return replace(found, decisions=(f"{first} was skipped{why}.",))


def numbered(*columns: Array, always: bool = False) -> Numbered:
    """Number the integers in the columns from 0 to n-1 in ascending order: new columns, n, and names where needed.

    Where they lie close together, one bit for each is enough to number them, in place; otherwise they are hashed.

    Parameters
    ----------
    columns
        Integers of one dtype. They are overwritten.
    always
        Name the vertices even where the integers are 0…n-1, all of them used.
    """
    size = sum(column.size for column in columns)
    if size == 0:
        return columns, 0, None
    low, high = extent(*columns)
    if columns[0].dtype == np.uint64 or high - low >= max(SMALL_SPAN, BITS_PER_VALUE * size):
        ids, names = encode(*columns)
        return tuple(ids), len(names), names.array
    return _by_bits(columns, low, high, always=always)


def _by_bits(columns: tuple[Array, ...], low: int, high: int, *, always: bool) -> Numbered:
    words = np.zeros((high - low) // 64 + 1, dtype=np.uint64)
    for column in columns:
        threads.in_pieces(kernels.mark, column.size, column, low, words)
    before = np.empty(words.size, dtype=np.int32 if high - low < MAX_INT32_VERTICES else np.int64)
    count = int(kernels.rank_words(words, before))
    if low == 0 and count == high + 1 and not always:
        return columns, count, None
    ranked = []
    for column in columns:
        # 64-bit ids whose ranks fit 32 bits get an array of their own: half of the old one goes free.
        ranks = column if column.dtype == np.int32 or count > MAX_INT32_VERTICES else np.empty(column.size, np.int32)
        threads.in_pieces(kernels.to_ranks, column.size, column, low, words, before, ranks)
        ranked.append(ranks)
    names = np.empty(count, dtype=np.int64)
    kernels.to_values(words, low, names)
    return tuple(ranked), count, pa.array(names)
