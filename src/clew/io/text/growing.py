"""An array that grows in place: the system moves pages, not bytes, so that a second copy never exists."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.errors import ResourceError


class GrowingArray:
    """A one-dimensional array of which the first ``size`` values are valid.

    Kernels write behind them, up to ``values.size``; ``size`` is then moved on.
    """

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self.values: Array = np.empty(0, dtype=dtype)
        self.size = 0

    def make_room(self, needed: int, likely: int = 0) -> None:
        """Room for ``needed`` values; the first time for ``likely``: memory that is not written to costs nothing."""
        if self.values.size >= needed:
            return
        try:
            if self.size == 0:
                self.values = _reserved(needed, likely, self.values.dtype)
            else:
                self.values.resize(needed, refcheck=False)
        except MemoryError:
            raise ResourceError(
                f"{needed * self.values.itemsize:,} bytes are needed for one column of the file; free memory, "
                "or read the file on a machine with more."
            ) from None

    def append(self, value: int) -> None:
        """One more value."""
        self.make_room(self.size + 1)
        self.values[self.size] = value
        self.size += 1

    def widen(self, dtype: npt.DTypeLike) -> None:
        """Go on with another dtype."""
        wider = np.empty(self.values.size, dtype=dtype)
        wider[: self.size] = self.values[: self.size]
        self.values = wider

    def finished(self) -> Array:
        """The valid values; the rest is given back."""
        self.values.resize(self.size, refcheck=False)
        return self.values


def _reserved(needed: int, likely: int, dtype: np.dtype[Any]) -> Array:
    try:
        return np.empty(max(needed, likely), dtype=dtype)
    except MemoryError:
        return np.empty(needed, dtype=dtype)
