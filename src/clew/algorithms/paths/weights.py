"""Weights in few types, since kernels are compiled anew for each, and facts about them, looked for once."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from clew.counts import counted
from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph

LARGEST = np.iinfo(np.int64).max
SAMPLE = 1 << 14  # weights looked at for their mean
#: What takes negative weights, in Python and on the command line.
BELLMAN_FORD = ("clew.bellman_ford", "clew run bellman-ford")


def weights_of(
    graph: Graph, *, algorithm: str, negative: bool = False, instead: tuple[str, str] = BELLMAN_FORD
) -> np.ndarray[Any, Any]:
    """The weights of the out-edges, refused where the algorithm cannot use them.

    An unweighted graph is refused too: to count edges, there are algorithms without weights. ``instead`` is advised
    where weights are negative.
    """
    if graph.weights is None:
        raise GraphError(
            f"{algorithm} needs edge weights, and this graph has none.",
            remedy="Add some with graph.with_weights(...) or clew.generate.random_weights(graph, 1, 255), or count "
            "edges with clew.bfs.",
            option="Add random ones with --weights random:1:255, or count edges with clew run bfs.",
        )
    if graph.weights.dtype.kind == "f" and np.isnan(graph.weights).any():
        count = int(np.isnan(graph.weights).sum())
        raise GraphError(f"{count:,} weights are NaN; {algorithm} needs numbers. Drop or replace those edges first.")
    if not negative and graph.weights.dtype.kind in "if" and graph.num_arcs and (low := extent(graph.weights)[0]) < 0:
        problem = f"the smallest weight is {low}; {algorithm} needs weights of 0 or more."
        others = "--weights random:1:255"
        if np.isneginf(low):  # which leaves no path the shortest for anybody
            raise GraphError(
                problem, remedy="Drop or replace those edges first.", option=f"Take other weights, such as {others}."
            )
        if not graph.directed:
            raise GraphError(
                f"{problem} In an undirected graph there is no shortest path over a negative edge: it leads there and "
                "back, again and again.",
                remedy="Replace those weights first, with graph.with_weights.",
                option=f"Take other weights, such as {others}.",
            )
        remedy, option = instead
        raise GraphError(problem, remedy=f"Try {remedy}.", option=f"Try {option}, or other weights, such as {others}.")
    return graph.weights


def check_sums(weights: Array, num_vertices: int, *, margin: int = 1) -> None:
    """Refuse integers whose sum along a path could leave int64, with ``margin`` times as much to spare.

    A shortest path has fewer edges than there are vertices, so the largest weight times the number of vertices bounds
    every sum that is looked at; floats have infinity to go to.
    """
    if weights.dtype.kind not in "iu" or weights.size == 0:
        return
    limits = np.iinfo(weights.dtype)
    if max(-limits.min, limits.max) * num_vertices * margin < LARGEST:
        return
    largest = max(-int(weights.min()), int(weights.max()))
    if largest * num_vertices * margin >= LARGEST:
        raise GraphError(
            f"the largest weight is {largest:,} and a path may lead over {counted(num_vertices, 'vertex')}: the "
            "sum along a path may not fit 64 bits.",
            remedy="Scale the weights down, or use graph.with_weights(graph.weights.astype('float64')).",
            option="Scale the weights of the file down, or take others, such as --weights random:1:255.",
        )


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
