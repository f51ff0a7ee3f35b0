"""Weights in few types, since kernels are compiled anew for each, and their extent, looked for once."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from clew.dtypes import Array


def in_few_types(weights: Array) -> Array:
    """The same numbers: bool and narrow integers copied to int32, all others as they are; read-only in any case."""
    if weights.itemsize >= 4:
        return weights
    few = weights.astype(np.int32)
    few.flags.writeable = False  # to Numba, an array that may be written to is another type
    return few


def summands(weights: Array) -> Array:
    """The same for weights that are added to int64: uint64, which would make floats of the sums, becomes int64."""
    few = in_few_types(weights)
    return few.view(np.int64) if few.dtype == np.uint64 else few


def sums_of(weights: Array) -> tuple[np.generic, np.generic]:
    """0 and the value of an unreached vertex, both of the dtype of sums of such weights."""
    if weights.dtype.kind == "f":
        return weights.dtype.type(0), weights.dtype.type(np.inf)
    return np.int64(0), np.int64(np.iinfo(np.int64).max)


def extent(weights: Array) -> tuple[Any, Any]:
    """The smallest and the largest weight; of a graph's own, which never change, the same without looking again."""
    key = id(weights)
    known = _extents.get(key)
    if known is not None and known[0]() is weights:
        return known[1]
    ends = weights.min(), weights.max()
    if not weights.flags.writeable:
        _extents[key] = weakref.ref(weights, lambda _: _extents.pop(key, None)), ends
    return ends


_extents: dict[int, tuple[weakref.ref[Array], tuple[Any, Any]]] = {}
