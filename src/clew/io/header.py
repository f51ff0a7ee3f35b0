"""The header of a text file: its words with their places, and its promises held against what is really there.

A header is only believed once the rows behind it were read: memory goes by the bytes of the file, never by what a
number in its first lines claims.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from clew.checks import counted
from clew.errors import FormatError
from clew.io.source import Source
from clew.io.text import Line
from clew.io.text.layout import shown

MANY_VERTICES = 1 << 28  # 2 GiB of offsets: nobody misses them, and an honest file of more vertices has edges to show
VERTICES_PER_EDGE = 64

_WORD = re.compile(rb"[^ \t]+")
_INTEGER = re.compile(rb"\+?0*([0-9]+)")


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


def words(line: Line) -> list[Word]:
    """The words of a line."""
    return [Word(found[0], line, _column(line.text[: found.start()])) for found in _WORD.finditer(line.text)]


def missing_word(line: Line) -> Word:
    """Stands for a word that should follow at the end of a line."""
    return Word(b"", line, _column(line.text))


def error_about(source: Source, word: Word, problem: str) -> FormatError:
    """An error about a word of the header, for the caller to raise."""
    return source.error(problem, line=word.line.number, column=word.column)


def as_count(source: Source, word: Word, name: str) -> int:
    """A word that counts something: an integer from 0 to 2^63-1."""
    digits = _INTEGER.fullmatch(word.text)
    if digits is None:
        raise error_about(source, word, f"the {name} is {word}; expected an integer of 0 or more.")
    # 19 digits are enough for any 63 bits; Python itself refuses to convert thousands of them.
    if len(digits[1]) > 19 or (count := int(digits[1])) >= 1 << 63:
        raise error_about(source, word, f"the {name} is {word}; expected an integer below 2^63.")
    return count


def check_vertices(source: Source, word: Word, num_vertices: int, num_edges: int, remedy: str = "") -> None:
    """Refuse a number of vertices that is out of proportion to the edges, or beyond the machine's memory."""
    present = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    needed = 8 * (num_vertices + 1)
    if num_vertices > max(MANY_VERTICES, VERTICES_PER_EDGE * num_edges) or needed > present // 2:
        raise error_about(
            source,
            word,
            f"the header speaks of {counted(num_vertices, 'vertex')}, but the file has "
            f"{counted(num_edges, 'edge')}: a row for every "
            f"vertex would take {needed:,} bytes, and this machine has {present:,} bytes of memory.{remedy}",
        )


def _column(before: bytes) -> int:
    return len(before.decode("utf-8", "replace")) + 1
