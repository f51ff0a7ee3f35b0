"""The first lines of an edge list, cut into fields, and whether the first of them names the columns.

In ``.csv`` and ``.tsv`` files a first line is a header where it is text above numbers, or where none of its cells
occurs again. A vertex may stand at either end, so both columns of ends are searched for both words. In other files a
first line is an edge unless its words are those that columns are usually called by.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from clew.errors import GraphError
from clew.io.columns import is_known, known_ends, plain
from clew.io.options import ReadOptions
from clew.io.registry import TABLE_SUFFIXES
from clew.io.source import Source
from clew.io.text import Line, leading_lines
from clew.io.text.tables import DECIMAL_COMMA

COMMENTS = b"#%"
MARK = b"\xef\xbb\xbf"  # the byte order mark that some programs put first
FEW_LINES, MANY_LINES = 20, 2000

_NUMBER = re.compile(rb"[+-]?(?:\d+[.,]?\d*(?:e[+-]?\d+)?|[.,]\d+(?:e[+-]?\d+)?|nan|inf|infinity)", re.IGNORECASE)
_PLAIN_INTEGER = re.compile(rb"0|-?[1-9]\d*")
_QUOTED_FIELD = re.compile(rb'(?:^|(?<=[\s,;|]))"(?:[^"]|"")*"(?=[\s,;|]|$)')
_BLANK_FIELD = re.compile(rb'"(?:[^"]|"")*"|[^ \t]+')
_SEVERAL_FIELDS = re.compile(rb"\S[\s,;|]+\S")
_COUNT_DIGITS = 18
#: An edge as ``networkx.write_edgelist`` writes it: its ends, a separator, and a dictionary.
EDGE_WITH_ATTRIBUTES = re.compile(rb"([^{]*[^\s{,;|])([ \t]*[,;|\t ][ \t]*)(\{.*\})\s*")
_DELIMITERS = (b",", b";", b"\t", b"|")
_EXCEL_SEPARATOR = re.compile(rb"\"?sep=([,;|\t:^~])\"?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sample:
    """The first lines of an edge list.

    Parameters
    ----------
    comments
        The comments among them.
    lines
        The first lines that are no comments.
    after
        What comes before them and is no line of edges: a byte order mark, a count of vertices; or None.
    count
        The line of that count, or None.
    separator
        What a first line such as ``sep=;`` names, as Excel writes and reads it; else empty.
    """

    comments: list[bytes]
    lines: list[Line]
    after: Line | None
    count: Line | None = None
    separator: bytes = b""

    @classmethod
    def of(cls, source: Source, size: int = FEW_LINES) -> Sample:
        """The first lines of a text."""
        comments: list[bytes] = []
        lines: list[Line] = []
        count = None
        after = Line(b"", 0, 0, len(MARK), source) if source.head().startswith(MARK) else None
        for line in leading_lines(source):
            if line.number == 1:
                line = line._replace(text=line.text.removeprefix(MARK))
            text = line.text.strip()
            if text[:1] and text[:1] in COMMENTS:
                comments += [text] * (len(comments) < size)
            elif text:
                lines.append(line)
            if len(lines) == size:
                break
        separator = b""
        if len(lines) > 1 and (named := _EXCEL_SEPARATOR.fullmatch(lines[0].text.rstrip(b"\r\n"))) is not None:
            after, separator = lines.pop(0), named[1]
        if len(lines) > 1 and _is_count(lines[0].text.strip()) and _SEVERAL_FIELDS.search(lines[1].text):
            after = count = lines.pop(0)
        return cls(comments, lines, after, count, separator)

    @property
    def comment(self) -> bytes:
        """The first comment."""
        return self.comments[0] if self.comments else b""

    @property
    def has_attributes(self) -> bool:
        """Whether a dictionary of attributes stands at the end of every line."""
        return bool(self.lines) and all(EDGE_WITH_ATTRIBUTES.fullmatch(line.text) for line in self.lines)

    def delimiter(self) -> bytes:
        """What separates the columns; empty for blanks."""
        return self.separator or delimiter_of(self.lines)


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
    """Whether a field is a number as weights are written, with a decimal point or a comma."""
    return _NUMBER.fullmatch(field) is not None


def is_plain_integer(field: bytes) -> bool:
    """Whether a field is an integer as integers are printed; 007 and +7 are not."""
    return _PLAIN_INTEGER.fullmatch(field) is not None


def name_of(field: bytes) -> str:
    """A field as text, without quotes."""
    text = field.decode("utf-8", "replace")
    return text[1:-1].replace('""', '"') if len(text) > 1 and text[0] == text[-1] == '"' else text


def checked_delimiter(requested: str) -> bytes:
    """The requested separator; empty for blanks."""
    if requested == " ":
        return b""
    if len(requested) != 1 or not requested.isascii() or requested in '"#%+-.\r\n\0' or requested.isalnum():
        raise GraphError(f"delimiter is {requested!r}; expected one character such as ',', ';', a tab or a space.")
    return requested.encode()


def delimiter_of(lines: list[Line]) -> bytes:
    """The first of , ; tab | that separates the columns of the first lines, else blanks."""
    # Text in quotes between blanks or delimiters is one field.
    first = [_QUOTED_FIELD.sub(b"x", line.text) for line in lines[:2]]
    if first and all(map(_has_decimal_commas, first)):
        return b";"
    tabs = {text.count(b"\t") for text in first}
    for delimiter in _DELIMITERS:
        rows = [text.split(delimiter) for text in first]
        if len(tabs) == 1 and delimiter != b"\t" and any(b"\t" in field.strip() for row in rows for field in row):
            continue  # as many tabs in every line separate columns, and commas are in names or numbers
        if rows and all(len(row) > 1 and not any(map(_is_several_numbers, row)) for row in rows):
            return delimiter
    if first and len(first[0].split()) < 2:  # blanks are not it either, so the second line must be wrong
        return next((delimiter for delimiter in _DELIMITERS if delimiter in first[0]), b"")
    return b""


def _has_decimal_commas(text: bytes) -> bool:
    """Whether semicolons separate two fields or more and every comma belongs to a number, as in ``0;1;1,5``."""
    fields = text.split(b";")
    commas = [field.strip() for field in fields if b"," in field]
    return len(fields) > 1 and bool(commas) and all(map(DECIMAL_COMMA.fullmatch, commas))


def _is_several_numbers(field: bytes) -> bool:
    """``1 2`` is no name with a blank but two columns: the delimiter that left it whole is not the one."""
    parts = field.split()
    return len(parts) > 1 and all(map(is_number, parts))


def _is_count(text: bytes) -> bool:
    return text.isdigit() and len(text) <= _COUNT_DIGITS


class Header(NamedTuple):
    """What the first line is.

    Parameters
    ----------
    names
        The names of the columns, or None where it is an edge.
    said
        Whether the caller says so, and nothing was guessed.
    firm
        Whether it stays a header where its words turn out to be vertices too.
    because
        Why it is an edge, though it is text.
    """

    names: list[str] | None
    said: bool = False
    firm: bool = False
    because: str = ""


def find_header(rows: list[list[bytes]], suffix: str, delimiter: bytes, options: ReadOptions) -> Header:
    """The header of a file whose first lines are ``rows``."""
    if not rows:
        return Header(None, said=True)
    names = [name_of(field) for field in rows[0]]
    if options.header is not None:
        return Header(names if options.header else None, said=True)
    if any(_is_name(column) for column in (options.source, options.target, options.weight)):
        return Header(names, firm=True)
    first, rest = rows[0], rows[1:]
    ends = known_ends(names)
    if ends == ("source", "target"):  # as clew writes them
        return Header(names, firm=True)
    if ends is None and any(map(is_number, first)):
        if suffix in TABLE_SUFFIXES and _has_text_above_numbers(first[:2], rest):  # such as id,2020
            raise _unclear(first)
        return Header(None)
    known = ends is not None or all(map(is_known, names))
    if not rest:
        return Header(names if known else None)
    if (again := _occurs_again(names, rest)) is not None:
        return Header(None, because=f", since {again!r} occurs again")
    return Header(names) if known or _is_header_by_content(first, rest, suffix, delimiter) else Header(None)


def about_header(header: Header, roles: dict[str, str]) -> tuple[str, ...]:
    """What is said about the first line."""
    if header.said:
        return ()
    if header.names is None:
        return (
            f"The first line was read as an edge{header.because}. Pass header=True (--header) if it names the columns.",
        )
    used = ", ".join(f"{role}: {name}" for name, role in roles.items() if role != "ignored")
    return (f"The first line was read as column names ({used}). Pass header=False (--no-header) if it is an edge.",)


def _is_name(column: str | int | None) -> bool:
    """Whether a caller names a column, rather than giving its position."""
    return isinstance(column, str) and not (column.isascii() and column.isdigit())


def _occurs_again(names: list[str], rest: list[list[bytes]]) -> str | None:
    """The first name that stands in its column again, or in that of the other end."""
    words = known_ends(names)
    places = [plain(name) for name in names]
    ends = [0, 1] if words is None else [places.index(word) for word in words]
    for column, name in enumerate(names):
        columns = ends if column in ends else [column]
        if name and any(len(row) > other and name_of(row[other]) == name for row in rest for other in columns):
            return name
    return None


def _is_header_by_content(first: list[bytes], rest: list[list[bytes]], suffix: str, delimiter: bytes) -> bool:
    """Whether a line none of whose cells occurs again names the columns, though its words are unknown."""
    if suffix in TABLE_SUFFIXES or (not suffix and delimiter):
        return True
    if not _has_text_above_numbers(first, rest):
        return False
    if not suffix or any(is_known(name_of(field)) for field in first):
        return True
    raise _unclear(first)


def _has_text_above_numbers(first: list[bytes], rest: list[list[bytes]]) -> bool:
    """Whether a cell of the first line is text, and all below it are numbers."""
    return bool(rest) and any(
        not is_number(field) and all(len(row) > column and is_number(row[column]) for row in rest)
        for column, field in enumerate(first)
    )


def _unclear(first: list[bytes]) -> GraphError:
    return GraphError(
        f"the first line ({', '.join(repr(name_of(field)) for field in first[:5])}) is text above numbers, so that it "
        "may name the columns or be an edge.",
        remedy="Pass header=True if it names the columns, header=False if it is an edge.",
    )
