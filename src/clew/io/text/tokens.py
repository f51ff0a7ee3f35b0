"""Tokens: numbers separated by blanks and line ends, for formats whose lines differ in length or mean nothing.

Tokens that may hold fractional weights are read as floats where they do, and the ids among them too: ``first_misfit``
finds a value that is no integer of a range.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.dtypes import Array, OffsetArray
from clew.errors import FormatError
from clew.io.options import Progress, ReadOptions, weight_dtype
from clew.io.source import Source
from clew.io.text import status
from clew.io.text.columns import Columns, GrowingArray
from clew.io.text.layout import Layout, Line, Range, error_at
from clew.io.text.tables import Pieces, close_gaps, pieces_after


def first_misfit(values: Array, low: int, high: int) -> int | None:
    """The index of the first value that is no integer from ``low`` to ``high``, or None."""
    if not values.size or (_whole(values) and low <= values.min() and values.max() <= high):
        return None
    fits = (values >= low) & (values <= high)
    if values.dtype.kind == "f":
        fits &= values == np.floor(values)
    return int(fits.argmin())


def shown_number(value: np.generic) -> str:
    """A number as an error shows it: one that is an integer without a point."""
    number = value.item()
    return str(int(number)) if isinstance(number, float) and number.is_integer() else str(number)


def token_dtype(options: ReadOptions) -> npt.DTypeLike | None:
    """The dtype of tokens of which only some are weights.

    Where the caller wants weights as floats, all tokens may be rounded to doubles: ids and offsets stay below 2^53.
    Other dtypes are applied to the weights alone.
    """
    if options.weight_dtype is None:
        return None
    return np.float64 if weight_dtype(options.weight_dtype).kind == "f" else None


def _whole(values: Array) -> bool:
    return values.dtype.kind != "f" or bool((values == np.floor(values)).all())


@dataclass(frozen=True, slots=True)
class Tokens:
    """What was read.

    ``values[line_starts[i]:line_starts[i + 1]]`` are the tokens of line ``i``; comments are no lines, empty lines are.
    ``line_starts`` is None where it was not asked for.
    """

    source: Source
    layout: Layout
    after: Line | None
    values: Array
    line_starts: OffsetArray | None

    def error_at(self, index: int, sentence: str) -> FormatError:
        """An error about one token, with its line and column; finds them by reading the file again."""
        return self._located(index, sentence, by_line=False)

    def error_in_line(self, index: int, sentence: str) -> FormatError:
        """An error about line ``index`` of ``line_starts``."""
        return self._located(index, sentence, by_line=True)

    def _located(self, wanted: int, sentence: str, *, by_line: bool) -> FormatError:
        from clew.io.text import kernels_tokens as kernels

        classes, skipped = self.layout.classes(), self.layout.skipped()
        for line, pieces in pieces_after(self.source, self.after):
            place, found = kernels.find_token(pieces.data, classes, skipped, wanted, by_line)
            if place >= 0:
                return error_at(self.source, pieces.data, place, line, sentence)
            wanted -= found
        return self.source.error(sentence)


def read_tokens(
    source: Source,
    *,
    kind: Literal["id", "number"] = "id",
    name: str = "",
    range: Range | None = None,  # noqa: A002
    base: int = 0,
    number_dtype: npt.DTypeLike | None = None,
    comments: bytes = b"%#",
    lines: bool = True,
    after: Line | None = None,
    progress: Progress | None = None,
) -> Tokens:
    """Read all numbers of a text, whatever its lines.

    Parameters
    ----------
    source
        The text.
    kind
        "id": integers, as narrow as they come. "number": see ``number_dtype``.
    name
        What errors call a token.
    range
        For ids, the smallest and largest one as they stand in the file.
    base
        What is subtracted from ids.
    number_dtype
        For numbers, their dtype; None is the narrowest of int64, uint64 and float64 that holds them all exactly.
    comments
        A line whose first character that is not blank is one of these is skipped.
    lines
        Whether to note where lines start.
    after
        The header line after which the tokens begin; None: at the start.
    progress
        Called after every block.
    """
    layout = Layout((kind,), (name,) if name else (), (range,), base, number_dtype, comments)
    reader = _Reader(source, layout, lines)
    for line, pieces in pieces_after(source, after, progress):
        reader.read(line, pieces)
    return reader.finished(after)


class _Reader:
    """Takes block after block; a block that needs wider values is parsed again once they are."""

    def __init__(self, source: Source, layout: Layout, lines: bool) -> None:
        self.source, self.layout, self.line = source, layout, 0
        self.classes, self.skipped = layout.classes(), layout.skipped()
        self.columns = Columns.of(layout)
        self.starts = GrowingArray(np.int64) if lines else None
        if self.starts is not None:
            self.starts.append(0)
        self.count = 0

    def read(self, line: int, pieces: Pieces) -> None:
        from clew.io.text import kernels_tokens as kernels

        self.line = line
        bounds = np.array(threads.each(kernels.count_tokens, pieces.count, pieces.data, pieces.cuts), dtype=np.int64)
        while not self._parse(pieces, bounds):
            pass

    def _parse(self, pieces: Pieces, bounds: npt.NDArray[np.int64]) -> bool:
        """Parse a block; False where the values had to be widened first."""
        from clew.io.text import kernels_tokens as kernels

        values, limits, mode = self._room(pieces, int(bounds.sum()))
        ends = None
        if self.starts is not None:
            self.starts.make_room(self.starts.size + int(pieces.lines.sum()))
            ends = self.starts.values[self.starts.size :]
        places, line_places = pieces.places(bounds), pieces.places(pieces.lines)
        outcomes = threads.each(
            kernels.read_tokens,
            pieces.count,
            pieces.data,
            pieces.cuts,
            places,
            line_places,
            self.classes,
            self.skipped,
            np.array(limits, dtype=np.uint64),
            self.layout.base,
            mode,
            values,
            ends,
        )
        for _, _, _, found, place in outcomes:
            if found != status.FINE:
                self._give_way(pieces, found, place)
                return False
        counts, lines, hard = (np.array([one[i] for one in outcomes], dtype=np.int64) for i in range(3))
        if ends is not None:
            self._settle_lines(ends, line_places, counts, lines)
        close_gaps(values, places, counts)
        self._settle_values(pieces, int(counts.sum()), int(hard.sum()))
        return True

    def _room(self, pieces: Pieces, bound: int) -> tuple[Array, tuple[int, int, int], int]:
        """Where the tokens of a block go, what they may be, and how they are read."""
        from clew.io.text import kernels_tokens as kernels

        needed, likely = self.count + bound, pieces.likely(bound, self.source.size)
        numbers = self.columns.numbers
        if numbers is None:
            (values,) = self.columns.ids.make_room(needed, likely)
            return values, self.columns.ids.limits()[0], kernels.IDS
        numbers.make_room(needed, likely)
        return numbers.block.view(np.int64), numbers.limits, numbers.mode

    def _settle_lines(self, ends: Array, line_places: OffsetArray, counts: OffsetArray, lines: OffsetArray) -> None:
        """Turn counts within each piece into counts within the text."""
        assert self.starts is not None
        before = self.count + np.cumsum(counts) - counts
        for piece in range(counts.size):
            ends[line_places[piece] : line_places[piece] + lines[piece]] += before[piece]
        close_gaps(ends, line_places, lines)
        self.starts.size += int(lines.sum())

    def _settle_values(self, pieces: Pieces, count: int, hard: int) -> None:
        self.columns.ids.settle(count)
        if self.columns.numbers is not None:
            lost = self.columns.numbers.settle(count, hard, pieces.data)
            if lost is not None:
                from clew.io.text import kernels_tokens as kernels

                place, _ = kernels.find_token(pieces.data, self.classes, self.skipped, lost, False)
                self._give_way(pieces, status.NUMBER_OUT_OF_RANGE, place)
        self.count += count

    def _give_way(self, pieces: Pieces, found: int, place: int) -> None:
        self.columns.give_way(self.source, self.layout, pieces.data, self.line, found, place, 0)

    def finished(self, after: Line | None) -> Tokens:
        numbers, ids = self.columns.numbers, self.columns.ids
        values = ids.finished()[0] if numbers is None else numbers.finished()
        return Tokens(self.source, self.layout, after, values, None if self.starts is None else self.starts.finished())
