"""Tables: lines of the same columns, parsed in parallel block by block.

A format says which columns its lines have and what they may hold; everything else (line ends, comments, widths,
errors and their places) is done here. A block is cut into pieces at line ends, one kernel call each. A block that needs
wider columns is parsed again once they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clew import threads
from clew.dtypes import Array, OffsetArray
from clew.errors import FormatError
from clew.io.options import Progress
from clew.io.source import Block, Bytes, Source
from clew.io.text import status
from clew.io.text.columns import Columns, NameColumns
from clew.io.text.layout import Layout, Line, error_at, field_at, field_place, shown

if TYPE_CHECKING:
    import pyarrow as pa

PIECE_BYTES = 1 << 18  # below this, handing out a piece costs more than it saves
_NO_LIMITS = (0, 0, 0)


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
        from clew.io.text import kernels_tables

        data = block.data.view()
        data.flags.writeable = False  # like a memory map: kernels are compiled for one kind of array only
        count = threads.pieces(data.size, PIECE_BYTES)
        cuts = np.arange(count + 1, dtype=np.int64) * data.size // count
        kernels_tables.cut(data, cuts)
        lines = threads.each(kernels_tables.count_lines, count, data, cuts)
        return cls(data, block.offset, cuts, np.array(lines, dtype=np.int64))

    @property
    def count(self) -> int:
        """How many there are."""
        return self.lines.size

    def likely(self, count: int, total: int | None) -> int:
        """How many values the rest of a text of ``total`` bytes holds, if this block holds ``count``."""
        return 0 if total is None else int(count * max(1.0, 1.02 * (total - self.offset) / self.data.size))

    @staticmethod
    def places(bounds: OffsetArray) -> OffsetArray:
        """Where each piece's values go, if it has at most ``bounds[i]`` of them; the last entry is the end."""
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(bounds)])


def pieces_after(source: Source, after: Line | None, progress: Progress | None = None) -> Iterator[tuple[int, Pieces]]:
    """The text after a header line, block by block: the number of a block's first line, and its pieces."""
    start, line = (0, 1) if after is None else (after.end, after.number + 1)
    for block in source.blocks(start=start):
        pieces = Pieces.of(block)
        yield line, pieces
        line += int(pieces.lines.sum())
        if progress is not None:
            progress(block.offset + block.data.size, source.size)


def close_gaps(values: Array, places: OffsetArray, counts: OffsetArray) -> None:
    """Where pieces have fewer values than there was room for, move those of the next pieces up."""
    if values.size and not np.array_equal(np.diff(places), counts):
        from clew.io.text import kernels_tables

        kernels_tables.close_gaps(values, places, counts)


class TableReader:
    """Fills the columns of a layout; a block that needs wider columns is parsed again once they are."""

    def __init__(self, source: Source, layout: Layout, *, named: bool) -> None:
        self.source, self.layout = source, layout
        self.rows = self.line = 0
        self._classes, self._skipped, self._roles = layout.classes(), layout.skipped(), layout.roles(named=named)
        self._columns = Columns.of(layout, named=named)
        self._names = NameColumns(layout.columns.count("id")) if named else None
        self._spelling = _with_points() if layout.decimal_comma else None

    def read(self, line: int, pieces: Pieces) -> None:
        """Add the rows of a block, whose first line has this number."""
        self.line = line
        while not self._parse(pieces):
            pass

    def finished(self) -> tuple[tuple[Array, ...], Array | None, pa.Array[Any] | None]:
        """The id columns, the numbers, and the names."""
        numbers = None if self._columns.numbers is None else self._columns.numbers.finished()
        if self._names is None:
            return self._columns.ids.finished(), numbers, None
        ids, names = self._names.finished()
        return ids, numbers, names

    def _parse(self, pieces: Pieces) -> bool:
        """Parse a block; False where a column had to be widened first."""
        bound = int(pieces.lines.sum())
        needed, likely = self.rows + bound, pieces.likely(bound, self.source.size)
        ids = self._columns.ids.make_room(needed, likely)
        numbers, spans = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
        if self._columns.numbers is not None:
            self._columns.numbers.make_room(needed, likely)
            numbers = self._columns.numbers.block
        if self._names is not None:
            self._names.make_room(bound)
            spans = self._names.spans
        places = pieces.places(pieces.lines)
        parsed = pieces.data if self._spelling is None else _read_only(self._spelling[pieces.data])
        outcomes = self._run(pieces, parsed, places, ids, numbers, spans)
        for _, _, found, place, column in outcomes:
            if found != status.FINE:
                self._give_way(pieces, found, place, column)
                return False
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
        """Parse all pieces; ``data`` is their text as numbers are to be read."""
        from clew.io.text import kernels_tables as kernels

        column = self._columns.numbers
        limits = [*self._columns.ids.limits(), _NO_LIMITS, _NO_LIMITS][:2]
        filler = ids[0][:0] if ids else np.empty(0, dtype=np.int32)
        first, second = [*ids, filler, filler][:2]
        return threads.each(
            kernels.read_rows,
            pieces.count,
            data,
            pieces.cuts,
            places,
            self._classes,
            self._skipped,
            ord(self.layout.prefix) if self.layout.prefix else 0,
            bool(self.layout.delimiter),
            self.layout.canonical,
            self._roles,
            np.array([*limits, _NO_LIMITS if column is None else column.limits], dtype=np.uint64),
            self.layout.base,
            status.INTEGERS if column is None else column.mode,
            first,
            second,
            numbers,
            spans,
        )

    def _settle(self, pieces: Pieces, parsed: Bytes, rows: int, hard: int) -> None:
        """Take over the rows of a block."""
        from clew.io.text import kernels_tables as kernels

        self._columns.ids.settle(rows)
        if self._names is not None and (place := self._names.settle(rows, pieces.data)) is not None:
            field = shown(field_at(pieces.data, place, self.layout.delimiter))
            problem = f"the name {field} is not valid UTF-8; save the file in that encoding."
            raise error_at(self.source, pieces.data, place, self.line, problem)
        numbers = self._columns.numbers
        if numbers is not None and (lost := numbers.settle(rows, hard, parsed)) is not None:
            column = self.layout.columns.index("number")
            start, _ = kernels.find_row(pieces.data, self._classes, self._skipped, lost)
            place = start + field_place(pieces.data[start:], self.layout, column)
            self._give_way(pieces, status.NUMBER_OUT_OF_RANGE, place, column)
        self.rows += rows

    def _give_way(self, pieces: Pieces, found: int, place: int, column: int) -> None:
        self._columns.give_way(self.source, self.layout, pieces.data, self.line, found, place, column)


def _with_points() -> Bytes:
    """How each byte is read where fractions have a comma: as a point, and a point as what is in no number."""
    spelling = np.arange(256, dtype=np.uint8)
    spelling[ord(",")], spelling[ord(".")] = ord("."), ord("x")
    return spelling


def _read_only(data: Bytes) -> Bytes:
    data.flags.writeable = False  # kernels are compiled for one kind of array only
    return data


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
        from clew.io.text import kernels_tables

        classes, skipped = self.layout.classes(), self.layout.skipped()
        for line, pieces in pieces_after(self.source, self.after):
            start, rows = kernels_tables.find_row(pieces.data, classes, skipped, row)
            if start >= 0:
                place = start + field_place(pieces.data[start:], self.layout, column)
                return error_at(self.source, pieces.data, place, line, sentence)
            row -= rows
        return self.source.error(sentence)

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
    source: Source,
    layout: Layout,
    *,
    after: Line | None = None,
    named: bool = False,
    progress: Progress | None = None,
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
        Ids are names (any text; in double quotes where it holds a delimiter): they become codes in the order in which
        names first occur, and the table gets ``names``.
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
    for line, pieces in pieces_after(source, after, progress):
        reader.read(line, pieces)
    return Table(source, layout, after, reader.rows, *reader.finished())
