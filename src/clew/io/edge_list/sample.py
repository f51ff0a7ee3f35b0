"""The first lines of an edge list, cut into fields."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clew.errors import GraphError
from clew.io.source import Source
from clew.io.text import Line, leading_lines
from clew.io.text.columns import DECIMAL_COMMA

COMMENTS = b"#%"
MARK = b"\xef\xbb\xbf"  # the byte order mark that some programs put first
FEW_LINES, MANY_LINES = 20, 2000

_NUMBER = re.compile(rb"[+-]?(?:\d+[.,]?\d*(?:e[+-]?\d+)?|[.,]\d+(?:e[+-]?\d+)?|nan|inf|infinity)", re.IGNORECASE)
_PLAIN_INTEGER = re.compile(rb"0|-?[1-9]\d*")
_QUOTED_FIELD = re.compile(rb'(?:^|(?<=[\s,;|]))"(?:[^"]|"")*"(?=[\s,;|]|$)')
_BLANK_FIELD = re.compile(rb'"(?:[^"]|"")*"|[^ \t]+')
_SEVERAL_FIELDS = re.compile(rb"\S[\s,;|]+\S")
_COUNT_DIGITS = 18
_DELIMITERS = (b",", b";", b"\t", b"|")


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
    """

    comments: list[bytes]
    lines: list[Line]
    after: Line | None
    count: Line | None = None

    @classmethod
    def of(cls, source: Source, size: int = FEW_LINES) -> Sample:
        """The first lines of a text."""
        comments: list[bytes] = []
        lines: list[Line] = []
        count = None
        after = Line(b"", 0, 0, len(MARK)) if source.head().startswith(MARK) else None
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
        if len(lines) > 1 and _is_count(lines[0].text.strip()) and _SEVERAL_FIELDS.search(lines[1].text):
            after = count = lines.pop(0)
        return cls(comments, lines, after, count)

    @property
    def comment(self) -> bytes:
        """The first comment."""
        return self.comments[0] if self.comments else b""


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


def checked_delimiter(given: str) -> bytes:
    """The separator that a caller asks for; empty for blanks."""
    if given == " ":
        return b""
    if len(given) != 1 or not given.isascii() or given in '"#%+-.\r\n\0' or given.isalnum():
        raise GraphError(f"delimiter is {given!r}; expected one character such as ',', ';', a tab or a space.")
    return given.encode()


def delimiter_of(lines: list[Line]) -> bytes:
    """The first of , ; tab | that separates the columns of the first lines, else blanks."""
    # What stands in quotes between blanks or delimiters is one field, whatever it holds.
    first = [_QUOTED_FIELD.sub(b"x", line.text) for line in lines[:2]]
    if first and all(map(_has_decimal_commas, first)):
        return b";"
    for delimiter in _DELIMITERS:
        rows = [text.split(delimiter) for text in first]
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
