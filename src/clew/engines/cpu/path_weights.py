"""Weights in few types, since kernels are compiled anew for each, and facts about them, looked for once."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from clew.dtypes import Array

SAMPLE = 1 << 14  # weights looked at for their mean


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
    """The smallest and the largest weight."""
    ends: tuple[Any, Any] = _once(weights, "extent", lambda: (weights.min(), weights.max()))
    return ends


def typical(weights: Array) -> float:
    """The mean of a sample of the finite weights; 0 where there are none."""
    mean: float = _once(weights, "typical", lambda: _mean_of_some(weights))
    return mean


def _mean_of_some(weights: Array) -> float:
    sample = weights[:: max(1, weights.size // SAMPLE)].astype(np.float64)
    sample = sample[np.isfinite(sample)]
    with np.errstate(over="ignore"):  # the largest floats add up to inf, which has all vertices in one bucket
        return float(sample.mean()) if sample.size else 0.0


def _once(weights: Array, what: str, find: Callable[[], Any]) -> Any:
    """What ``find`` finds; for a graph's own weights, which never change, without looking again."""
    if weights.flags.writeable:
        return find()
    key = id(weights)
    known = _known.get(key)
    if known is None or known[0]() is not weights:
        known = _known[key] = (weakref.ref(weights, lambda _: _known.pop(key, None)), {})
    if what not in known[1]:
        known[1][what] = find()
    return known[1][what]


_known: dict[int, tuple[weakref.ref[Array], dict[str, Any]]] = {}
