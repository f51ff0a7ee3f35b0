"""The one or two id columns of a table whose ids are names: codes for the rows, and each name once.

Every block becomes an Arrow array of strings that is dictionary-encoded at once, so that memory holds codes and
distinct names, never all the text. At the end the dictionaries of the blocks become one, in the order in which names
first occur.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clew import threads
from clew.dtypes import Array, OffsetArray
from clew.io.source import Bytes

if TYPE_CHECKING:
    import pyarrow as pa


class NameColumns:
    """Names as they are read; those of a row follow one another."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._blocks: list[pa.Array[Any]] = []
        self.spans: OffsetArray = np.empty(0, dtype=np.int64)

    def make_room(self, rows: int) -> None:
        """Prepare ``spans`` for the rows of a block: start and length of every name."""
        entries = 2 * self._columns * rows
        if self.spans.size < entries:
            self.spans = np.empty(entries, dtype=np.int64)

    @property
    def entries_per_row(self) -> int:
        """How many entries of ``spans`` a row has."""
        return 2 * self._columns

    def settle(self, rows: int, data: Bytes) -> int | None:
        """Take over the names of a block. Returns where in it a name that is not valid UTF-8 starts, or None."""
        import pyarrow as pa

        from clew.io.text import kernels_tables

        count = rows * self._columns
        spans = self.spans[: 2 * count]
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(spans[1::2])])
        text = np.empty(int(offsets[-1]), dtype=np.uint8)
        pieces = threads.pieces(count)
        threads.each(kernels_tables.copy_names, pieces, pieces, data, spans, offsets, text)
        buffers = [None, pa.py_buffer(memoryview(offsets)), pa.py_buffer(memoryview(text))]  # type: ignore[arg-type]
        strings = pa.Array.from_buffers(pa.large_string(), count, buffers)
        try:
            strings.validate(full=True)
        except pa.ArrowInvalid:
            return _invalid(spans[::2], offsets, text)
        self._blocks.append(strings.dictionary_encode())
        return None

    def finished(self) -> tuple[tuple[Array, ...], pa.Array[Any]]:
        """The codes of each column, and the names they stand for."""
        import pyarrow as pa

        if not self._blocks:
            return (np.empty(0, dtype=np.int32),) * self._columns, pa.array([], pa.large_string())
        together = pa.chunked_array(self._blocks).unify_dictionaries()
        self._blocks.clear()
        codes = [block.indices.to_numpy() for block in together.chunks]  # type: ignore[attr-defined]
        columns = tuple(np.concatenate([code[i :: self._columns] for code in codes]) for i in range(self._columns))
        return columns, together.chunk(0).dictionary  # type: ignore[attr-defined]


def _invalid(starts: Array, offsets: OffsetArray, text: Bytes) -> int:
    """Where the first name that is not valid UTF-8 stands."""
    for index, start in enumerate(starts):
        try:
            text[offsets[index] : offsets[index + 1]].tobytes().decode()
        except UnicodeDecodeError:
            return int(start if start >= 0 else ~start)
    return 0
