"""Columns as bytes: numbers in decimal, floats as the shortest text that reads back the same, strings as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clew.dtypes import Array, OffsetArray
from clew.io.source import Bytes

if TYPE_CHECKING:
    import pyarrow as pa


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
        import pyarrow as pa

        names = self.names.take(_arrow(self.ids))
        return np.asarray(names.to_numpy()) if pa.types.is_integer(names.type) else names


Column = Array | Labels


class Formatted:
    """One column, or a part of it, ready to be measured and written."""

    def __init__(self, column: Column, base: int, after: int) -> None:
        self._after = after
        self._values: OffsetArray | None = None
        self._unsigned = self._doubles = False
        values = column.taken() if isinstance(column, Labels) else column
        if not isinstance(values, np.ndarray):
            self._offsets, self._text = _strings(values)
        elif values.dtype.kind == "f":
            self._doubles = True
            self._offsets, self._text = _strings(_arrow(values))
        else:
            self._unsigned = values.dtype == np.uint64
            # All integers go to one kernel; those of uint64 keep their bits, and it knows.
            self._values = values.view(np.int64) if self._unsigned else values.astype(np.int64, copy=False)
            if base:
                self._values = self._values + base

    def measure(self, widths: OffsetArray) -> None:
        """Add the width of every value, and 1 for the byte that follows it."""
        from clew.io.text import kernels_format as kernels

        widths += 1
        if self._values is not None:
            kernels.measure_integers(self._values, self._unsigned, widths)
        else:
            kernels.measure_texts(self._offsets, self._text, self._doubles, widths)

    def put(self, places: OffsetArray, out: Bytes) -> None:
        """Write every value and what follows it; ``places`` move on."""
        from clew.io.text import kernels_format as kernels

        if self._values is not None:
            kernels.put_integers(self._values, self._unsigned, self._after, places, out)
        else:
            kernels.put_texts(self._offsets, self._text, self._doubles, self._after, places, out)


def formatted(columns: Sequence[Column], rows: slice, bases: Sequence[int], afters: Sequence[int]) -> list[Formatted]:
    """Some rows of several columns."""
    return [Formatted(column[rows], base, after) for column, base, after in zip(columns, bases, afters, strict=True)]


def _arrow(values: Array) -> pa.Array[Any]:
    import pyarrow as pa

    array: pa.Array[Any] = pa.array(np.ascontiguousarray(values))
    return array


def _strings(values: pa.Array[Any]) -> tuple[OffsetArray, Bytes]:
    """Strings, or numbers as strings: where each one ends, and the bytes of all."""
    import pyarrow as pa

    strings = values.cast(pa.large_string())
    _, offsets, text = strings.buffers()
    if offsets is None:
        return np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.uint8)
    ends = np.frombuffer(memoryview(offsets), dtype=np.int64)[strings.offset : strings.offset + len(strings) + 1]
    return ends, np.empty(0, dtype=np.uint8) if text is None else np.frombuffer(memoryview(text), dtype=np.uint8)
