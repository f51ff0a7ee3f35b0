"""Integers among other numbers: which of the values of a file are no integers of a range.

A stream of tokens that may hold fractional weights is read as floats where it does, and its ids with them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.io.options import ReadOptions, weight_dtype


def first_misfit(values: Array, low: int, high: int) -> int | None:
    """The index of the first value that is no integer from ``low`` to ``high``, or None."""
    if not values.size or (_whole(values) and low <= values.min() and values.max() <= high):
        return None
    fits = (values >= low) & (values <= high)
    if values.dtype.kind == "f":
        fits &= values == np.floor(values)
    return int(fits.argmin())


def shown_number(value: np.generic) -> str:
    """A number as an error shows it: one that is an integer without a point."""
    number = value.item()
    return str(int(number)) if isinstance(number, float) and number.is_integer() else str(number)


def token_dtype(options: ReadOptions) -> npt.DTypeLike | None:
    """The dtype of tokens of which only some are weights.

    Where the caller wants weights as floats, all tokens may be rounded to doubles: ids and offsets stay below 2^53.
    Other dtypes are applied to the weights alone.
    """
    if options.weight_dtype is None:
        return None
    return np.float64 if weight_dtype(options.weight_dtype).kind == "f" else None


def _whole(values: Array) -> bool:
    return values.dtype.kind != "f" or bool((values == np.floor(values)).all())
