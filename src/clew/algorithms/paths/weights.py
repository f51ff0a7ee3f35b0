"""Edge weights of path searches: checks, extrema and conversion to the few dtypes that kernels are compiled for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.algorithms.arguments import OTHER_WEIGHTS, OTHER_WEIGHTS_IN_SHELL, wrong_weights
from clew.checks import counted
from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.weak import WeakIdentityDict

LARGEST = np.iinfo(np.int64).max
SAMPLE = 1 << 14  # weights read for their mean
#: What takes negative weights, in Python and on the command line.
BELLMAN_FORD = ("clew.bellman_ford", "clew run bellman-ford")


def weights_of(
    graph: Graph, *, algorithm: str, negative: bool = False, instead: tuple[str, str] = BELLMAN_FORD
) -> np.ndarray[Any, Any]:
    """The weights of the out-edges; raise GraphError if the algorithm cannot use them; see ``stored_weights_of``."""
    stored_weights_of(graph, algorithm=algorithm, negative=negative, instead=instead)
    assert graph.weights is not None
    return graph.weights


def stored_weights_of(
    graph: Graph, *, algorithm: str, negative: bool = False, instead: tuple[str, str] = BELLMAN_FORD
) -> np.ndarray[Any, Any]:
    """The weights of the out-edges as they are stored, which may be narrower than they are.

    An unweighted graph is rejected too: other algorithms count edges. ``instead`` is the advice for negative weights.
    """
    weights = graph.outgoing.stored_weights
    if weights is None:
        raise GraphError(
            f"{algorithm} needs edge weights, and this graph has none.",
            remedy="Pass an array or the name of an edge column to graph.with_weights, add random ones with "
            "clew.generate.random_weights(graph, 1, 255), or count edges with clew.bfs.",
            option="Add random ones with --weights random:1:255, or count edges with clew run bfs.",
        )
    # The smallest of numbers with NaN is NaN. To test each of them would take a byte for every weight.
    low = extent(weights)[0] if weights.size and weights.dtype.kind in ("f" if negative else "if") else 0
    if np.isnan(low):
        problem = f"{wrong_weights(graph, np.isnan)} NaN; {algorithm} needs numbers."
        raise GraphError(problem, remedy=OTHER_WEIGHTS, option=OTHER_WEIGHTS_IN_SHELL)
    if not negative and low < 0:
        problem = f"the smallest weight is {low}; {algorithm} needs weights of 0 or more."
        others = "--weights random:1:255"
        if np.isneginf(low):  # then no algorithm has a shortest path
            raise GraphError(
                problem, remedy="Drop or replace those edges first.", option=f"Use other weights, such as {others}."
            )
        if not graph.directed:
            raise GraphError(
                f"{problem} In an undirected graph, every negative edge is a negative cycle.",
                remedy="Replace those weights first, with graph.with_weights.",
                option=f"Use other weights, such as {others}.",
            )
        remedy, option = instead
        raise GraphError(problem, remedy=f"Try {remedy}.", option=f"Try {option}, or other weights, such as {others}.")
    return weights


def check_sums(weights: Array, num_vertices: int, *, margin: int = 1) -> None:
    """Reject integers whose sum along a path could overflow int64, with a factor of ``margin`` to spare.

    A shortest path has fewer edges than there are vertices, so the largest weight times the number of vertices is a
    bound on every sum. Floats overflow to infinity.
    """
    if weights.dtype.kind not in "iu" or weights.size == 0:
        return
    if _largest_of(weights.dtype) * num_vertices * margin < LARGEST:
        return
    largest = max(-int(weights.min()), int(weights.max()))
    if largest * num_vertices * margin >= LARGEST:
        raise GraphError(
            f"the largest weight is {largest:,} and a path may visit {counted(num_vertices, 'vertex')}, so the sum "
            "along a path may not fit in 64 bits.",
            remedy="Scale the weights down, or use graph.with_weights(graph.weights.astype('float64')).",
            option="Scale the weights of the file down, or use others, such as --weights random:1:255.",
        )


@cache
def _largest_of(dtype: np.dtype[Any]) -> int:
    """The largest integer of a dtype, or minus the smallest."""
    return max(-int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))


def few_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """One of the few dtypes that kernels are compiled for: int32 for bool and narrow integers."""
    return dtype if dtype.itemsize >= 4 else np.dtype(np.int32)


def in_few_types(weights: Array) -> Array:
    """The same numbers, read-only: bool and narrow integers are copied to int32, others are not copied."""
    if weights.itemsize >= 4:
        return weights
    few = weights.astype(few_dtype(weights.dtype))
    few.flags.writeable = False  # to Numba, an array that may be written to is another type
    return few


def summands(weights: Array) -> Array:
    """The same for weights that are added to int64: uint64, which would turn sums into floats, becomes int64."""
    few = in_few_types(weights)
    return few.view(np.int64) if few.dtype == np.uint64 else few


def summand_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype of ``summands`` of weights of this dtype."""
    few = few_dtype(np.dtype(dtype))
    return np.dtype(np.int64) if few == np.uint64 else few


def readable_summands(rows: Adjacency) -> Any:
    """The same for kernels that read narrow weights as they are stored; see ``Adjacency.readable_weights``."""
    weights = rows.readable_weights()
    if not isinstance(weights, tuple):
        return summands(weights)
    stored, like = weights
    return stored, np.empty(0, summand_dtype(like.dtype))


def sums_of(weights: Array | np.dtype[Any]) -> tuple[np.generic, np.generic]:
    """0 and the value of an unreached vertex, both of the dtype of sums of such weights."""
    dtype = weights if isinstance(weights, np.dtype) else weights.dtype
    if dtype.kind == "f":
        return dtype.type(0), dtype.type(np.inf)
    return np.int64(0), np.int64(np.iinfo(np.int64).max)


def extent(weights: Array) -> tuple[Any, Any]:
    """The smallest and the largest weight."""
    with np.errstate(invalid="ignore"):
        ends: tuple[Any, Any] = _once(weights, "extent", lambda: (weights.min(), weights.max()))
    return ends


def typical(weights: Array) -> float:
    """The mean of a sample of the finite weights; 0 if there are none."""
    mean: float = _once(weights, "typical", lambda: _mean_of_some(weights))
    return mean


def _mean_of_some(weights: Array) -> float:
    sample = weights[:: max(1, weights.size // SAMPLE)].astype(np.float64)
    sample = sample[np.isfinite(sample)]
    with np.errstate(over="ignore"):  # the largest floats add up to inf, which has all vertices in one bucket
        return float(sample.mean()) if sample.size else 0.0


def _once(weights: Array, what: str, find: Callable[[], Any]) -> Any:
    """The result of ``find``, cached for a graph's own weights, which never change."""
    if weights.flags.writeable:
        return find()
    known = _known.get(weights)
    if known is None:
        known = _known[weights] = {}
    if what not in known:
        known[what] = find()
    return known[what]


_known: WeakIdentityDict[dict[str, Any]] = WeakIdentityDict()
