"""Block after block of a table into its columns; a block that needs wider columns is parsed again once they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clew import threads
from clew.dtypes import Array, OffsetArray
from clew.io.source import Block, Bytes, Source
from clew.io.text import status
from clew.io.text.columns import Columns
from clew.io.text.layout import Layout, field_place
from clew.io.text.lines import error_at, field_at, shown
from clew.io.text.name_columns import NameColumns
from clew.io.text.pieces import Pieces, close_gaps

if TYPE_CHECKING:
    import pyarrow as pa

_NO_LIMITS = (0, 0, 0)


class TableReader:
    """Fills the columns of a layout; ``first_line`` is the number of the first line that it will see."""

    def __init__(self, source: Source, layout: Layout, first_line: int, *, named: bool) -> None:
        self.source, self.layout, self.line = source, layout, first_line
        self.rows = 0
        self._classes, self._skipped, self._roles = layout.classes(), layout.skipped(), layout.roles(named=named)
        self._columns = Columns.of(layout, named=named)
        self._names = NameColumns(layout.columns.count("id")) if named else None
        self._spelling = _with_points() if layout.decimal_comma else None

    def read(self, block: Block) -> None:
        """Add the rows of a block."""
        pieces = Pieces.of(block)
        while not self._parse(pieces):
            pass
        self.line += int(pieces.lines.sum())

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
