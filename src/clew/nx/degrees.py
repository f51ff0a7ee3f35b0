"""Degrees of every kind, with or without weights, and the pairs of degrees that edges join."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.nx.dicts import EXACT
from clew.nx.graph import ClewGraph, Weight

# ruff: noqa: N803, NetworkX calls its graphs G


def edge_weights(G: ClewGraph, weight: Weight) -> Array:
    """The weight of every entry of ``indices``, as 64-bit integers or floats; sums of the integers fit in a float."""
    values = G.values(weight)
    if values is None:
        return np.ones(G.indices.size, dtype=np.int64)
    if values.array.dtype.kind == "f":
        if not np.isfinite(values.array).all():
            raise NotImplementedError("some weights are infinite or NaN; clew supports only finite weights here.")
        return values.array.astype(np.float64, copy=False)
    if np.abs(values.array.astype(np.float64)).sum() >= EXACT:
        raise NotImplementedError("sums of these weights may not fit in 53 bits.")
    return values.array.astype(np.int64, copy=False)


def one_type(G: ClewGraph, weight: Weight) -> bool:
    """Whether all weights are floats; an error where only some are, since each sum has a type of its own then."""
    values = G.values(weight)
    if values is None:
        return False
    if not isinstance(values.is_float, bool):
        raise NotImplementedError("some weights are floats and some integers; clew supports one type of them here.")
    return values.is_float


def sums(places: Array, weights: Array, size: int) -> Array:
    """The sum of the weights at every place; integers stay integers."""
    return np.bincount(places, weights=weights, minlength=size).astype(weights.dtype, copy=False)


def degrees(G: ClewGraph, direction: str = "in+out", weight: Weight = None) -> Array:
    """The sum of the weights of every vertex's edges: "in", "out" or "in+out"; a self-loop counts in both."""
    if weight is None:
        both = direction == "in+out" or not G.is_directed()
        return G.degrees if both else G.unweighted.degrees("in" if direction == "in" else "out")
    weights, n = edge_weights(G, weight), len(G)
    out = sums(G.sources, weights, n)
    if not G.is_directed():
        loop = G.sources == G.indices
        return out + sums(G.sources[loop], weights[loop], n)
    into = sums(G.indices, weights, n)
    return {"out": out, "in": into, "in+out": out + into}[direction]


def plain(G: ClewGraph, values: Array, direction: str) -> list[Any]:
    """Degrees as Python's numbers: NetworkX says the integer 0 where there is nothing to add up."""
    found: list[Any] = values.tolist()
    if values.dtype.kind == "f":
        for vertex in np.flatnonzero(degrees(G, direction) == 0).tolist():
            found[vertex] = 0
    return found
