"""Random weights for the edges of any graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.adjacency import Adjacency
from clew.build.rows import blocks_of
from clew.checks import real, whole
from clew.dtypes import WEIGHT_DTYPES, as_bits
from clew.errors import GraphError
from clew.generate.arguments import stream
from clew.graph import Graph, check_graph

ALL_64_BITS = 2**64


def random_weights(
    graph: Graph, low: float = 1, high: float = 255, seed: int = 0, dtype: npt.DTypeLike | None = None
) -> Graph:
    """The same graph with a random weight on every edge.

    The weight of an edge is a hash of the seed, its endpoints (in either order) and its index among parallel edges. So
    both directions of an edge have the same weight, also in a directed graph. An edge keeps its weight when others are
    added or removed.

    Parameters
    ----------
    graph
        The graph; existing weights are replaced.
    low, high
        The range: integers are uniform in low…high, inclusive; floats in [low, high).
    seed
        The random seed.
    dtype
        The dtype. The default for integers is int32, or int64 if ``low`` or ``high`` needs it. Otherwise it is float64.

    Notes
    -----
    Takes the memory of the weights. The other arrays are shared with ``graph``.
    """
    from clew.generate import kernels

    check_graph(graph)
    weight_dtype = _weight_dtype(low, high, dtype)
    rows, key = graph.outgoing, stream(seed, "weights")
    weights = np.empty(rows.num_arcs, dtype=weight_dtype)
    bounds = blocks_of(rows)
    edges = (bounds, rows.indptr, rows.indices, key)
    if weight_dtype.kind == "f":
        limits = _float_range(low, high, weight_dtype)
        threads.each(kernels.float_weights, bounds.size - 1, *edges, *limits, weights)
    else:
        limits = _integer_range(low, high, weight_dtype)
        threads.each(kernels.integer_weights, bounds.size - 1, *edges, *limits, as_bits(weights))
    # Graph.with_weights would check that both directions of an edge weigh the same; these do by construction.
    weighted = Adjacency(rows.indptr, rows.indices, weights)
    return Graph(weighted, directed=graph.directed, names=graph.names, report=graph.report, metadata=graph.metadata)


def _integer_range(low: float, high: float, dtype: np.dtype[Any]) -> tuple[Any, ...]:
    """The smallest integer and how many there are, both modulo 2^64."""
    first, last = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    smallest, largest = whole("low", low, first, last), whole("high", high, first, last)
    if smallest > largest:
        raise GraphError(f"low is {smallest:,} and high is {largest:,}; expected low ≤ high.")
    return np.uint64(smallest % ALL_64_BITS), np.uint64((largest - smallest + 1) % ALL_64_BITS)


def _float_range(low: float, high: float, dtype: np.dtype[Any]) -> tuple[Any, ...]:
    """The smallest float, the length of the range and its largest float."""
    smallest, end = real("low", low), real("high", high)
    limit = float(np.finfo(dtype).max) / 2  # so that the difference of two of them is a number, too
    if max(abs(smallest), abs(end)) > limit or not dtype.type(smallest) < dtype.type(end):
        raise GraphError(f"low is {low} and high is {high}; expected low < high, both {dtype} and within ±{limit:.2g}.")
    return smallest, end - smallest, float(np.nextafter(dtype.type(end), dtype.type(smallest)))


def _weight_dtype(low: float, high: float, dtype: npt.DTypeLike | None) -> np.dtype[Any]:
    if dtype is None:
        if not all(isinstance(value, (int, np.integer)) for value in (low, high)):
            return np.dtype(np.float64)
        fits = low >= -(2**31) and high < 2**31
        return np.dtype(np.int32 if fits else np.int64)
    try:
        weight_dtype = np.dtype(dtype)
    except TypeError:
        raise GraphError(f"dtype is {dtype!r}; expected a dtype of weights, such as 'int32' or 'float64'.") from None
    if weight_dtype not in WEIGHT_DTYPES:
        raise GraphError(f"dtype is {weight_dtype}; expected bool, an integer of 8 to 64 bits, float32 or float64.")
    return weight_dtype
