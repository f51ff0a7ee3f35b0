"""The columns that a reader fills, and how they give way to a value that they cannot hold yet."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clew.errors import FormatError
from clew.io.source import Bytes, Source
from clew.io.text import status
from clew.io.text.id_columns import IdColumns
from clew.io.text.layout import Layout, problem
from clew.io.text.lines import error_at, field_at
from clew.io.text.number_column import NumberColumn

DECIMAL_COMMA = re.compile(rb"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?")


class NotAnInteger(FormatError):  # noqa: N818
    """An id is no integer of 64 bits; a format whose ids may be names reads the file again."""


class DecimalComma(FormatError):  # noqa: N818
    """A number is written as 1,5; a format that has such numbers reads the file again."""


@dataclass(frozen=True, slots=True)
class Columns:
    """What is filled while a text is read."""

    ids: IdColumns
    numbers: NumberColumn | None

    @classmethod
    def of(cls, layout: Layout, *, named: bool = False) -> Columns:
        """The columns that a layout asks for; ids that are names are kept elsewhere."""
        ids = 0 if named else layout.columns.count("id")
        numbers = NumberColumn(layout.number_dtype) if "number" in layout.columns else None
        return cls(IdColumns(layout.ranges[:ids], layout.base), numbers)

    def give_way(
        self, source: Source, layout: Layout, data: Bytes, first_line: int, found: int, place: int, column: int
    ) -> None:
        """Widen the column that could not take what stands at ``place``, or raise the error that it is."""
        surplus = found == status.TOO_MANY_COLUMNS and bool(layout.delimiter)  # its place is that of its delimiter
        field = field_at(data, place + surplus, layout.delimiter)
        if found == status.OUT_OF_RANGE:
            given = layout.ranges[layout.columns[:column].count("id")]
            if (given is None or given[0] <= int(field) <= given[1]) and self.ids.adapt(int(field)):
                return
            found = status.BEYOND_64_BITS if given is None else found
        elif self.numbers is not None and self.numbers.adapt(found, field):
            return
        kind = NotAnInteger if found in (status.NO_INTEGER, status.BEYOND_64_BITS) else FormatError
        if found == status.NO_NUMBER and not layout.decimal_comma and DECIMAL_COMMA.fullmatch(field):
            kind = DecimalComma
        raise error_at(source, data, place, first_line, problem(layout, found, column, field), kind)
