"""Compaction on the host: the active rows of a chunk, one after the other, in a pinned buffer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clew import threads
from clew.dtypes import Array, as_bits

GRAIN = 1 << 14  # edges a piece at least


class Gathered(NamedTuple):
    """Rows to be copied: where each begins, how long it is, and where it goes."""

    first: Array
    length: Array
    place: Array

    @property
    def edges(self) -> int:
        """Of all rows together."""
        return int(self.place[-1] + self.length[-1]) if self.place.size else 0


def clipped(rows: Array, low: int, high: int, before: int) -> Gathered:
    """The parts of listed rows that are edges ``low``…``high - 1``, of which ``before`` listed ones come before."""
    first = np.maximum(rows["first"].astype(np.int64), low)
    end = np.minimum(rows["end"].astype(np.int64), high)
    place = np.maximum(rows["rank"].astype(np.int64), before) - before
    return Gathered(as_bits(first), as_bits(end - first), as_bits(place))


def gather(wanted: Gathered, source: Array, target: Array) -> None:
    """Copy the rows' entries of one array."""
    from clew.engines.cuda.outofcore import kernels_gather as kernels

    pieces = threads.pieces(wanted.edges, GRAIN)
    shares = np.linspace(0, wanted.edges, pieces + 1).astype(np.uint64)
    bounds = np.searchsorted(wanted.place, shares).astype(np.int64)
    bounds[-1] = wanted.place.size
    # Bits are all that is copied: fewer kernels to compile.
    threads.each(kernels.gather, pieces, as_bits(bounds), *wanted, as_bits(source), as_bits(target))
