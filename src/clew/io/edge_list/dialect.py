"""What kind of edge list a text is: what separates its columns, whether the first line names them, what they hold.

The first lines decide. Comments start with ``#`` or ``%``; KONECT's first comment also says whether edges are directed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clew.io.decisions import about_direction
from clew.io.edge_list.header import Header, about_header, find_header
from clew.io.edge_list.sample import (
    COMMENTS,
    MANY_LINES,
    Sample,
    checked_delimiter,
    delimiter_of,
    is_number,
    is_plain_integer,
    split,
)
from clew.io.options import ReadOptions
from clew.io.source import Source
from clew.io.tables.columns import Columns, Field, choose
from clew.io.tables.columns import Kind as Content
from clew.io.text import Layout, Line
from clew.io.text.layout import Kind
from clew.io.text.lines import shown

_INTEGER = re.compile(rb"[+-]?\d+")
_KONECT = re.compile(
    rb"[%#]\s*(sym|asym|bip)"
    rb"(?:\s+(unweighted|weighted|positive|posweighted|signed|multisigned|multiweighted|multiposweighted|dynamic))?"
)
_NO_EDGES = re.compile(rb"#\s*(\d{1,18}) vert(?:ex|ices), no edges")
_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f]")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to read an edge list.

    Parameters
    ----------
    layout
        Its columns.
    after
        The line after which edges begin, or None.
    header
        What the first line is.
    columns
        Every column and what becomes of it.
    decisions
        What was decided and can be overridden.
    count
        A first line that is a single number, or None.
    empty
        How many vertices there are, where a comment says so and there are no edges; else None.
    swapped
        Whether the target column comes before the source column.
    named
        Whether the first edges have names rather than integers.
    directed
        What the file says; True where it says nothing.
    bipartite
        Whether the two columns count different vertices.
    """

    layout: Layout
    after: Line | None
    header: Header
    columns: dict[str, str]
    decisions: tuple[str, ...]
    count: Line | None = None
    empty: int | None = None
    swapped: bool = False
    named: bool = False
    directed: bool = True
    bipartite: bool = False


def detect(source: Source, options: ReadOptions) -> Dialect:
    """The dialect of a file, as far as the options do not say."""
    sample = Sample.of(source)
    if sample.comment.startswith(b"%%MatrixMarket"):
        raise source.error(
            "this is a Matrix Market file.",
            line=1,
            remedy="Pass format='matrix-market', or leave format= out.",
            option="Read it with --format matrix-market, or leave --format out.",
        )
    delimiter = delimiter_of(sample.lines) if options.delimiter is None else checked_delimiter(options.delimiter)
    rows = [split(line.text, delimiter) for line in sample.lines]
    if rows and not any(map(is_number, rows[0])):  # it may be a header: whether its words occur again takes more lines
        rows = [split(line.text, delimiter) for line in Sample.of(source, MANY_LINES).lines]
    header = find_header(rows, source.suffix, delimiter, options)
    after = sample.after
    if header.names is not None:
        after, rows = sample.lines[0], rows[1:]
    width = len(header.names) if header.names is not None else len(rows[0]) if rows else 2
    if width < 2:
        raise _too_narrow(source, sample.lines[0])
    konect = _KONECT.fullmatch(sample.comment)
    fields = [Field(None if header.names is None else header.names[i], _content(rows, i)) for i in range(width)]
    asked = any(column is not None for column in (options.source, options.target, options.weight))
    columns = _konect_columns(width, konect, options) if konect and not asked else choose(fields, options)
    roles = columns.roles(fields)
    directed = konect is None or konect[1] == b"asym"
    by = "" if konect is None else "the first comment"
    first_edge = rows[0] if rows and len(rows[0]) == width else []
    ends = [first_edge[i] for i in (columns.source, columns.target)] if first_edge else []
    about_first = about_header(header, roles) if sample.count is None or header.names else ()
    return Dialect(
        _layout(width, columns, delimiter, options),
        after,
        header,
        roles,
        (*about_first, *columns.decisions, *about_direction(directed, options, by=by), *_about_ids(ends, options)),
        count=sample.count,
        empty=None if rows else _vertices_without_edges(sample),
        swapped=columns.target < columns.source,
        named=not all(map(is_plain_integer, ends)),
        directed=directed,
        bipartite=konect is not None and konect[1] == b"bip",
    )


def can_be_edges(source: Source) -> bool:
    """Whether the first lines look like edges: two columns or more, or one of integers that should have been two."""
    sample = Sample.of(source)
    if sample.comment.startswith(b"%%MatrixMarket"):
        return False
    delimiter = delimiter_of(sample.lines)
    rows = [split(line.text, delimiter) for line in sample.lines]
    if not rows:
        return bool(sample.comment)
    if all(map(_INTEGER.fullmatch, rows[0][:2])) and (len(rows[0]) >= 2 or all(len(row) == 1 for row in rows)):
        return True
    # Names can be anything, so that at least the number of columns has to be right.
    text = b"".join(line.text for line in sample.lines)
    return len(rows[0]) >= 2 and len(set(map(len, rows))) == 1 and _CONTROL.search(text) is None and _is_utf8(text)


def _layout(width: int, columns: Columns, delimiter: bytes, options: ReadOptions) -> Layout:
    kinds: list[Kind] = ["skip"] * width
    kinds[columns.source] = kinds[columns.target] = "id"
    if columns.weight is not None:
        kinds[columns.weight] = "number"
    called = {columns.source: "source", columns.target: "target", columns.weight: "weight"}
    return Layout(
        tuple(kinds),
        tuple(called.get(column, "column") for column in range(width)),
        number_dtype=options.weight_dtype,
        comments=COMMENTS,
        delimiter=delimiter,
        canonical=True,
    )


def _konect_columns(width: int, konect: re.Match[bytes], options: ReadOptions) -> Columns:
    """The columns of a file in KONECT's format: source, target, weight, and a time."""
    unweighted = konect[2] == b"unweighted" and options.weights is None
    weighted = width > 2 and not unweighted and options.weights is not False
    ignored = ", ".join(f"'column {column + 1}'" for column in range(3 if weighted else 2, width))
    return Columns(0, 1, 2 if weighted else None, (f"Ignored: {ignored}.",) if ignored else ())


def _content(rows: list[list[bytes]], column: int) -> Content:
    """What a column holds, as far as the first lines show: numbers where any cell is one."""
    cells = [row[column] for row in rows if len(row) > column]
    if cells and all(map(is_plain_integer, cells)):
        return "integer"
    return "number" if any(map(is_number, cells)) else "text"


def _about_ids(ends: list[bytes], options: ReadOptions) -> tuple[str, ...]:
    """What is said where the first edge already has ids that only look like integers."""
    odd = [end for end in ends if _INTEGER.fullmatch(end) and not is_plain_integer(end)]
    if not odd or options.ids in ("keep", "text"):
        return ()
    return (f"Ids were read as text, since {shown(odd[0])} is not how integers are printed.",)


def _vertices_without_edges(sample: Sample) -> int | None:
    found = [_NO_EDGES.fullmatch(comment) for comment in sample.comments]
    return next((int(one[1]) for one in found if one is not None), None)


def _too_narrow(source: Source, line: Line) -> Exception:
    return source.error(
        "the line has 1 column; expected at least two, the source and the target of an edge.",
        line=line.number,
        remedy="If something else than blanks or one of , ; | separates columns, pass delimiter=…",
        option="If something else than blanks or one of , ; | separates columns, pass --delimiter.",
    )


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
