"""Checks of arguments: each returns a usable value, or raises an error that names the argument.

Counts with their nouns: "1 vertex", "2 vertices", "1,000 edges".
"""

from __future__ import annotations

import math
import operator
import os
import re
import reprlib
from collections.abc import Iterator, KeysView, Mapping, Sequence, Set, ValuesView
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.errors import GraphError

#: Bytes by unit, in lower case: KiB, MiB and so on are powers of 1024, KB, MB and so on powers of 1000.
UNITS = {"": 1, "b": 1}
UNITS |= {f"{letter}{end}": 1024**power for power, letter in enumerate("kmgtp", 1) for end in ("ib", "i")}
UNITS |= {f"{letter}{end}": 1000**power for power, letter in enumerate("kmgtp", 1) for end in ("b", "")}
AMOUNT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([A-Za-z]*)\s*", re.ASCII)
PLURALS = {"vertex": "vertices", "entry": "entries"}


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
        raise GraphError(f"{name} is {reprlib.repr(value)}; expected a string.")
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


def parse_bytes(amount: int | str) -> int:
    """Parse an amount of memory: KiB, MiB, GiB, TiB and PiB are powers of 1024, KB, MB and so on powers of 1000.

    >>> parse_bytes("8GiB"), parse_bytes("1.5 kB"), parse_bytes(4096)
    (8589934592, 1500, 4096)
    """
    if isinstance(amount, (int, np.integer)) and not isinstance(amount, bool) and amount >= 0:
        return int(amount)
    match = AMOUNT.fullmatch(amount) if isinstance(amount, str) else None
    size = UNITS.get(match[2].lower()) if match else None
    if match is None or size is None:
        raise GraphError(f"{amount!r} is not an amount of memory; expected a number of bytes or a text such as '8GiB'.")
    return int(match[1]) * size if match[1].isdecimal() else int(float(match[1]) * size)


def smallest_budget(*amounts: int | str | None) -> int:
    """The smallest of some amounts of memory, in bytes; None means no limit, and at least one must be a limit."""
    return min(parse_bytes(amount) for amount in amounts if amount is not None)


def counted(count: int, what: str, plural: str = "") -> str:
    """A count and its noun, given in the singular; ``plural`` is needed for irregular plurals."""
    return f"{count:,} {what if count == 1 else plural or PLURALS.get(what, what + 's')}"


def check_in_one_process(graph: Any) -> None:
    """Reject a graph on a cluster, ``clew.distributed.graph.ClusterGraph``, and say how to get it here."""
    if hasattr(graph, "run_algorithm"):
        raise GraphError(
            "this needs a graph in one process, and this one is on a cluster.",
            remedy="Pass graph.gather(), if this process has the memory for the whole graph.",
        )
