"""Lines of text: the words of a header, the layout of a table, and what an error says about a wrong line.

A header is trusted only after the rows were read. Memory depends on the size of the file, never on a number in its
header. ``tables`` and ``tokens`` read the rows, ``writer`` writes them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from clew.checks import counted
from clew.errors import FormatError
from clew.io.source import Bytes, Source
from clew.io.text import status

MANY_VERTICES = 1 << 28  # 2 GiB of offsets; a valid file with more vertices has edges
VERTICES_PER_EDGE = 64
SHOWN_CHARACTERS = 40
Range = tuple[int, int]
Kind = Literal["id", "number", "skip"]
_LINE = re.compile(rb"([^\r\n]*)(\r\n|\n|\r)")
_DIGITS = re.compile(rb"[+-]?[0-9]{1,18}")
_WORD = re.compile(rb"[^ \t]+")
_COUNT = re.compile(rb"\+?0*([0-9]+)")


class Line(NamedTuple):
    """One line without its line end: its number from 1, where it starts, and where the next one starts."""

    text: bytes
    number: int
    offset: int
    end: int
    source: Source

    def column(self, word: bytes) -> int:
        """The column, from 1, at which ``word`` starts (the first column where it does not occur)."""
        return _column(self.text[: max(0, self.text.find(word))])

    def words(self) -> list[Word]:
        """Its words."""
        return [Word(match[0], self, _column(self.text[: match.start()])) for match in _WORD.finditer(self.text)]

    def missing_word(self) -> Word:
        """Stands for a word that should follow at the end."""
        return Word(b"", self, _column(self.text))

    def counts(self, names: Sequence[str], problem: str, skip: int = 0) -> tuple[list[int], list[Word]]:
        """The numbers that a header line consists of, after ``skip`` other words; ``problem`` if these are not all."""
        words = self.words()[skip:]
        if len(words) != len(names):
            raise (words[len(names)] if len(words) > len(names) else self.missing_word()).error(problem)
        return [word.as_count(f"number of {name}") for word, name in zip(words, names, strict=True)], words


class Word(NamedTuple):
    """One word of a header line, and its column counted from 1."""

    text: bytes
    line: Line
    column: int

    def __str__(self) -> str:
        return shown(self.text)

    @property
    def place(self) -> tuple[int, int]:
        """Its line and column."""
        return self.line.number, self.column

    def error(self, problem: str) -> FormatError:
        """An error about this word, for the caller to raise."""
        return self.line.source.error(problem, line=self.line.number, column=self.column)

    def as_count(self, name: str) -> int:
        """The word as a number of things: an integer from 0 to 2^63-1."""
        digits = _COUNT.fullmatch(self.text)
        if digits is None:
            raise self.error(f"the {name} is {self}; expected an integer of 0 or more.")
        # 19 digits are enough for any 63 bits; Python itself refuses to convert thousands of them.
        if len(digits[1]) > 19 or (count := int(digits[1])) >= 1 << 63:
            raise self.error(f"the {name} is {self}; expected an integer below 2^63.")
        return count

    def check_vertices(self, num_vertices: int, num_edges: int, remedy: str = "") -> None:
        """Refuse a number of vertices that is out of proportion to the edges, or beyond the machine's memory."""
        present = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        needed = 8 * (num_vertices + 1)
        if num_vertices > max(MANY_VERTICES, VERTICES_PER_EDGE * num_edges) or needed > present // 2:
            raise self.error(
                f"the header speaks of {counted(num_vertices, 'vertex')}, but the file has "
                f"{counted(num_edges, 'edge')}: a row for every vertex would take {needed:,} bytes, and this machine "
                f"has {present:,} bytes of memory.{remedy}"
            )


def leading_lines(source: Source, comments: bytes | None = None) -> Iterator[Line]:
    """The lines of a text one by one. Meant for headers: it is not fast.

    With ``comments``, blank lines and those that start with one of these characters are skipped.
    """
    number = 0
    with closing(source.blocks(size=1 << 16)) as blocks:
        for block in blocks:
            for match in _LINE.finditer(block.data.tobytes()):
                number += 1
                if comments is not None and not has_content(match[1], comments):
                    continue
                yield Line(match[1], number, block.offset + match.start(), block.offset + match.end(), source)


def has_content(line: bytes, comments: bytes) -> bool:
    """Whether a line is neither blank nor a comment."""
    text = line.strip()
    return bool(text) and text[0] not in comments


def first_rows(head: bytes, comments: bytes) -> Iterator[bytes]:
    """The lines among the first bytes of a file that are neither blank nor comments, without blanks around them."""
    return (line.strip() for line in re.split(rb"[\r\n]", head) if has_content(line, comments))


def is_utf8(text: bytes) -> bool:
    """Whether these bytes are valid UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def error_at(
    source: Source, data: Bytes, place: int, first_line: int, problem: str, kind: type[FormatError] = FormatError
) -> FormatError:
    """An error about byte ``place`` of ``data``, whose first line is number ``first_line`` of the text."""
    before = data[:place].tobytes()
    start = max(before.rfind(b"\n"), before.rfind(b"\r")) + 1
    line = first_line + before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")
    return kind(problem, path=source.name, line=source.lines_before() + line, column=_column(before[start:]))


def field_at(data: Bytes, place: int, delimiter: bytes = b"") -> bytes:
    """The field that starts at byte ``place``, for an error to show."""
    text = data[place : place + 4096].tobytes()
    ends = rb"[\r\n]|" + (re.escape(delimiter) if delimiter else rb"[ \t]")
    return re.split(ends, text, maxsplit=1)[0].strip()


def shown(field: bytes) -> str:
    """A field as an error shows it: quoted, and not too long."""
    text = field.decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…")


def _column(before: bytes) -> int:
    return len(before.decode("utf-8", "replace")) + 1


@dataclass(frozen=True, slots=True)
class Layout:
    """What the lines of a table look like.

    Parameters
    ----------
    columns
        The kind of every column: at most two are an "id" and at most one is a "number"; "skip" is anything.
    names
        What errors call each column; by default its kind.
    ranges
        For every id column the smallest and largest id as they stand in the file, or None for any integer.
    base
        What is subtracted from ids: 1 for formats that count from 1.
    number_dtype
        The dtype of the numbers; None is the narrowest of int64, uint64 and float64 that holds them all exactly.
    comments
        A line whose first character that is not blank is one of these is skipped, and so is a blank line.
    prefix
        The letter that every row starts with, as in DIMACS; lines that start with another one (but not with one of
        ``comments``) are refused.
    delimiter
        The one byte between columns, with or without blanks around it; empty: blanks alone.
    canonical
        Whether an id that is written in another way than integers are printed, such as 007, +7 or -0, is no integer.
    decimal_comma
        Whether fractions are written as 1,5; then 1.5 is refused, since it may be a thousand and a half.
    """

    columns: tuple[Kind, ...]
    names: tuple[str, ...] = ()
    ranges: tuple[Range | None, ...] = (None, None)
    base: int = 0
    number_dtype: npt.DTypeLike | None = None
    comments: bytes = b"#%"
    prefix: bytes = b""
    delimiter: bytes = b""
    canonical: bool = False
    decimal_comma: bool = False

    def name(self, column: int) -> str:
        """What an error calls a column."""
        usual = {"id": "vertex", "number": "weight", "skip": "column"}
        return self.names[column] if self.names else usual[self.columns[column]]

    def classes(self) -> npt.NDArray[np.uint8]:
        """The class of every byte: 0 ordinary, 1 blank, 2 end of line, 3 delimiter."""
        classes = np.zeros(256, dtype=np.uint8)
        classes[[32, 9]] = 1
        classes[[10, 13]] = 2
        if self.delimiter:
            classes[ord(self.delimiter)] = 3
        return classes

    def skipped(self) -> npt.NDArray[np.bool_]:
        """Which first characters mark a line without a row."""
        skipped = np.zeros(256, dtype=np.bool_)
        skipped[list(self.comments)] = True
        return skipped

    def roles(self, *, named: bool) -> npt.NDArray[np.int64]:
        """What the kernels do with each column: 0 nothing, 1 and 2 the ids (4 and 5 as names), 3 the number."""
        ids = iter((4, 5) if named else (1, 2))
        return np.array([0 if kind == "skip" else 3 if kind == "number" else next(ids) for kind in self.columns])


def problem(layout: Layout, actual: int, column: int, field: bytes) -> str:
    """The sentence about ``field``, which stands in ``column`` and is not what belongs there."""
    width = len(layout.columns)
    name = layout.name(min(column, width - 1))
    listed = ", ".join(layout.name(each) for each in range(width))
    text = shown(field) if field else "empty"
    dtype = None if layout.number_dtype is None else np.dtype(layout.number_dtype)
    match actual:
        case status.NO_INTEGER:
            expected = "an integer" + " without a plus sign or leading zeros" * bool(_DIGITS.fullmatch(field))
        case status.BEYOND_64_BITS:
            expected = "an integer of at most 64 bits"
        case status.OUT_OF_RANGE:
            low, high = layout.ranges[layout.columns[:column].count("id")] or (-(1 << 63), (1 << 64) - 1)
            expected = f"an integer from {low} to {high}"
        case status.NO_NUMBER:
            expected = "a number" + " with a decimal comma, as in other lines" * layout.decimal_comma
        case status.FRACTION if dtype is not None:
            expected = f"an integer, since its dtype is {dtype}"
        case status.NO_NAME:
            expected = "a number or a name" + ", which has no control characters unless quoted" * bool(field)
        case status.NUMBER_OUT_OF_RANGE if dtype is not None:
            return f"the {name} is {text}, which does not fit its dtype, {dtype}."
        case status.FRACTION | status.NUMBER_OUT_OF_RANGE | status.INEXACT:
            both = f"the {name} is {text}: this column holds both fractions and integers beyond 2^53"
            return f"{both}, and no dtype holds both exactly. Pass weight_dtype='float64' to round them."
        case status.TOO_FEW_COLUMNS:
            return f"the line ends after {counted(column, 'column')}; expected {width}: {listed}."
        case status.TOO_MANY_COLUMNS:
            extra = text if field else "an empty field"
            return f"{extra} is one column too many; expected {counted(width, 'column')}: {listed}."
        case status.WRONG_PREFIX:
            return f"the line starts with {text}; expected {layout.prefix.decode()!r} and {listed}."
        case status.OPEN_QUOTE:
            return f"the quoted {name} {text} does not end on its line; expected a closing double quote."
        case _:
            text_after = f"there is text after the quoted {name} {text}"
            return f"{text_after}; expected the end of the column after a closing quote."
    return f"the {name} is {text}; expected {expected}." + " Fill it, or leave the line out." * (not field)


def field_place(line: Bytes, layout: Layout, column: int) -> int:
    """Where field number ``column`` of a line starts."""
    text = line[: 1 << 16].tobytes()
    blank = rb"[ ]" if layout.delimiter == b"\t" else rb"[ \t]"
    gap = blank + b"*" + re.escape(layout.delimiter) + blank + b"*" if layout.delimiter else blank + b"+"
    lead = blank + b"*" + (re.escape(layout.prefix) + rb"[ \t]+" if layout.prefix else b"")
    plain = rb"[^\r\n" + (re.escape(layout.delimiter) if layout.delimiter else rb" \t") + rb"]*"
    field = rb'(?:"(?:[^"\r\n]|"")*"|' + plain + rb")"
    found = re.match(lead + (field + gap) * column, text)
    return found.end() if found else 0
