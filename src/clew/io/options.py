"""What a caller may ask of a reader or a writer, apart from the file itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from clew.checks import flag, one_of, text, whole
from clew.dtypes import WEIGHT_DTYPES
from clew.errors import GraphError

Duplicates = Literal["keep", "drop", "first", "min", "max", "sum"]
Loops = Literal["keep", "drop"]
Ids = Literal["auto", "keep", "map", "text"]

#: Called as ``progress(done_bytes, total_bytes_or_None)`` between blocks of work.
Progress = Callable[[int, int | None], None]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read. ``None`` always means "what the file says, else the format's custom".

    Parameters
    ----------
    directed
        Override what the format says about direction.
    duplicates, loops
        What becomes of duplicate edges and self-loops (see ``Graph.from_edges``).
    weights
        True: weights are required. False: weights in the file are ignored. None: read them where present.
    weight_dtype
        Store weights as this dtype; a value that does not fit is an error.
    ids
        Edge lists and tables only. "keep": an integer in the file is the vertex id. "map": whatever is in the file is a
        name, mapped to 0…n-1. "auto": keep where the integers are exactly 0…n-1, map otherwise. "text": every id is
        text, integers too. An id that is no plain integer, such as 007 or +5, makes all ids text anyway.
    delimiter, header
        Edge lists only: the separator and whether the first line names the columns; None detects both.
    source, target, weight
        Tables and edge lists: the columns, each by its name or by its position, counted from 1.
    max_expanded_bytes
        Stop decompressing after this many bytes; None is the larger of 1 GiB and 200 times the compressed size.
    check
        ``.clew`` only: verify checksums of the arrays. None verifies where that takes little time.
    progress
        Called between blocks.
    """

    directed: bool | None = None
    duplicates: Duplicates = "keep"
    loops: Loops = "keep"
    weights: bool | None = None
    weight_dtype: npt.DTypeLike | None = None
    ids: Ids = "auto"
    delimiter: str | None = None
    header: bool | None = None
    source: str | int | None = None
    target: str | int | None = None
    weight: str | int | None = None
    max_expanded_bytes: int | None = None
    check: bool | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        _check_where_given(self, flag, "directed", "weights", "header", "check")
        _check_where_given(self, text, "delimiter")
        _check_where_given(self, column, "source", "target", "weight")
        one_of("duplicates", self.duplicates, get_args(Duplicates))
        one_of("loops", self.loops, get_args(Loops))
        one_of("ids", self.ids, get_args(Ids))
        if self.weight_dtype is not None:
            weight_dtype(self.weight_dtype)
        if self.max_expanded_bytes is not None:
            whole("max_expanded_bytes", self.max_expanded_bytes, 0)
        _check_progress(self.progress)


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """How to write.

    Parameters
    ----------
    delimiter, header
        Edge lists only.
    progress
        Called between blocks.
    """

    delimiter: str | None = None
    header: bool | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        _check_where_given(self, text, "delimiter")
        _check_where_given(self, flag, "header")
        _check_progress(self.progress)


def weight_dtype(wanted: npt.DTypeLike) -> np.dtype[Any]:
    """The dtype that a caller asked for, checked."""
    try:
        dtype = np.dtype(wanted)
    except TypeError:
        dtype = np.dtype(object)
    if dtype not in WEIGHT_DTYPES:
        raise GraphError(f"weight_dtype is {wanted!r}; expected bool, an integer of 8 to 64 bits, float32 or float64.")
    return dtype


def column(name: str, value: Any) -> str | int:
    """A column as a caller names it, checked."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise GraphError(f"{name} is {value!r}; expected the name of a column, or its position counted from 1.")
    return int(value)


def _check_where_given(options: Any, check: Callable[[str, Any], Any], *names: str) -> None:
    for name in names:
        if (value := getattr(options, name)) is not None:
            object.__setattr__(options, name, check(name, value))  # what is frozen once it is made


def _check_progress(progress: Any) -> None:
    if progress is not None and not callable(progress):
        raise GraphError(f"progress is {progress!r}; expected a function that is called with (done, total).")
