"""A shortest path between two vertices, searched from both of its ends: memory for the kernels, and the path."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clew.dtypes import Array, as_bits


class Rows(NamedTuple):
    """Neighbours in a given order, with or without weights."""

    indptr: Array
    indices: Array
    weights: Array | None = None


def fewest_edges(out: Rows, into: Rows, source: int, target: int) -> list[int]:
    """The vertices of a path with as few edges as possible; empty where there is none."""
    from clew.nx import kernels_two_ends as kernels

    if source == target:
        return [source]
    before = np.full((2, out.indptr.size - 1), -2, dtype=np.int64)
    return _path(before, int(kernels.fewest_edges(_bits(out, into), source, target, before)))


def least_weight(out: Rows, into: Rows, source: int, target: int) -> tuple[Any, list[int]]:
    """The least sum of weights of 0 or more, and the vertices of that path; none where there is no path."""
    from clew.nx import kernels_two_ends as kernels

    before = np.full((2, out.indptr.size - 1), -2, dtype=np.int64)
    weights: Any = None
    kind: Any = np.int64
    if out.weights is not None:
        kind = np.float64 if out.weights.dtype.kind == "f" else np.int64
        weights = (np.asarray(out.weights, dtype=kind), np.asarray(into.weights, dtype=kind))
    seen = np.zeros(before.shape, dtype=kind)
    meet, length = kernels.least_weight(_bits(out, into), weights, source, target, before, seen)
    return length, _path(before, int(meet))


def _bits(out: Rows, into: Rows) -> Any:
    return ((as_bits(out.indptr), as_bits(out.indices)), (as_bits(into.indptr), as_bits(into.indices)))


def _path(before: Array, meet: int) -> list[int]:
    way: list[int] = []
    vertex = meet
    while vertex >= 0:
        way.append(vertex)
        vertex = int(before[0, vertex])
    way.reverse()
    vertex = int(before[1, meet]) if meet >= 0 else -1
    while vertex >= 0:
        way.append(vertex)
        vertex = int(before[1, vertex])
    return way
