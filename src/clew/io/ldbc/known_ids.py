"""Ids looked up in a list of those that exist."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.dtypes import Array, OffsetArray, id_dtype

SPREAD = 8  # a table may have so many slots for each id: that is still less memory than the edges take


class KnownIds:
    """Distinct ids in ascending order, none of them negative; looking one up gives its place among them."""

    def __init__(self, ids: OffsetArray) -> None:
        self.ids = ids
        self._first = int(ids[0]) if ids.size else 0
        self._span = int(ids[-1]) - self._first + 1 if ids.size else 0
        self._places: Array | None = None
        if ids.size < self._span <= SPREAD * ids.size:
            self._places = np.full(self._span, -1, dtype=id_dtype(ids.size))
            self._places[ids - self._first] = np.arange(ids.size)

    def places_of(self, wanted: Array) -> tuple[Array, int | None]:
        """The place of every one of ``wanted``, and the index of the first that does not exist, or None."""
        places = np.empty(wanted.size, dtype=id_dtype(self.ids.size))
        parts = threads.pieces(wanted.size)
        unknown = threads.each(self._look_up, parts, parts, wanted, places)
        return places, next((index for index in unknown if index is not None), None)

    def _look_up(self, part: int, parts: int, wanted: Array, places: Array) -> int | None:
        start, stop = part * wanted.size // parts, (part + 1) * wanted.size // parts
        mine, found = wanted[start:stop].astype(np.int64, copy=False), places[start:stop]
        if not self.ids.size:
            return start if mine.size else None
        known = (mine >= self._first) & (mine <= self.ids[-1])
        slots = np.where(known, mine - self._first, 0)
        if self._span == self.ids.size:  # no gaps between them
            found[:] = slots
        elif self._places is not None:
            found[:] = self._places[slots]
            known &= found >= 0
        else:
            found[:] = np.minimum(np.searchsorted(self.ids, mine), self.ids.size - 1)
            known &= self.ids[found] == mine
        return None if known.all() else start + int(known.argmin())
