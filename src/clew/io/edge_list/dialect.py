"""The dialect of an edge list: its delimiter, whether the first line names the columns, and what they hold.

The first lines decide. Comments start with ``#`` or ``%``; KONECT's first comment also says whether edges are directed.

``networkx.write_edgelist`` puts a dictionary of attributes after the ends of every edge. Such a text is rewritten line
by line, with the weight in place of the dictionary. The rest is read as in any other edge list, and errors keep their
line numbers.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from clew.io.columns import Columns, Field, choose, choose_weight
from clew.io.columns import Kind as Content
from clew.io.edge_list.sample import (
    COMMENTS,
    EDGE_WITH_ATTRIBUTES,
    MANY_LINES,
    Header,
    Sample,
    about_header,
    checked_delimiter,
    delimiter_of,
    find_header,
    is_number,
    is_plain_integer,
    name_of,
    split,
)
from clew.io.options import ReadOptions, about_direction
from clew.io.registry import NO_HEADER
from clew.io.source import Source
from clew.io.text import Kind, Layout, Line, is_utf8, shown

_INTEGER = re.compile(rb"[+-]?\d+")
_KONECT = re.compile(
    rb"[%#]\s*(sym|asym|bip)"
    rb"(?:\s+(unweighted|weighted|positive|posweighted|signed|multisigned|multiweighted|multiposweighted|dynamic))?"
)
_NO_EDGES = re.compile(rb"#\s*(\d{1,18}) vert(?:ex|ices), no edges")
_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f]")
_NUMPY = re.compile(rb"\bnp\.\w+\(([^()]*)\)")
_ENDS = (Field("source", "text"), Field("target", "text"))


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
    attributes
        The labels of the columns that become edge columns.
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
    attributes: tuple[str, ...] = ()

    @property
    def text_columns(self) -> tuple[int, list[str], list[str], bytes]:
        """How many lines come before the edges, the labels of all columns and of the attributes, and the delimiter."""
        skipped = 0 if self.after is None else self.after.number
        return skipped, list(self.columns), list(self.attributes), self.layout.delimiter


#: What is said about files of comments, which may have been meant as something else.
NO_LINES = ("All lines are comments, so the graph has no edges.",)
#: What is said about lines that end with delimiters.
TRAILING = ("Ignored: what stands after the last column, since that is empty in the first lines.",)


def detect(source: Source, options: ReadOptions) -> Dialect:
    """The dialect of a file, as far as the options do not say."""
    sample = Sample.of(source)
    if sample.comment.startswith(b"%%MatrixMarket"):
        raise source.error(
            "this is a Matrix Market file.", line=1, remedy="Pass format='matrix-market', or leave format= out."
        )
    delimiter = sample.delimiter() if options.delimiter is None else checked_delimiter(options.delimiter)
    rows = [split(line.text, delimiter) for line in sample.lines]
    if rows and not any(map(is_number, rows[0])):  # it may be a header: whether its words occur again takes more lines
        rows = [split(line.text, delimiter) for line in Sample.of(source, MANY_LINES).lines]
    if options.header is None and NO_HEADER in sample.comments:
        options = replace(options, header=False)
    header = find_header(rows, source.suffix, delimiter, options)
    after = sample.after
    if header.names is not None:
        after, rows = sample.lines[0], rows[1:]
    width = len(header.names) if header.names is not None else len(rows[0]) if rows else 2
    if width < 2:
        raise source.error(
            "the line has 1 column; expected at least two, the source and the target of an edge.",
            line=sample.lines[0].number,
            remedy="If anything other than blanks or one of , ; | separates the columns, pass delimiter=…",
        )
    konect = _KONECT.fullmatch(sample.comment)
    fields = [Field(None if header.names is None else header.names[i], _content(rows, i)) for i in range(width)]
    used = max((i for row in rows for i, cell in enumerate(row) if cell), default=width - 1)
    while len(fields) > max(2, used + 1) and not fields[-1].name:  # lines end with a delimiter
        fields.pop()
    asked = any(column is not None for column in (options.source, options.target, options.weight))
    columns = _konect_columns(fields, konect, options) if konect and not asked else choose(fields, options)
    roles = columns.roles()
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
        (
            *about_first,
            *columns.decisions,
            *(TRAILING if len(fields) < width else ()),
            *about_direction(directed, options, by=by),
            *_about_ids(ends, options),
            *(NO_LINES if not sample.lines and sample.comments else ()),
        ),
        count=sample.count,
        empty=None if rows else next((int(one[1]) for one in map(_NO_EDGES.fullmatch, sample.comments) if one), None),
        swapped=columns.target < columns.source,
        named=not all(map(is_plain_integer, ends)),
        directed=directed,
        bipartite=konect is not None and konect[1] == b"bip",
        attributes=tuple(map(columns.label, columns.attributes)),
    )


def can_be_edges(source: Source) -> bool:
    """Whether the first lines look like edges: two columns or more, or one of integers that should have been two."""
    sample = Sample.of(source)
    if sample.comment.startswith(b"%%MatrixMarket"):
        return False
    delimiter = sample.delimiter()
    rows = [split(line.text, delimiter) for line in sample.lines]
    if not rows:
        return bool(sample.comment)
    if all(map(_INTEGER.fullmatch, rows[0][:2])) and (len(rows[0]) >= 2 or all(len(row) == 1 for row in rows)):
        return True
    # Names can be anything, so that at least the number of columns has to be right.
    text = b"".join(line.text for line in sample.lines)
    return len(rows[0]) >= 2 and len(set(map(len, rows))) == 1 and _CONTROL.search(text) is None and is_utf8(text)


def _layout(width: int, columns: Columns, delimiter: bytes, options: ReadOptions) -> Layout:
    kinds: list[Kind] = ["skip"] * width
    kinds[columns.source] = kinds[columns.target] = "id"
    if columns.weight is not None:
        kinds[columns.weight] = "number"
    called = {columns.source: "source", columns.target: "target", columns.weight: "weight"}
    names = tuple(called.get(column, "column") for column in range(width))
    dtype = options.weight_dtype
    return Layout(tuple(kinds), names, number_dtype=dtype, comments=COMMENTS, delimiter=delimiter, canonical=True)


def _konect_columns(fields: list[Field], konect: re.Match[bytes], options: ReadOptions) -> Columns:
    """The columns of a file in KONECT's format: source, target, weight, and a time."""
    width = len(fields)
    unweighted = konect[2] == b"unweighted" and options.weights is None
    weighted = width > 2 and not unweighted and options.weights is not False
    ignored = ", ".join(f"'column {column + 1}'" for column in range(3 if weighted else 2, width))
    return Columns(fields, 0, 1, 2 if weighted else None, (f"Ignored: {ignored}.",) if ignored else ())


def _content(rows: list[list[bytes]], column: int) -> Content:
    """What a column holds, as far as the first lines show: numbers where any cell is one."""
    cells = [row[column] for row in rows if len(row) > column]
    if cells and all(map(is_plain_integer, cells)):
        return "integer"
    return "number" if any(is_number(name_of(cell).encode()) for cell in cells) else "text"


def _about_ids(ends: list[bytes], options: ReadOptions) -> tuple[str, ...]:
    """What is said where the first edge already has ids that only look like integers, such as 007, "7" or 7.0."""
    odd = [end for end in ends if is_number(name_of(end).encode()) and end.strip(b'"')[-1:].isdigit()]
    odd = [end for end in odd if not is_plain_integer(end)]
    if not odd or options.ids in ("keep", "text"):
        return ()
    return (f"Ids were read as text, since {shown(odd[0])} is not how integers are printed.",)


def detect_with_attributes(source: Source, options: ReadOptions) -> tuple[Source, Dialect, ReadOptions]:
    """The same edges with the attribute that is the weight as their last column, and how to read them."""
    lines = source.whole().tobytes().splitlines()
    edges = [EDGE_WITH_ATTRIBUTES.fullmatch(line) for line in lines]
    attributes = [None if edge is None else _attributes(source, edge, number) for number, edge in enumerate(edges, 1)]
    fields = _fields(attributes)
    place, decisions = choose_weight(fields, list(range(2, len(fields))), options)
    weight = None if place is None else fields[place].name
    for number, edge in enumerate(edges):
        if edge is not None:
            end = b"" if weight is None else edge[2] + _weight(source, attributes[number], weight, number + 1)
            lines[number] = edge[1] + end
        elif lines[number].strip()[:1] not in (b"", *(bytes([mark]) for mark in COMMENTS)):
            raise source.error("the line has no attributes in {…} at its end, as the others have.", line=number + 1)
    plain = Source(b"\n".join(lines) + b"\n")
    plain.path, plain.name = source.path, source.name
    first = Sample.of(plain).lines
    column = None if weight is None else len(split(first[0].text, delimiter_of(first)))
    options = replace(options, weight=column, header=False)
    dialect = detect(plain, options)
    columns = {weight if role == "weight" and weight else name: role for name, role in dialect.columns.items()}
    columns |= {field.name or "": "ignored" for field in fields[2:] if field.name != weight}
    return plain, replace(dialect, columns=columns, decisions=(*decisions, *dialect.decisions)), options


def _fields(attributes: list[dict[str, Any] | None]) -> list[Field]:
    """The attributes that there are, each as a column would be."""
    fields: dict[str, Field] = {}
    for of_edge in attributes:
        for name, value in (of_edge or {}).items():
            if name not in fields or isinstance(value, (int, float)):
                fields[name] = Field(name, "number" if isinstance(value, (int, float)) else "text")
    return [*_ENDS, *fields.values()]


def _attributes(source: Source, edge: re.Match[bytes], line: int) -> dict[str, Any]:
    found = _parsed(edge[3])
    if found is None:
        raise source.error(
            f"the attributes are {shown(edge[3])}; expected a dictionary of numbers and strings.",
            line=line,
            remedy="Write the edges with networkx.write_edgelist(graph, path, data=['weight']).",
        )
    return found


@lru_cache(maxsize=1 << 16)
def _parsed(text: bytes) -> dict[str, Any] | None:
    if text == b"{}":
        return {}
    try:
        found = ast.literal_eval(_NUMPY.sub(rb"\1", text).decode())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return {str(name): value for name, value in found.items()} if isinstance(found, dict) else None


def _weight(source: Source, attributes: dict[str, Any] | None, name: str, line: int) -> bytes:
    value = (attributes or {}).get(name)
    if not isinstance(value, (int, float)):
        what = "no attribute" if value is None else f"the value {value!r} as attribute"
        raise source.error(
            f"the edge has {what} {name!r}; expected a number, as other edges have.",
            line=line,
            remedy="Pass weights=False for a graph without weights.",
        )
    return repr(+value).encode()
