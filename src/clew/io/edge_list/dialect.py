"""What kind of edge list a text is: what separates its columns, whether the first line names them, what they hold.

The first lines decide. Comments start with ``#`` or ``%``; KONECT's first comment also says whether edges are directed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clew.errors import GraphError
from clew.io.options import ReadOptions
from clew.io.source import Source
from clew.io.tables.columns import ENDS, choose
from clew.io.text import Layout, Line, leading_lines
from clew.io.text.layout import Kind

COMMENTS = b"#%"
MARK = b"\xef\xbb\xbf"  # the byte order mark that some programs put first
SAMPLE_LINES = 20

_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|nan|inf|infinity)", re.IGNORECASE)
_INTEGER = re.compile(rb"[+-]?\d+")
_KONECT = re.compile(
    rb"[%#]\s*(sym|asym|bip)"
    rb"(?:\s+(unweighted|weighted|positive|posweighted|signed|multisigned|multiweighted|multiposweighted|dynamic))?"
)
_QUOTED_FIELD = re.compile(rb'(?:^|(?<=[\s,;|]))"(?:[^"]|"")*"(?=[\s,;|]|$)')
_BLANK_FIELD = re.compile(rb'"(?:[^"]|"")*"|[^ \t]+')
_SEVERAL_FIELDS = re.compile(rb"\S[\s,;|]+\S")
_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f]")
_DELIMITERS = (b",", b";", b"\t", b"|")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to read an edge list.

    Parameters
    ----------
    layout
        Its columns.
    after
        The line after which edges begin, or None.
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
    swapped: bool = False
    named: bool = False
    directed: bool = True
    bipartite: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """The first lines of an edge list.

    Parameters
    ----------
    comment
        The first comment.
    lines
        The first lines that are no comments.
    after
        What comes before them and is no line of edges: a byte order mark, a count of vertices; or None.
    """

    comment: bytes
    lines: list[Line]
    after: Line | None

    @classmethod
    def of(cls, source: Source) -> Sample:
        """The first lines of a text."""
        comment = b""
        lines: list[Line] = []
        after = Line(b"", 0, 0, len(MARK)) if source.head().startswith(MARK) else None
        for line in leading_lines(source):
            if line.number == 1:
                line = line._replace(text=line.text.removeprefix(MARK))
            text = line.text.strip()
            if text[:1] and text[:1] in COMMENTS:
                comment = comment or text
            elif text:
                lines.append(line)
            if len(lines) == SAMPLE_LINES:
                break
        if len(lines) > 1 and lines[0].text.strip().isdigit() and _SEVERAL_FIELDS.search(lines[1].text):
            after = lines.pop(0)  # a count of vertices, which the edges know better
        return cls(comment, lines, after)


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
    lines, after = sample.lines, sample.after
    delimiter = _delimiter(lines) if options.delimiter is None else checked_delimiter(options.delimiter)
    rows = [split(line.text, delimiter) for line in lines]
    names = None
    if rows and _has_header(rows, options):
        after, names, rows = lines[0], [_text(field) for field in rows[0]], rows[1:]
    width = len(names) if names is not None else len(rows[0]) if rows else 2
    if width < 2:
        line = lines[0] if names is None else after
        raise source.error(
            f"the line has {width} column; expected at least two, the source and the target of an edge. "
            "If something else than blanks or one of , ; | separates them, pass delimiter=…",
            line=line.number if line else None,
        )
    konect = _KONECT.fullmatch(sample.comment)
    unweighted = konect is not None and konect[2] == b"unweighted" and options.weights is None
    first, second, weight = _chosen(names, rows, options) if names is not None else (0, 1, 2 if width > 2 else None)
    if unweighted or options.weights is False:
        weight = None
    kinds: list[Kind] = ["skip"] * width
    kinds[first] = kinds[second] = "id"
    if weight is not None:
        kinds[weight] = "number"
    called = {first: "source", second: "target", weight: "weight"}
    layout = Layout(
        tuple(kinds),
        tuple(called.get(column, "column") for column in range(width)),
        number_dtype=options.weight_dtype,
        comments=COMMENTS,
        delimiter=delimiter,
    )
    return Dialect(
        layout,
        after,
        swapped=second < first,
        named=bool(rows) and len(rows[0]) == width and not all(_INTEGER.fullmatch(rows[0][i]) for i in (first, second)),
        directed=konect is None or konect[1] == b"asym",
        bipartite=konect is not None and konect[1] == b"bip",
    )


def can_be_edges(source: Source) -> bool:
    """Whether the first lines have two columns or more that look like edges."""
    sample = Sample.of(source)
    if sample.comment.startswith(b"%%MatrixMarket"):
        return False
    delimiter = _delimiter(sample.lines)
    rows = [split(line.text, delimiter) for line in sample.lines]
    if not rows:
        return bool(sample.comment)
    if len(rows[0]) >= 2 and all(map(_INTEGER.fullmatch, rows[0][:2])):
        return True
    # Names can be anything, so that at least the number of columns has to be right.
    text = b"".join(line.text for line in sample.lines)
    return len(rows[0]) >= 2 and len(set(map(len, rows))) == 1 and _CONTROL.search(text) is None and _is_utf8(text)


def split(text: bytes, delimiter: bytes) -> list[bytes]:
    """The fields of a line, quotes and all."""
    if not delimiter:
        return _BLANK_FIELD.findall(text)
    end, blanks = re.escape(delimiter), b"[ ]*" if delimiter == b"\t" else rb"[ \t]*"
    field = re.compile(rb'%s"(?:[^"]|"")*"%s(?=%s|$)|[^%s]*' % (blanks, blanks, end, end))
    fields, place = [], 0
    while place <= len(text):
        found = field.match(text, place)
        assert found is not None
        fields.append(found[0].strip())
        place = found.end() + 1
    return fields


def is_number(field: bytes) -> bool:
    """Whether a field is a number as weights are written."""
    return _NUMBER.fullmatch(field) is not None


def checked_delimiter(given: str) -> bytes:
    """The separator that a caller asks for; empty for blanks."""
    if given == " ":
        return b""
    if len(given) != 1 or not given.isascii() or given in '"#%+-.\r\n\0' or given.isalnum():
        raise GraphError(f"delimiter is {given!r}; expected one character such as ',', ';', a tab or a space.")
    return given.encode()


def _delimiter(lines: list[Line]) -> bytes:
    """The first of , ; tab | that separates the columns of the first lines, else blanks."""
    # What stands in quotes between blanks or delimiters is one field, whatever it holds.
    first = [_QUOTED_FIELD.sub(b"x", line.text) for line in lines[:2]]
    for delimiter in _DELIMITERS:
        rows = [text.split(delimiter) for text in first]
        if rows and all(len(row) > 1 and not any(map(_is_several_numbers, row)) for row in rows):
            return delimiter
    if first and len(first[0].split()) < 2:  # blanks are not it either, so the second line must be wrong
        return next((delimiter for delimiter in _DELIMITERS if delimiter in first[0]), b"")
    return b""


def _is_several_numbers(field: bytes) -> bool:
    """``1 2`` is no name with a blank but two columns: the delimiter that left it whole is not the one."""
    parts = field.split()
    return len(parts) > 1 and all(map(is_number, parts))


def _has_header(rows: list[list[bytes]], options: ReadOptions) -> bool:
    """Whether the first line names the columns: what the caller says, else what it and the lines after it look like."""
    if options.header is not None:
        return options.header
    if options.source is not None or options.target is not None or options.weight is not None:
        return True
    first, rest = rows[0], rows[1:]
    if any(map(is_number, first)):
        return False
    called = {_text(field).lower() for field in first}
    if any({a, b} <= called for a, b in ENDS):
        return True
    return any(all(len(row) > i and is_number(row[i]) for row in rest) for i in range(len(first))) and bool(rest)


def _chosen(names: list[str], rows: list[list[bytes]], options: ReadOptions) -> tuple[int, int, int | None]:
    """Which columns hold source, target and weight."""
    import pyarrow as pa

    numbers = [all(len(row) > i and is_number(row[i]) for row in rows) for i in range(len(names))]
    # What the columns hold is known only once they are read: any of them may name vertices.
    kinds = [pa.int64() if number else pa.string() for number in numbers]
    chosen = choose(pa.schema(list(zip(names, kinds, strict=True))), options)
    weight = None if chosen.weight is None else names.index(chosen.weight)
    return names.index(chosen.source), names.index(chosen.target), weight


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _text(field: bytes) -> str:
    """A column's name without quotes."""
    text = field.decode("utf-8", "replace")
    return text[1:-1].replace('""', '"') if len(text) > 1 and text[0] == text[-1] == '"' else text
