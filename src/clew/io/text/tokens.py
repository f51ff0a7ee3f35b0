"""Tokens: numbers separated by blanks and line ends, for formats whose lines differ in length or mean nothing.

If weights among the tokens have fractions, all tokens are read as floats, the ids too. ``first_misfit`` then finds a
value that is not an integer of a range.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.dtypes import Array, OffsetArray
from clew.errors import FormatError
from clew.io.options import Progress, ReadOptions
from clew.io.source import Bytes, Source
from clew.io.text import Layout, Line, status
from clew.io.text import kernels_parse as kernels
from clew.io.text.columns import GrowingArray
from clew.io.text.tables import Pieces, Reader, close_gaps, located, offsets

IDS = Layout(("id",))


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

    If float weights are requested, all tokens may be rounded to doubles: ids and offsets stay below 2^53. Other dtypes
    are applied to the weights alone.
    """
    if options.weight_dtype is None:
        return None
    return np.float64 if np.dtype(options.weight_dtype).kind == "f" else None


def _whole(values: Array) -> bool:
    return values.dtype.kind != "f" or bool((values == np.floor(values)).all())


@dataclass(frozen=True, slots=True)
class Tokens:
    """What was read.

    ``values[line_starts[i]:line_starts[i + 1]]`` are the tokens of line ``i``; comments are no lines, empty lines are.
    ``line_starts`` is None if it was not requested.
    """

    source: Source
    layout: Layout
    after: Line | None
    values: Array
    line_starts: OffsetArray | None

    def error_at(self, index: int, sentence: str, *, by_line: bool = False) -> FormatError:
        """An error about one token, or one line of ``line_starts``; finds its place by reading the file again."""
        unit = kernels.LINES if by_line else kernels.TOKENS

        def find(data: Bytes, index: int) -> Any:
            return kernels.find(data, self.layout.classes(), self.layout.skipped(), index, unit)

        return located(self.source, self.after, find, index, sentence)

    def integers(self, values: Array, name: str, low: int, high: int, token: Callable[[int], int]) -> Array:
        """Some values as integers from ``low`` to ``high``; ``token`` turns the index of one into that of its token."""
        wrong = first_misfit(values, low, high)
        if wrong is not None:
            sentence = f"the {name} is {shown_number(values[wrong])}; expected an integer from {low} to {high}."
            raise self.error_at(token(wrong), sentence)
        return values if values.dtype.kind == "i" else values.astype(np.int64)


def read_tokens(
    source: Source,
    layout: Layout = IDS,
    *,
    lines: bool = True,
    after: Line | None = None,
    progress: Progress | None = None,
) -> Tokens:
    """Read all numbers of a text.

    Parameters
    ----------
    source
        The text.
    layout
        One column: what every token is.
    lines
        Whether to note where lines start.
    after
        The header line after which the tokens begin; None: at the start.
    progress
        Called after every block.
    """
    reader = TokenReader(source, layout, lines)
    reader.read(after, progress)
    values = reader.ids.finished()[0] if reader.numbers is None else reader.numbers.finished()
    return Tokens(source, layout, after, values, None if reader.starts is None else reader.starts.finished())


class TokenReader(Reader):
    """Reads tokens, and where lines start among them."""

    def __init__(self, source: Source, layout: Layout, lines: bool) -> None:
        super().__init__(source, layout)
        self.starts = GrowingArray(np.int64) if lines else None
        if self.starts is not None:
            self.starts.append(0)

    def parse(self, pieces: Pieces) -> bool:
        """Parse a block; False where the values had to be widened first."""
        bounds = np.array(threads.each(kernels.count_tokens, pieces.count, pieces.data, pieces.cuts), dtype=np.int64)
        bound = int(bounds.sum())
        room = (self.count + bound, pieces.likely(bound, self.source.size))
        if self.numbers is None:
            values, limits, mode = self.ids.make_room(*room)[0], self.ids.limits()[0], kernels.IDS
        else:
            values, limits, mode = self.numbers.make_room(*room).view(np.int64), self.numbers.limits, self.numbers.mode
        ends = None
        if self.starts is not None:
            self.starts.make_room(self.starts.size + int(pieces.lines.sum()))
            ends = self.starts.values[self.starts.size :]
        places, line_places = offsets(bounds), offsets(pieces.lines)
        text = (pieces.data, pieces.cuts, places, line_places, self.classes, self.skipped)
        how = (np.array(limits, dtype=np.uint64), self.layout.base, mode)
        outcomes = threads.each(kernels.read_tokens, pieces.count, *text, *how, values, ends)
        for *_, code, place in outcomes:
            if code != status.FINE:
                return self.widen(pieces.data, code, place)
        counts, lines, hard = (np.array([one[i] for one in outcomes], dtype=np.int64) for i in range(3))
        if self.starts is not None and ends is not None:
            before = self.count + np.cumsum(counts) - counts
            for piece in range(counts.size):  # counts within a piece become counts within the text
                ends[line_places[piece] : line_places[piece] + lines[piece]] += before[piece]
            close_gaps(ends, line_places, lines)
            self.starts.size += int(lines.sum())
        close_gaps(values, places, counts)
        self._settle(pieces, int(counts.sum()), int(hard.sum()))
        return True

    def _settle(self, pieces: Pieces, count: int, hard: int) -> None:
        """Take over the tokens of a block."""
        self.ids.settle(count)
        if self.numbers is not None and (lost := self.numbers.settle(count, hard, pieces.data)) is not None:
            place, _ = kernels.find(pieces.data, self.classes, self.skipped, lost, kernels.TOKENS)
            self.widen(pieces.data, status.NUMBER_OUT_OF_RANGE, place)
        self.count += count
