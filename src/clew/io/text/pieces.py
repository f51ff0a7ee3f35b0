"""A block of text cut into pieces at line ends, one kernel call each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew import threads
from clew.dtypes import Array, OffsetArray
from clew.io.source import Block, Bytes

PIECE_BYTES = 1 << 18  # below this, handing out a piece costs more than it saves


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of one block; piece ``i`` is ``data[cuts[i]:cuts[i + 1]]`` and has ``lines[i]`` lines."""

    data: Bytes
    offset: int
    cuts: OffsetArray
    lines: OffsetArray

    @classmethod
    def of(cls, block: Block) -> Pieces:
        """Cut a block."""
        from clew.io.text import kernels_tables

        data = block.data.view()
        data.flags.writeable = False  # like a memory map: kernels are compiled for one kind of array only
        count = threads.pieces(data.size, PIECE_BYTES)
        cuts = np.arange(count + 1, dtype=np.int64) * data.size // count
        kernels_tables.cut(data, cuts)
        lines = threads.each(kernels_tables.count_lines, count, data, cuts)
        return cls(data, block.offset, cuts, np.array(lines, dtype=np.int64))

    @property
    def count(self) -> int:
        """How many there are."""
        return self.lines.size

    def likely(self, count: int, total: int | None) -> int:
        """How many values the rest of a text of ``total`` bytes holds, if this block holds ``count``."""
        return 0 if total is None else int(count * max(1.0, 1.02 * (total - self.offset) / self.data.size))

    @staticmethod
    def places(bounds: OffsetArray) -> OffsetArray:
        """Where each piece's values go, if it has at most ``bounds[i]`` of them; the last entry is the end."""
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(bounds)])


def close_gaps(values: Array, places: OffsetArray, counts: OffsetArray) -> None:
    """Where pieces have fewer values than there was room for, move those of the next pieces up."""
    if values.size and not np.array_equal(np.diff(places), counts):
        from clew.io.text import kernels_tables

        kernels_tables.close_gaps(values, places, counts)
