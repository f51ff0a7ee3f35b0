"""Single lines: the few at the top of a file that say what follows, and the one that an error is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

from clew.errors import FormatError
from clew.io.source import Bytes, Source

_LINE = re.compile(rb"([^\r\n]*)(\r\n|\n|\r)")
SHOWN_CHARACTERS = 40


class Line(NamedTuple):
    """One line without its line end: its number from 1, where it starts, and where the next one starts."""

    text: bytes
    number: int
    offset: int
    end: int

    def column(self, word: bytes) -> int:
        """The column, from 1, at which ``word`` stands (the first column where it does not)."""
        return len(self.text[: max(0, self.text.find(word))].decode("utf-8", "replace")) + 1


def leading_lines(source: Source) -> Iterator[Line]:
    """The lines of a text one by one, for as long as they are asked for. Meant for headers: it is not fast."""
    number = 0
    with closing(source.blocks(size=1 << 16)) as blocks:
        for block in blocks:
            for found in _LINE.finditer(block.data.tobytes()):
                number += 1
                yield Line(found[1], number, block.offset + found.start(), block.offset + found.end())


def start_after(line: Line | None) -> int:
    """Where the text after a header line starts; without one, at 0."""
    return 0 if line is None else line.end


def first_line_after(line: Line | None) -> int:
    """The number of the line after a header line; without one, 1."""
    return 1 if line is None else line.number + 1


def error_at(
    source: Source, data: Bytes, place: int, first_line: int, problem: str, kind: type[FormatError] = FormatError
) -> FormatError:
    """An error about byte ``place`` of ``data``, whose first line is number ``first_line`` of the text."""
    before = data[:place].tobytes()
    start = max(before.rfind(b"\n"), before.rfind(b"\r")) + 1
    line = first_line + before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")
    column = len(before[start:].decode("utf-8", "replace")) + 1
    return kind(problem, path=source.name, line=line, column=column)


def field_at(data: Bytes, place: int, delimiter: bytes = b"") -> bytes:
    """The field that starts at byte ``place``, for an error to show."""
    text = data[place : place + 4096].tobytes()
    ends = rb"[\r\n]|" + (re.escape(delimiter) if delimiter else rb"[ \t]")
    return re.split(ends, text, maxsplit=1)[0].strip()


def shown(field: bytes) -> str:
    """A field as an error shows it: quoted, and not too long."""
    text = field.decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…")
