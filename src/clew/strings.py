"""Distinct strings, numbered: a growing hash table over Arrow's offsets and bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa

#: From this many strings on, the table is faster than Arrow, which needs no compiled code to be loaded.
MANY = 1 << 17


class StringTable:
    """Strings numbered in the order in which they first occur; takes a fifth of the time of Arrow's dictionaries."""

    def __init__(self) -> None:
        self._slots = np.zeros(1 << 12, dtype=np.uint64)
        self._ends = np.zeros(1, dtype=np.uint64)  # string i is text[ends[i] : ends[i + 1]]
        self._text = np.empty(0, dtype=np.uint8)
        self._count = 0

    def number(self, strings: Any) -> npt.NDArray[np.int32]:
        """The numbers of the strings of an Arrow array of ``large_string`` without nulls."""
        from clew import kernels_strings as kernels

        size = len(strings)
        numbers, done = np.empty(size, dtype=np.int32), 0
        if not size:
            return numbers
        _, places, data = strings.buffers()
        offsets = np.frombuffer(places, np.uint64)[strings.offset : strings.offset + size + 1]
        read = np.frombuffer(b"" if data is None else data, np.uint8)
        # Room for the case that all of them are new; memory that is not written to is never taken from the system.
        self._ends = _with_room(self._ends, self._count + 1, size)
        self._text = _with_room(self._text, int(self._ends[self._count]), int(offsets[-1] - offsets[0]))
        while done < size:
            known = (self._count, self._ends, self._text)
            done, self._count = kernels.number_strings(offsets, read, done, self._slots, *known, numbers)
            if done < size:
                self._slots = np.zeros(4 * self._slots.size, dtype=np.uint64)
                kernels.enter(self._slots, self._count, self._ends, self._text)
        return numbers

    def strings(self) -> pa.Array[Any]:
        """The distinct strings."""
        import pyarrow as pa

        kept: Any = [self._ends[: self._count + 1].copy(), self._text[: int(self._ends[self._count])].copy()]
        return pa.Array.from_buffers(pa.large_string(), self._count, [None, *map(pa.py_buffer, kept)])


def _with_room(array: npt.NDArray[Any], used: int, more: int) -> npt.NDArray[Any]:
    """The array, or a longer one with the same ``used`` first values."""
    if array.size >= used + more:
        return array
    longer = np.empty(max(used + more, 2 * array.size), dtype=array.dtype)
    longer[:used] = array[:used]
    return longer
