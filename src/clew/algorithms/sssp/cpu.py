"""Shortest paths on the CPU: memory for delta-stepping, the width of its buckets, and its answer as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew.algorithms.paths import kernels as path_kernels
from clew.algorithms.paths import summary
from clew.algorithms.paths.weights import extent, readable_summands, summand_dtype, sums_of, typical
from clew.algorithms.registry import Answer
from clew.algorithms.sssp import kernels
from clew.dtypes import Array, as_bits
from clew.engines.cpu import team
from clew.graph import Graph
from clew.result import TRACED_ROUNDS, timed_rows
from clew.workspace import Workspace, result, scratch

BRIEF = 1 << 21  # arcs; so few are searched before a user can press Ctrl-C


#: Traces to be used again: clearing one as a whole takes a tenth of a search of a small graph.
_cleared: list[Array] = []


def workspace(graph: Graph) -> Workspace:
    """The arrays of a search over a graph with weights. Buckets, which grow as the search needs them, stay out."""
    stored, model = graph.outgoing.stored_weights, summand_dtype(graph.weight_dtype)
    assert stored is not None
    narrow = np.int32 if fits_int32(graph, stored, model) else None
    return path_space(graph, sums_of(model)[1].dtype, narrow)


def path_space(graph: Graph, value: npt.DTypeLike, narrow: npt.DTypeLike | None) -> Workspace:
    """The arrays of a search; where ``narrow`` is given, it works in that dtype. The trace is reused."""
    n, ids = graph.num_vertices, graph.outgoing.id_dtype
    return Workspace(
        distance=result(n, value),
        parent=result(n, ids),
        narrow_distance=None if narrow is None else scratch(n, narrow),
        queue=scratch(n, f"u{ids.itemsize}"),
        trace=scratch((TRACED_ROUNDS + 1) * kernels.COLUMNS, np.int64, 0, later=True),
    )


def sssp(graph: Graph, source: int, delta: float | None = None, deterministic: bool = False) -> Answer:
    """Shortest paths over weights of 0 or more, whose sums the caller knows to fit: int64, or the weights' floats."""
    stored, model = graph.outgoing.stored_weights, summand_dtype(graph.weight_dtype)
    assert stored is not None
    step = default_delta(graph, stored) if delta is None else delta
    costs, (zero, unreached), wide = readable_summands(graph.outgoing), sums_of(model), None
    if fits_int32(graph, stored, model):  # half the bytes of the array that every edge is looked up in
        zero, unreached, wide = np.int32(0), np.int32(np.iinfo(np.int32).max), unreached.dtype
    found = best_paths(graph, source, costs, zero, unreached, step, wide=wide, deterministic=deterministic)
    return summary("distance", *found)


def fits_int32(graph: Graph, weights: Array, dtype: np.dtype[Any] | None = None) -> bool:
    """Whether no sum along a path, and one edge more, can reach the largest int32; ``dtype`` is that of summands."""
    dtype = weights.dtype if dtype is None else dtype
    if dtype.kind == "f" or dtype.itemsize > 4 or weights.size == 0:
        return False
    return int(extent(weights)[1]) * graph.num_vertices < np.iinfo(np.int32).max


def default_delta(graph: Graph, weights: Array) -> float:
    """The width of buckets for a graph with these weights."""
    return bucket_width(graph, typical(weights))


def bucket_width(graph: Graph, mean: float) -> float:
    """Twice the mean weight down to a small part of it, the less the more edges vertices have.

    The more edges, the more ways there are to improve on a first one, and the more work a wide bucket repeats. On
    sparse graphs wide buckets cost next to nothing, and give the threads more to share. The numbers are measured.
    """
    degree = max(1.0, graph.num_arcs / max(1, graph.num_vertices))
    return mean * min(2.0, max(1 / degree, 192 / degree**3)) or 1.0


def best_paths(
    graph: Graph,
    source: int,
    weights: Any,
    first: Any,
    unreached: Any,
    delta: float,
    *,
    low: float | None = None,
    wide: np.dtype[Any] | None = None,
    deterministic: bool = False,
) -> tuple[Array, Array, int, int, Any]:
    """Paths of the smallest sum or, where ``low`` is given, of the smallest largest weight.

    ``first`` is the value of the source and ``unreached`` that of a vertex without a path. The search works in their
    dtype. The values are in it, or in ``wide``. ``low`` is the smallest weight: where the buckets begin.

    Returns the values, the parents, the number of vertices reached, the number of buckets, and the trace.
    """
    out = graph.outgoing.readable()
    space = path_space(graph, unreached.dtype if wide is None else wide, None if wide is None else unreached.dtype)
    work, trace = space.allocate(), _cleared_trace(space)
    value, widened = (work.distance, None) if wide is None else (work.narrow_distance, work.distance)
    parent, queue = work.parent, work.queue
    paths, ends = (value, as_bits(value), as_bits(parent)), (first, unreached)
    scale = min(1 / delta, float(np.finfo(np.float64).max))
    start = np.uint64(source)
    given = (out, weights, start, ends, paths, widened, queue, scale, low, trace)
    buckets, reached = team.run(kernels.delta_stepping, graph.num_arcs, *given, bounded=graph.num_arcs <= BRIEF)
    if deterministic:
        parent.fill(-1)
        path_kernels.shortest_path_tree(out, weights, start, value, unreached, low, as_bits(parent), queue)
    rows = trace.reshape(-1, kernels.COLUMNS)[: buckets + 1].copy()
    trace[: rows.size] = 0
    _cleared.append(trace)
    stored = weights[0] if isinstance(weights, tuple) else weights
    width, names = graph.outgoing.neighbour_bytes + stored.itemsize, ("bucket", "frontier", "edges")
    return work.distance, parent, int(reached), int(buckets), lambda: timed_rows(rows, names, width)


def _cleared_trace(space: Workspace) -> Array:
    """One to use again, or a new one."""
    try:
        return _cleared.pop()
    except IndexError:  # and not a look before: another thread may take the last one in between
        declared = dict(space)["trace"]
        return np.zeros(declared.shape, declared.dtype)
