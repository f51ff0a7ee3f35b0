"""Small texts that behave like large ones, and what comes out of them."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator

from hypothesis import strategies as st

from clew.io.source import Block, Source

#: What may stand between the columns of a line.
gaps = st.sampled_from([b" ", b"\t", b"  ", b" \t "])


class SmallBlocks(Source):
    """A source whose blocks hold a few lines only, so that little text shows what much text does."""

    def blocks(self, size: int = 0, start: int = 0) -> Iterator[Block]:  # type: ignore[override]
        return super().blocks(24, start)


def same(found: float, expected: float) -> bool:
    """Whether two floats are the same, the sign of 0 included."""
    return struct.pack("d", found) == struct.pack("d", expected) or (math.isnan(found) and math.isnan(expected))
