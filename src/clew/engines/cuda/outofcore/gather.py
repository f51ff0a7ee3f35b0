"""Compaction on the host: the active rows of a chunk, one after the other, in a pinned buffer."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.dtypes import Array, as_bits

GRAIN = 1 << 10  # rows a piece at least
PIECES = 8  # to a thread: some rows are long


def gather(rows: Array, low: int, high: int, before: int, source: Array, target: Array) -> None:
    """Copy the entries ``low``…``high - 1`` that listed rows have; ``before`` listed ones come before them."""
    from clew.engines.cuda.outofcore import kernels_gather as kernels

    pieces = max(1, min(PIECES * threads.count(), rows.size // GRAIN))
    bounds = np.linspace(0, rows.size, pieces + 1).astype(np.uint64)
    ends = (np.uint64(low), np.uint64(high), np.uint64(before))
    # Bits are all that is copied: fewer kernels to compile.
    given = (rows["first"], rows["end"], rows["rank"], *ends, as_bits(source), as_bits(target))
    threads.each(kernels.gather, pieces, bounds, *given)
