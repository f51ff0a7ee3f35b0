"""The one or two id columns of a table: 32 bits wide for as long as that is enough."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.dtypes import Array
from clew.io.text.growing import GrowingArray

Range = tuple[int, int]

_WIDTHS = (np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint64))
_LARGEST = (1 << 64) - 1


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

    @property
    def size(self) -> int:
        """The number of rows that are there."""
        return self._columns[0].size if self._columns else 0

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
        wanted = self._width + 1
        while wanted < len(_WIDTHS) and not _holds(_WIDTHS[wanted], value - self.base):
            wanted += 1
        if wanted == len(_WIDTHS):
            return False
        if _WIDTHS[wanted].kind == "u" and any((c.values[: c.size] < 0).any() for c in self._columns):
            return False
        for column in self._columns:
            column.widen(_WIDTHS[wanted])
        self._width = wanted
        return True

    def settle(self, count: int) -> None:
        """Take over ``count`` rows that were written behind the last."""
        for column in self._columns:
            column.size += count

    def finished(self) -> tuple[Array, ...]:
        """All columns."""
        return tuple(column.finished() for column in self._columns)


def _holds(dtype: np.dtype[np.signedinteger | np.unsignedinteger], value: int) -> bool:
    return int(np.iinfo(dtype).min) <= value <= int(np.iinfo(dtype).max)
