"""Checks of arguments: each returns a usable value, or raises an error that names the argument."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Iterator, KeysView, Mapping, Sequence, Set, ValuesView
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.counts import counted
from clew.errors import GraphError


def kind_of(value: Any) -> str:
    """The type of a value with its package, for messages."""
    kind = value if isinstance(value, type) else type(value)
    package = kind.__module__.partition(".")[0]
    name = kind.__name__ if package == "builtins" else f"{package}.{kind.__name__}"
    return f"the class {name}" if isinstance(value, type) else name


def whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """``value`` as an integer in low…high."""
    try:
        number = operator.index(value)
    except TypeError:
        raise GraphError(f"{name} is {value!r}; expected an integer.") from None
    if number < low or (high is not None and number > high):
        expected = f"{low:,} or more" if high is None else f"{low:,} to {high:,}"
        raise GraphError(f"{name} is {number:,}; expected {expected}.")
    return number


def real(name: str, value: Any) -> float:
    """``value`` as a finite float."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise GraphError(f"{name} is {value!r}; expected a number.") from None
    if not math.isfinite(number):
        raise GraphError(f"{name} is {number}; expected a finite number.")
    return number


def flag(name: str, value: Any) -> bool:
    """``value`` as a bool; rejects strings, since "no" would be true."""
    if not isinstance(value, (bool, np.bool_)):
        raise GraphError(f"{name} is {value!r}; expected True or False.")
    return bool(value)


def text(name: str, value: Any) -> str:
    """``value``, which must be a string."""
    if not isinstance(value, str):
        raise GraphError(f"{name} is {value!r}; expected a string.")
    return value


def one_of(name: str, value: Any, choices: Sequence[str]) -> str:
    """``value``, which must be one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
        *others, last = map(repr, choices)
        raise GraphError(f"{name} is {value!r}; expected {', '.join(others)} or {last}.")
    return value


def path(value: Any) -> Path:
    """``value`` as the path of a file to write."""
    if not isinstance(value, (str, os.PathLike)):
        raise GraphError(f"the path is {kind_of(value)}; expected the name of a file, as a string or a pathlib.Path.")
    return Path(value)


def array(name: str, value: Any) -> npt.NDArray[Any]:
    """``value`` as an array; rejects ragged lists, sets and masked values."""
    if isinstance(value, (Iterator, KeysView, ValuesView)):
        value = list(value)
    if isinstance(value, (Set, Mapping)):
        raise GraphError(f"{name} is {kind_of(value)}, whose values have no order; expected a list or an array.")
    if isinstance(value, np.ma.MaskedArray) and (count := int(np.ma.getmaskarray(value).sum())):
        raise GraphError(
            f"{name} is a masked array with {counted(count, 'masked value')}; expected a value everywhere. Remove the "
            "masked rows from all columns, or fill them with values.filled(…)."
        )
    try:
        return np.asarray(value)
    except ValueError:
        raise GraphError(f"{name} is a list whose rows differ in length; expected rows of equal length.") from None
