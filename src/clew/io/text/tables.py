"""Tables: lines of the same columns, parsed in parallel block by block.

A format declares the columns of its lines and their ranges. This module handles line ends, comments, widths, and errors
with their positions. A block is cut into pieces at line ends, one kernel call each. A block that needs wider columns is
parsed again once they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clew import threads
from clew.dtypes import Array, OffsetArray
from clew.errors import FormatError
from clew.io.options import Progress
from clew.io.source import Block, Bytes, Source
from clew.io.text import Layout, Line, error_at, field_at, field_place, problem, shown, status
from clew.io.text import kernels_parse as kernels
from clew.io.text.columns import IdColumns, NameColumns, NumberColumn

if TYPE_CHECKING:
    import pyarrow as pa

PIECE_BYTES = 1 << 18  # below this, handing out a piece costs more than it saves
_NO_LIMITS = (0, 0, 0)
DECIMAL_COMMA = re.compile(rb"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of one block; piece ``i`` is ``data[cuts[i]:cuts[i + 1]]`` and has ``lines[i]`` lines."""

    data: Bytes
    offset: int
    cuts: OffsetArray
    lines: OffsetArray

    @classmethod
    def of(cls, block: Block) -> Pieces:
        """Cut a block."""
        data = block.data.view()
        data.flags.writeable = False  # like a memory map: kernels are compiled for one kind of array only
        count = threads.pieces(data.size, PIECE_BYTES)
        cuts = np.arange(count + 1, dtype=np.int64) * data.size // count
        kernels.cut(data, cuts)
        lines = threads.each(kernels.count_lines, count, data, cuts)
        return cls(data, block.offset, cuts, np.array(lines, dtype=np.int64))

    @property
    def count(self) -> int:
        """How many there are."""
        return self.lines.size

    def likely(self, count: int, total: int | None) -> int:
        """How many values the rest of a text of ``total`` bytes holds, if this block holds ``count``."""
        return 0 if total is None else int(count * max(1.0, 1.02 * (total - self.offset) / self.data.size))


def offsets(counts: Array) -> OffsetArray:
    """Where each group of values starts if group ``i`` has ``counts[i]`` of them; the last entry is the end."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)])


def pieces_after(source: Source, after: Line | None, progress: Progress | None = None) -> Iterator[tuple[int, Pieces]]:
    """The text after a header line, block by block: the number of a block's first line, and its pieces."""
    start, line = (0, 1) if after is None else (after.end, after.number + 1)
    for block in source.blocks(start=start):
        pieces = Pieces.of(block)
        yield line, pieces
        line += int(pieces.lines.sum())
        if progress is not None:
            progress(block.offset + block.data.size, source.size)


def located(
    source: Source, after: Line | None, find: Callable[[Bytes, int], tuple[int, int]], index: int, sentence: str
) -> FormatError:
    """An error about item ``index``; ``find`` gives its place in a block, or -1 and how many items there are."""
    for line, pieces in pieces_after(source, after):
        place, count = find(pieces.data, index)
        if place >= 0:
            return error_at(source, pieces.data, place, line, sentence)
        index -= count
    return source.error(sentence)


def close_gaps(values: Array, places: OffsetArray, counts: OffsetArray) -> None:
    """Where pieces have fewer values than there was room for, move those of the next pieces up."""
    if values.size and not np.array_equal(np.diff(places), counts):
        kernels.close_gaps(values, places, counts)


class NotAnInteger(FormatError):  # noqa: N818
    """An id is no integer of 64 bits; a format whose ids may be names reads the file again."""


class DecimalComma(FormatError):  # noqa: N818
    """A number is written as 1,5; a format that has such numbers reads the file again."""


class Reader:
    """Fills the columns of a layout block by block; ``parse`` of a subclass parses one block."""

    def __init__(self, source: Source, layout: Layout, *, named: bool = False) -> None:
        self.source, self.layout = source, layout
        self.count = self.line = 0
        self.classes, self.skipped = layout.classes(), layout.skipped()
        self.ids = IdColumns(layout.ranges[: 0 if named else layout.columns.count("id")], layout.base)
        self.numbers = NumberColumn(layout.number_dtype) if "number" in layout.columns else None

    def read(self, after: Line | None, progress: Progress | None) -> None:
        """Read everything after a header line."""
        for line, pieces in pieces_after(self.source, after, progress):
            self.line = line
            while not self.parse(pieces):
                pass

    def parse(self, pieces: Pieces) -> bool:
        """Parse a block; False where a column had to be widened first."""
        raise NotImplementedError

    def widen(self, data: Bytes, code: int, place: int, column: int = 0) -> bool:
        """Widen the column that cannot hold what is at ``place``, or raise the error that it is. Returns False."""
        layout = self.layout
        surplus = code == status.TOO_MANY_COLUMNS and bool(layout.delimiter)  # its place is that of its delimiter
        field = field_at(data, place + surplus, layout.delimiter)
        if code == status.OUT_OF_RANGE:
            limits = layout.ranges[layout.columns[:column].count("id")]
            if (limits is None or limits[0] <= int(field) <= limits[1]) and self.ids.adapt(int(field)):
                return False
            code = status.BEYOND_64_BITS if limits is None else code
        elif self.numbers is not None and self.numbers.adapt(code, field):
            return False
        error = NotAnInteger if code in (status.NO_INTEGER, status.BEYOND_64_BITS) else FormatError
        if code == status.NO_NUMBER and not layout.decimal_comma and DECIMAL_COMMA.fullmatch(field):
            error = DecimalComma
        raise error_at(self.source, data, place, self.line, problem(layout, code, column, field), error)


class TableReader(Reader):
    """Reads rows."""

    def __init__(self, source: Source, layout: Layout, *, named: bool) -> None:
        super().__init__(source, layout, named=named)
        self._roles = layout.roles(named=named)
        self._names = NameColumns(layout.columns.count("id")) if named else None
        self._spelling = _with_points() if layout.decimal_comma else None

    def finished(self) -> tuple[tuple[Array, ...], Array | None, pa.Array[Any] | None]:
        """The id columns, the numbers, and the names."""
        numbers = None if self.numbers is None else self.numbers.finished()
        if self._names is None:
            return self.ids.finished(), numbers, None
        ids, names = self._names.finished()
        return ids, numbers, names

    def parse(self, pieces: Pieces) -> bool:
        """Parse a block; False where a column had to be widened first."""
        bound = int(pieces.lines.sum())
        needed, likely = self.count + bound, pieces.likely(bound, self.source.size)
        ids = self.ids.make_room(needed, likely)
        numbers = np.empty(0, np.uint64) if self.numbers is None else self.numbers.make_room(needed, likely)
        spans = np.empty(0, np.int64) if self._names is None else self._names.make_room(bound)
        places = offsets(pieces.lines)
        parsed = pieces.data
        if self._spelling is not None:
            parsed = self._spelling[parsed]
            parsed.flags.writeable = False  # kernels are compiled for one kind of array only
        outcomes = self._run(pieces, parsed, places, ids, numbers, spans)
        for _, _, code, place, column in outcomes:
            if code != status.FINE:
                return self.widen(pieces.data, code, place, column)
        counts = np.array([outcome[0] for outcome in outcomes], dtype=np.int64)
        for values in (*ids, numbers):
            close_gaps(values, places, counts)
        if self._names is not None:
            close_gaps(spans, places * self._names.entries_per_row, counts * self._names.entries_per_row)
        self._settle(pieces, parsed, int(counts.sum()), sum(outcome[1] for outcome in outcomes))
        return True

    def _run(
        self, pieces: Pieces, data: Bytes, places: OffsetArray, ids: list[Array], numbers: Array, spans: Array
    ) -> list[Any]:
        """Parse all pieces; ``data`` is their text with decimal points."""
        layout, column = self.layout, self.numbers
        limits = [*self.ids.limits(), _NO_LIMITS, _NO_LIMITS][:2]
        limits.append(_NO_LIMITS if column is None else column.limits)
        filler = ids[0][:0] if ids else np.empty(0, dtype=np.int32)
        text = (data, pieces.cuts, places, self.classes, self.skipped)
        prefix = ord(layout.prefix) if layout.prefix else 0
        how = (prefix, layout.canonical, self._roles, np.array(limits, dtype=np.uint64))
        mode = status.INTEGERS if column is None else column.mode
        ends = tuple([*ids, filler, filler][:2])
        return threads.each(kernels.read_rows, pieces.count, *text, *how, layout.base, mode, ends, numbers, spans)

    def _settle(self, pieces: Pieces, parsed: Bytes, rows: int, hard: int) -> None:
        """Take over the rows of a block."""
        self.ids.settle(rows)
        if self._names is not None and (place := self._names.settle(rows, pieces.data)) is not None:
            field = shown(field_at(pieces.data, place, self.layout.delimiter))
            problem = f"the name {field} is not valid UTF-8; save the file in that encoding."
            raise error_at(self.source, pieces.data, place, self.line, problem)
        if self.numbers is not None and (lost := self.numbers.settle(rows, hard, parsed)) is not None:
            column = self.layout.columns.index("number")
            start, _ = kernels.find(pieces.data, self.classes, self.skipped, lost, kernels.ROWS)
            place = start + field_place(pieces.data[start:], self.layout, column)
            self.widen(pieces.data, status.NUMBER_OUT_OF_RANGE, place, column)
        self.count += rows


def _with_points() -> Bytes:
    """How each byte is read where fractions have a comma: as a point, and a point as what is in no number."""
    spelling = np.arange(256, dtype=np.uint8)
    spelling[ord(",")], spelling[ord(".")] = ord("."), ord("x")
    return spelling


@dataclass(frozen=True, slots=True)
class Table:
    """What was read: the id columns, the numbers (or None), the names that ids stand for (or None)."""

    source: Source
    layout: Layout
    after: Line | None
    num_rows: int
    ids: tuple[Array, ...]
    numbers: Array | None
    names: pa.Array[Any] | None = None

    def error_at(self, row: int, column: int, sentence: str) -> FormatError:
        """An error about one field, with its line and column; finds them by reading the file again."""

        def find(data: Bytes, index: int) -> tuple[int, int]:
            start, rows = kernels.find(data, self.layout.classes(), self.layout.skipped(), index, kernels.ROWS)
            return start if start < 0 else start + field_place(data[start:], self.layout, column), rows

        return located(self.source, self.after, find, row, sentence)

    def check_rows(
        self, promised: int, rows: str, place: tuple[int | None, int | None] = (None, None), by: str = "the header"
    ) -> None:
        """Refuse a file with more or fewer rows than ``by`` promises at ``place``, a line and a column."""
        problem = f"{by} promises {promised:,} {rows}, but there are {self.num_rows:,}"
        if self.num_rows > promised:
            raise self.error_at(promised, 0, f"{problem}; this is the first one too many.")
        if self.num_rows < promised:
            raise self.source.error(f"{problem}; is the file cut short?", line=place[0], column=place[1])


def read_table(
    source: Source, layout: Layout, *, after: Line | None = None, named: bool = False, progress: Progress | None = None
) -> Table:
    """Read all rows of a table. Memory is reserved for what the file can hold, not for what its header says.

    Parameters
    ----------
    source
        The text.
    layout
        What its lines look like.
    after
        The header line after which the rows begin; None: at the start.
    named
        Ids are names: any text, in double quotes if it contains a delimiter. They become codes in the order of first
        occurrence, and the table gets ``names``.
    progress
        Called after every block.

    Raises
    ------
    NotAnInteger
        A ``FormatError`` for ids that are no integers of 64 bits.
    FormatError
        For everything else that does not fit the layout, with line and column.
    """
    reader = TableReader(source, layout, named=named)
    reader.read(after, progress)
    return Table(source, layout, after, reader.count, *reader.finished())
