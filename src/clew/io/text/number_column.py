"""The column of numbers of a table: integers for as long as all of them are, doubles from the first fraction on."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.io.options import weight_dtype
from clew.io.source import Bytes
from clew.io.text.growing import GrowingArray
from clew.io.text.status import DOUBLES, FRACTION, INTEGERS, INTEGRAL, NUMBER_OUT_OF_RANGE, ROUNDED

INT64_LIMITS = (1 << 63, 0, (1 << 63) - 1)
UINT64_LIMITS = (0, 0, (1 << 64) - 1)
_NUMBER = re.compile(rb"[-+.0-9eE]+")


class NumberColumn:
    """Numbers as they are read.

    Without a requested dtype, numbers are int64, or uint64 where they need it, while all of them are integers; from the
    first other number on they are float64. An integer of up to 64 bits is never rounded on the way: one that a double
    cannot hold, in a column that has fractions too, is refused. With a requested dtype, numbers are rounded to it if it
    is a float, and must fit exactly if it is not (``3.0`` is an integer, ``3.5`` is not). Decimals become float32 by
    way of float64.
    """

    def __init__(self, requested: npt.DTypeLike | None = None) -> None:
        self.requested = None if requested is None else weight_dtype(requested)
        self.mode, self.limits = _rules(self.requested)
        self._whole = GrowingArray(self.requested or np.int64)
        # A narrower dtype is filled block by block through a buffer of 64-bit numbers.
        self._direct = self._whole.values.itemsize == 8
        self.block: Array = np.empty(0, dtype=np.uint64)

    def make_room(self, needed: int, likely: int) -> None:
        """Prepare ``block``, the numbers of the rows up to ``needed`` that are not there yet."""
        first = self._whole.size
        if self._direct:
            self.block = self.block[:0]  # a view of memory that is about to move
            self._whole.make_room(needed, likely)
            self.block = self._whole.values[first:needed].view(np.uint64)
        elif self.block.size < needed - first:
            self.block = np.empty(needed - first, dtype=np.uint64)

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
        from clew.io.text.kernels_doubles import HARD_BITS, HARD_PLACE

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
    large = (
        integers[(integers > limit) | (integers < -limit)] if integers.dtype.kind == "i" else integers[integers > limit]
    )
    return all(int(float(value)) == value for value in large.tolist())


def _overflowing(numbers: Array) -> npt.NDArray[np.int64]:
    """Indices of the finite numbers that float32 cannot hold."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.flatnonzero(np.isinf(numbers.astype(np.float32)) & ~np.isinf(numbers))
