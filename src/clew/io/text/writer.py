"""Tables and lines of tokens as text, formatted by all cores and written block by block.

Numbers are decimal, floats the shortest text that reads back the same, strings as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from clew import threads
from clew.dtypes import Array, OffsetArray
from clew.io.options import Progress
from clew.io.sink import Sink
from clew.io.source import NEWLINE, Bytes
from clew.io.text import kernels_format as kernels

PIECE_VALUES = 1 << 16  # rows of a table, or tokens, that one thread formats at a time


@dataclass(frozen=True, slots=True)
class Labels:
    """A column of names, strings or integers: row ``i`` holds ``names[ids[i]]``, written as it is."""

    ids: Array
    names: pa.Array[Any]

    def __len__(self) -> int:
        return int(self.ids.size)

    def __getitem__(self, rows: slice) -> Labels:
        return Labels(self.ids[rows], self.names)

    def taken(self) -> pa.Array[Any] | Array:
        """The strings as an Arrow array, or the integers as an array."""
        names = self.names.take(_arrow(self.ids))
        return np.asarray(names.to_numpy()) if pa.types.is_integer(names.type) else names


Column = Array | Labels


class Formatted:
    """One column, or a part of it, ready to be measured and written."""

    def __init__(self, column: Column, base: int, after: int) -> None:
        self._after = after
        values = column.taken() if isinstance(column, Labels) else column
        self._values: tuple[Any, ...]
        if isinstance(values, np.ndarray) and values.dtype.kind != "f":
            unsigned = values.dtype == np.uint64
            # One kernel formats all integers. Those of uint64 keep their bits, and the flag says so.
            integers = values.view(np.int64) if unsigned else values.astype(np.int64, copy=False)
            self._values = (integers + base if base else integers, unsigned)
            self._measure, self._put = kernels.measure_integers, kernels.put_integers
        else:
            strings = _strings(_arrow(values) if isinstance(values, np.ndarray) else values)
            self._values = (*strings, isinstance(values, np.ndarray))
            self._measure, self._put = kernels.measure_texts, kernels.put_texts

    def measure(self, widths: OffsetArray) -> None:
        """Add the width of every value, and 1 for the byte that follows it."""
        widths += 1
        self._measure(*self._values, widths)

    def put(self, places: OffsetArray, out: Bytes) -> None:
        """Write every value and the byte that follows it; ``places`` move on."""
        self._put(*self._values, self._after, places, out)


def formatted(columns: Sequence[Column], rows: slice, bases: Sequence[int], afters: Sequence[int]) -> list[Formatted]:
    """Some rows of several columns."""
    return [Formatted(column[rows], base, after) for column, base, after in zip(columns, bases, afters, strict=True)]


def _arrow(values: Array) -> pa.Array[Any]:
    array: pa.Array[Any] = pa.array(np.ascontiguousarray(values))
    return array


def _strings(values: pa.Array[Any]) -> tuple[OffsetArray, Bytes]:
    """Strings, or numbers as strings: where each one ends, and the bytes of all."""
    strings = values.cast(pa.large_string())
    _, offsets, text = strings.buffers()
    if offsets is None:
        return np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.uint8)
    ends = np.frombuffer(memoryview(offsets), dtype=np.int64)[strings.offset : strings.offset + len(strings) + 1]
    return ends, np.empty(0, dtype=np.uint8) if text is None else np.frombuffer(memoryview(text), dtype=np.uint8)


def write_table(
    sink: Sink,
    columns: Sequence[Column],
    *,
    bases: Sequence[int] | None = None,
    delimiter: bytes = b" ",
    prefix: bytes = b"",
    progress: Progress | None = None,
) -> None:
    """Write a line for every row.

    Integers are written in decimal, booleans as 0 and 1. Floats are written as the shortest text that reads back as the
    same float (``1.0``, never ``1``), or as ``nan``, ``inf`` and ``-inf``.

    Parameters
    ----------
    sink
        Where to; already open.
    columns
        Arrays of one length, or ``Labels``.
    bases
        What is added to the integers of each column: 1 for ids of formats that count from 1.
    delimiter
        The byte between columns.
    prefix
        What every line starts with, such as ``b"a "``.
    progress
        Called after every block with the number of bytes formatted so far.
    """
    rows = len(columns[0])
    cuts = np.append(np.arange(0, rows, PIECE_VALUES), rows)
    afters = [delimiter[0]] * (len(columns) - 1) + [NEWLINE]
    bases = [0] * len(columns) if bases is None else bases
    lead = np.frombuffer(prefix, dtype=np.uint8)

    def piece(number: int) -> Bytes:
        part = slice(int(cuts[number]), int(cuts[number + 1]))
        ready = formatted(columns, part, bases, afters)
        widths = np.full(part.stop - part.start, lead.size, dtype=np.int64)
        for column in ready:
            column.measure(widths)
        ends = np.cumsum(widths)
        out = np.empty(int(ends[-1]), dtype=np.uint8)
        places = ends - widths
        if lead.size:
            kernels.put_prefix(lead, places, out)
        for column in ready:
            column.put(places, out)
        return out

    _write_pieces(sink, piece, cuts.size - 1, progress)


def write_lines(
    sink: Sink,
    starts: OffsetArray,
    columns: Sequence[Column],
    *,
    leads: Sequence[Column] = (),
    bases: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> None:
    """Write lines of different lengths: line ``i`` holds the values ``starts[i]`` to ``starts[i + 1] - 1``.

    Parameters
    ----------
    sink
        Where to; already open.
    starts
        Where each line's values start, and where the last one's end.
    columns
        One array, or several of one length whose values alternate: value, weight, value, weight, …
    leads
        Arrays with one value per line, which come first on it.
    bases
        What is added to the integers of each of ``columns``.
    progress
        Called after every block with the number of bytes formatted so far.
    """
    lines = starts.size - 1
    values = int(starts[-1] - starts[0]) + lines
    # Pieces of about as many values (an empty line counts, too); a longer line is a piece of its own.
    reached = starts + np.arange(starts.size)
    cuts = np.unique(np.searchsorted(reached, reached[0] + np.arange(0, values, PIECE_VALUES), "right") - 1)
    cuts = np.append(cuts[cuts < lines], lines)
    bases = [0] * len(columns) if bases is None else bases
    blank = ord(" ")

    def piece(number: int) -> Bytes:
        first, last = int(cuts[number]), int(cuts[number + 1])
        mine = starts[first : last + 1]
        part = slice(int(mine[0]), int(mine[-1]))
        ready = formatted(columns, part, bases, [blank] * len(columns))
        before = formatted(leads, slice(first, last), [0] * len(leads), [blank] * len(leads))
        widths, lead_widths = np.zeros(part.stop - part.start, np.int64), np.zeros(last - first, np.int64)
        for column in ready:
            column.measure(widths)
        for column in before:
            column.measure(lead_widths)
        places, lead_places, line_ends = np.empty_like(widths), np.empty_like(lead_widths), np.empty_like(lead_widths)
        size = kernels.arrange_lines(mine - mine[0], widths, lead_widths, places, lead_places, line_ends)
        out = np.empty(size, dtype=np.uint8)
        for column in before:
            column.put(lead_places, out)
        for column in ready:
            column.put(places, out)
        out[line_ends] = NEWLINE
        return out

    _write_pieces(sink, piece, cuts.size - 1, progress)


def _write_pieces(sink: Sink, piece: Callable[[int], Bytes], count: int, progress: Progress | None) -> None:
    """Format a few pieces at a time, so that memory stays bounded, and write them in order."""
    together = 4 * threads.count()
    done = 0
    for first in range(0, count, together):
        for out in threads.each(lambda number, first=first: piece(first + number), min(together, count - first)):
            sink.write(out)
            done += out.size
        if progress is not None:
            progress(done, None)
