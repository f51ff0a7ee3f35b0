"""Tables: lines of the same columns, parsed in parallel block by block.

A format says which columns its lines have and what they may hold; everything else (line ends, comments, widths,
errors and their places) is done here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clew.dtypes import Array
from clew.errors import FormatError
from clew.io.options import Progress
from clew.io.source import Source
from clew.io.text.layout import Layout, field_place
from clew.io.text.lines import Line, error_at, first_line_after, start_after
from clew.io.text.pieces import Pieces
from clew.io.text.table_reader import TableReader

if TYPE_CHECKING:
    import pyarrow as pa


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
        line, left = first_line_after(self.after), row
        for pieces in map(Pieces.of, self.source.blocks(start=start_after(self.after))):
            start, rows = kernels_tables.find_row(pieces.data, classes, skipped, left)
            if start >= 0:
                place = start + field_place(pieces.data[start:], self.layout, column)
                return error_at(self.source, pieces.data, place, line, sentence)
            left -= rows
            line += int(pieces.lines.sum())
        return self.source.error(sentence)


def read_table(
    source: Source,
    layout: Layout,
    *,
    after: Line | None = None,
    named: bool = False,
    expected_rows: int | None = None,
    progress: Progress | None = None,
) -> Table:
    """Read all rows of a table.

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
    expected_rows
        How many rows the header promises; another number is an error. Memory is reserved for what the file can hold,
        not for what the header says.
    progress
        Called after every block.

    Raises
    ------
    NotAnInteger
        A ``FormatError`` for ids that are no integers of 64 bits.
    FormatError
        For everything else that does not fit the layout, with line and column.
    """
    reader = TableReader(source, layout, first_line_after(after), named=named)
    for block in source.blocks(start=start_after(after)):
        reader.read(block)
        if progress is not None:
            progress(block.offset + block.data.size, source.size)
    table = Table(source, layout, after, reader.rows, *reader.finished())
    if expected_rows is not None and table.num_rows != expected_rows:
        problem = f"the header promises {expected_rows:,} rows, but there are {table.num_rows:,}"
        if table.num_rows > expected_rows:
            raise table.error_at(expected_rows, 0, f"{problem}; this is the first one too many.")
        raise source.error(f"{problem}; is the file cut short?")
    return table
