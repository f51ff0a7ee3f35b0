"""What the values of a result mean: which of them are distances, which groups, and which are no answers at all."""

from __future__ import annotations

import numpy as np

from clew.dtypes import Array
from clew.result import Result

HOPS = ("depth", "distance")  # how far vertices are from somewhere
WORDS = {"label": "group", "color": "colour", "member": "member", "left": "side", "parent": "parent", "mate": "mate"}
LONGEST_LABEL = 24
GROUPS = tuple(WORDS)  # vertices with the same value belong together


def answered(name: str | None, column: Array, result: Result | None = None) -> Array:
    """Where the numbers are results and not markers such as "unreached".

    A result knows which of its vertices were reached; of other numbers, only the usual marks are known.
    """
    known = _finite(name, column)
    return known if result is None or result.unreached is None else known & result.numpy().reached.reshape(known.shape)


def _finite(name: str | None, column: Array) -> Array:
    if column.dtype.kind == "f":
        return np.isfinite(column)
    if column.dtype.kind not in "iu":
        return np.ones(column.shape, dtype=bool)
    limits = np.iinfo(column.dtype)
    known = column < limits.max
    if limits.min:
        known &= column > limits.min
    if name in ("depth", "parent", "mate", "label"):
        known &= column >= 0
    return known


def labels_of(result: Result | None, name: str, values: Array) -> list[str]:
    """What a user calls the groups: vertices by name, truth in words."""
    if values.dtype.kind == "b":
        return ["yes" if value else "no" for value in values]
    if result is not None and name in result._vertices and values.dtype.kind in "iu":
        return [str(vertex) for vertex in result._named(values)]
    return [str(value) for value in values.tolist()]


def short(label: str) -> str:
    """A label that leaves room for what it labels."""
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"
