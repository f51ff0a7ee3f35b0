"""The columns that a reader fills, and how they widen for a value that they cannot hold yet.

Columns grow in place: the system moves pages, not bytes, so that a second copy never exists.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from clew import threads
from clew.dtypes import Array, OffsetArray, weight_dtype
from clew.errors import ResourceError
from clew.io.source import Bytes
from clew.io.text import Range, is_utf8, kernels_parse
from clew.io.text.kernels_doubles import HARD_BITS, HARD_PLACE
from clew.io.text.status import DOUBLES, FRACTION, INTEGERS, INTEGRAL, NUMBER_OUT_OF_RANGE, ROUNDED
from clew.strings import MANY, StringTable

_WIDTHS = (np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint64))
_LARGEST = (1 << 64) - 1
INT64_LIMITS = (1 << 63, 0, (1 << 63) - 1)
UINT64_LIMITS = (0, 0, (1 << 64) - 1)
_NUMBER = re.compile(rb"[-+.0-9eE]+")


class GrowingArray:
    """A one-dimensional array of which the first ``size`` values are valid.

    Kernels write behind them, up to ``values.size``; ``size`` is then moved on.
    """

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self.values: Array = np.empty(0, dtype=dtype)
        self.size = 0

    def make_room(self, needed: int, likely: int = 0) -> None:
        """Room for ``needed`` values; the first time for ``likely``: memory that is not written to costs nothing."""
        if self.values.size >= needed:
            return
        try:
            if self.size == 0:
                try:
                    self.values = np.empty(max(needed, likely), dtype=self.values.dtype)
                except MemoryError:
                    self.values = np.empty(needed, dtype=self.values.dtype)
            else:
                self.values.resize(needed, refcheck=False)
        except MemoryError:
            raise ResourceError(
                f"{needed * self.values.itemsize:,} bytes are needed for one column of the file; free memory, "
                "or read the file on a machine with more."
            ) from None

    def append(self, value: int) -> None:
        """One more value."""
        self.make_room(self.size + 1)
        self.values[self.size] = value
        self.size += 1

    def widen(self, dtype: npt.DTypeLike) -> None:
        """Go on with another dtype."""
        wider = np.empty(self.values.size, dtype=dtype)
        wider[: self.size] = self.values[: self.size]
        self.values = wider

    def finished(self) -> Array:
        """The valid values; the rest is given back."""
        self.values.resize(self.size, refcheck=False)
        return self.values


class IdColumns:
    """Ids as they are read: int32, int64 from the first id that needs it on, then uint64 where no id is negative.

    Parameters
    ----------
    ranges
        The smallest and largest id that each column may hold, as it stands in the file; None is any integer.
    base
        What is subtracted from every id.
    """

    def __init__(self, ranges: Sequence[Range | None], base: int = 0) -> None:
        self.ranges = tuple(ranges)
        self.base = base
        self._width = 0
        self._columns = [GrowingArray(_WIDTHS[0]) for _ in ranges]

    def limits(self) -> list[tuple[int, int, int]]:
        """What each column takes now: largest magnitude below 0, smallest and largest other value, as in the file."""
        info = np.iinfo(_WIDTHS[self._width])
        limits = []
        for given in self.ranges:
            low, high = int(info.min) + self.base, int(info.max) + self.base
            low, high = (low, high) if given is None else (max(low, given[0]), min(high, given[1]))
            low, high = min(low, _LARGEST), min(high, _LARGEST)
            limits.append((max(0, -low), max(0, low), high) if high >= 0 else (0, 1, 0))
        return limits

    def make_room(self, needed: int, likely: int) -> list[Array]:
        """For each column, the memory of the rows up to ``needed`` that are not there yet."""
        for column in self._columns:
            column.make_room(needed, likely)
        views = [column.values[column.size : needed] for column in self._columns]
        return [view.view(np.int64) if view.dtype == np.uint64 else view for view in views]

    def adapt(self, value: int) -> bool:
        """Widen the columns so that they hold ``value``; False where nothing does."""
        limits = [np.iinfo(dtype) for dtype in _WIDTHS]
        wider = range(self._width + 1, len(_WIDTHS))
        width = next((one for one in wider if limits[one].min <= value - self.base <= limits[one].max), None)
        if width is None:
            return False
        if _WIDTHS[width].kind == "u" and any((c.values[: c.size] < 0).any() for c in self._columns):
            return False
        for column in self._columns:
            column.widen(_WIDTHS[width])
        self._width = width
        return True

    def settle(self, count: int) -> None:
        """Take over ``count`` rows that were written behind the last."""
        for column in self._columns:
            column.size += count

    def finished(self) -> tuple[Array, ...]:
        """All columns."""
        return tuple(column.finished() for column in self._columns)


class NumberColumn:
    """Numbers as they are read.

    Without a requested dtype, integers are int64, or uint64 if needed. From the first fraction on, numbers are float64.
    Integers of up to 64 bits are never rounded: in a column with fractions, one that a double cannot hold is an error.
    A requested float dtype rounds numbers. Other dtypes must hold them exactly (``3.0`` is an integer, ``3.5`` is not).
    Decimals become float32 by way of float64.
    """

    def __init__(self, requested: npt.DTypeLike | None = None) -> None:
        self.requested = None if requested is None else weight_dtype("weight_dtype", requested)
        self.mode, self.limits = _rules(self.requested)
        self._whole = GrowingArray(self.requested or np.int64)
        # A narrower dtype is filled block by block through a buffer of 64-bit numbers.
        self._direct = self._whole.values.itemsize == 8
        self.block: Array = np.empty(0, dtype=np.uint64)

    def make_room(self, needed: int, likely: int) -> Array:
        """``block``: the memory of the numbers of the rows up to ``needed`` that are not there yet."""
        first = self._whole.size
        if self._direct:
            self.block = self.block[:0]  # a view of memory that is about to move
            self._whole.make_room(needed, likely)
            self.block = self._whole.values[first:needed].view(np.uint64)
        elif self.block.size < needed - first:
            self.block = np.empty(needed - first, dtype=np.uint64)
        return self.block

    def adapt(self, status: int, field: bytes) -> bool:
        """Change to a dtype that holds ``field`` as well; False where there is none."""
        if self.requested is not None or status not in (FRACTION, NUMBER_OUT_OF_RANGE):
            return False
        so_far = self._whole.values[: self._whole.size]
        positive = not field.startswith(b"-") and not (so_far < 0).any()
        if status == NUMBER_OUT_OF_RANGE and self.limits == INT64_LIMITS and positive:
            self.limits = UINT64_LIMITS
            self._whole.widen(np.uint64)
            return True
        if not _exact_as_doubles(so_far):
            return False
        self.mode = DOUBLES
        self._whole.widen(np.float64)
        return True

    def settle(self, count: int, hard: int, data: Bytes) -> int | None:
        """Take over ``count`` numbers of the block. Returns the index of one that does not fit its dtype, or None."""
        if hard:
            self._resolve(count, data)
        if not self._direct:
            numbers = self.block[:count]
            kind = self._whole.values.dtype.kind
            typed: Array = numbers.view(np.float64 if kind == "f" else np.uint64 if kind == "u" else np.int64)
            if kind == "f" and (lost := _overflowing(typed)).size:
                return int(lost[0])
            self._whole.make_room(self._whole.size + count)
            self._whole.values[self._whole.size : self._whole.size + count] = typed
        self._whole.size += count
        return None

    def finished(self) -> Array:
        """All numbers."""
        self.block = self.block[:0]
        return self._whole.finished()

    def _resolve(self, count: int, data: Bytes) -> None:
        """Let Python round the few numbers that the kernels could not."""
        numbers = self.block[:count]
        for index in np.flatnonzero(numbers & ~HARD_PLACE == HARD_BITS):
            text = _NUMBER.match(memoryview(data), int(numbers[index] & HARD_PLACE))  # type: ignore[arg-type]
            assert text is not None
            numbers[index] = np.float64(float(bytes(text[0]))).view(np.uint64)


def _rules(dtype: np.dtype[Any] | None) -> tuple[int, tuple[int, int, int]]:
    """How the kernels are to read numbers of a dtype: mode, and largest negative magnitude, smallest, largest value."""
    if dtype is None:
        return INTEGERS, INT64_LIMITS
    if dtype.kind == "f":
        return ROUNDED, INT64_LIMITS
    if dtype.kind == "b":
        return INTEGRAL, (0, 0, 1)
    info = np.iinfo(dtype)
    return INTEGRAL, (-int(info.min), 0, int(info.max))


def _exact_as_doubles(integers: Array) -> bool:
    if integers.dtype.kind == "f" or not integers.size:
        return True
    limit = 1 << 53
    large = integers[(integers > limit) | ((integers < -limit) if integers.dtype.kind == "i" else False)]
    return all(int(float(value)) == value for value in large.tolist())


def _overflowing(numbers: Array) -> npt.NDArray[np.int64]:
    """Indices of the finite numbers that float32 cannot hold."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.flatnonzero(np.isinf(numbers.astype(np.float32)) & ~np.isinf(numbers))


class NameColumns:
    """Names as they are read; those of a row follow one another.

    The names of every block are numbered at once, in the order in which they first occur. So memory holds codes and
    distinct names, never all the text. A short text is left to Arrow's dictionaries, which need no compiled code.
    """

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self.entries_per_row = 2 * columns  # of ``spans``
        self._blocks: list[pa.Array[Any]] = []
        self._codes: list[Array] = []
        self._table: StringTable | None = None
        self.spans: OffsetArray = np.empty(0, dtype=np.int64)

    def make_room(self, rows: int) -> OffsetArray:
        """``spans`` for the rows of a block: start and length of every name."""
        if self.spans.size < rows * self.entries_per_row:
            self.spans = np.empty(rows * self.entries_per_row, dtype=np.int64)
        return self.spans

    def settle(self, rows: int, data: Bytes) -> int | None:
        """Take over the names of a block. Returns where in it a name that is not valid UTF-8 starts, or None."""
        count = rows * self._columns
        spans = self.spans[: 2 * count]
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(spans[1::2])])
        text = np.empty(int(offsets[-1]), dtype=np.uint8)
        threads.in_pieces(kernels_parse.copy_names, count, data, spans, offsets, text)
        buffers = [None, pa.py_buffer(memoryview(offsets)), pa.py_buffer(memoryview(text))]  # type: ignore[arg-type]
        strings = pa.Array.from_buffers(pa.large_string(), count, buffers)
        try:
            strings.validate(full=True)
        except pa.ArrowInvalid:
            names = zip(spans[::2].tolist(), pairwise(offsets.tolist()), strict=True)
            start = next((start for start, part in names if not is_utf8(text[slice(*part)].tobytes())), 0)
            return start if start >= 0 else ~start
        if self._table is None and not self._blocks and count >= MANY:
            self._table = StringTable()
        if self._table is None:
            self._blocks.append(strings.dictionary_encode())
        else:
            self._codes.append(self._table.number(strings))
        return None

    def finished(self) -> tuple[tuple[Array, ...], pa.Array[Any]]:
        """The codes of each column, and the names they stand for."""
        if self._table is not None:
            return self._split(self._codes), self._table.strings()
        if not self._blocks:
            return (np.empty(0, dtype=np.int32),) * self._columns, pa.array([], pa.large_string())
        together = pa.chunked_array(self._blocks).unify_dictionaries()
        self._blocks.clear()
        codes = [block.indices.to_numpy() for block in together.chunks]  # type: ignore[attr-defined]
        return self._split(codes), together.chunk(0).dictionary  # type: ignore[attr-defined]

    def _split(self, codes: list[Array]) -> tuple[Array, ...]:
        """The codes of each column, which follow one another in the rows of every block."""
        return tuple(np.concatenate([code[i :: self._columns] for code in codes]) for i in range(self._columns))
