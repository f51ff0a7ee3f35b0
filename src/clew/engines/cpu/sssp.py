"""Shortest paths on the CPU: memory for delta-stepping, the width of its buckets, and its answer as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clew.dtypes import Array, as_bits
from clew.engines.cpu import team
from clew.engines.cpu.path_weights import summands, sums_of
from clew.engines.cpu.rows import rows_of
from clew.graph import Graph
from clew.result import Trace

TRACED_BUCKETS = 1 << 16
SAMPLE = 1 << 14  # weights looked at to choose delta


class Paths(NamedTuple):
    """The value of the best path to every vertex, its last but one vertex (-1 where unreached), and how it went."""

    value: Array
    parent: Array
    buckets: int
    trace: Trace


def sssp(
    graph: Graph, source: int, weights: Array, *, delta: float | None = None, deterministic: bool = False
) -> Paths:
    """Shortest paths over weights of 0 or more, whose sums the caller knows to fit: int64, or the weights' floats."""
    step = default_delta(graph, weights) if delta is None else delta
    costs, (zero, unreached) = summands(weights), sums_of(weights)
    if not _narrow(graph, costs):
        return best_paths(graph, source, costs, zero, unreached, step, deterministic=deterministic)
    # Half the bytes of the array that every edge is looked up in.
    narrow = np.iinfo(np.int32)
    found = best_paths(graph, source, costs, np.int32(0), np.int32(narrow.max), step, deterministic=deterministic)
    return found._replace(value=np.where(found.parent >= 0, found.value, unreached))


def _narrow(graph: Graph, weights: Array) -> bool:
    """Whether no sum along a path, and one edge more, can reach the largest int32."""
    if weights.dtype.kind == "f" or weights.itemsize > 4 or weights.size == 0:
        return False
    return int(weights.max()) * graph.num_vertices < np.iinfo(np.int32).max


def default_delta(graph: Graph, weights: Array) -> float:
    """Twice the mean weight down to a small part of it, the less the more edges vertices have.

    The more edges, the more ways there are to improve on a first one, and the more work a wide bucket does twice; on
    sparse graphs wide buckets cost next to nothing and give the threads more to share. The numbers are measured.
    """
    sample = weights[:: max(1, weights.size // SAMPLE)].astype(np.float64)
    sample = sample[np.isfinite(sample)]
    mean = float(sample.mean()) if sample.size else 0.0
    degree = max(1.0, graph.num_arcs / max(1, graph.num_vertices))
    return mean * min(2.0, max(2 / degree, 32 / degree**2)) or 1.0


def best_paths(
    graph: Graph,
    source: int,
    weights: Array,
    first: Any,
    unreached: Any,
    delta: float,
    *,
    low: float | None = None,
    deterministic: bool = False,
) -> Paths:
    """Paths of the smallest sum or, where ``low`` is given, of the smallest largest weight.

    ``first`` is the value of the source and ``unreached`` that of a vertex without a path; values have their dtype.
    ``low`` is the smallest weight: where the buckets begin.
    """
    from clew.engines.cpu import kernels_relax
    from clew.engines.cpu import kernels_sssp as kernels

    n = graph.num_vertices
    out = rows_of(graph.outgoing)
    value = np.full(n, unreached)
    parent = np.full(n, -1, dtype=graph.indices.dtype)
    queued = np.zeros(n, dtype=np.uint8)
    queue = np.empty(n, dtype=out[1].dtype)
    trace = np.zeros(TRACED_BUCKETS * kernels.COLUMNS, dtype=np.int64)
    paths = (value, as_bits(parent), queued)
    scale = min(1 / delta, float(np.finfo(np.float64).max))
    start = np.uint64(source)
    buckets = int(
        team.run(kernels.delta_stepping, graph.num_arcs, out, weights, start, first, paths, queue, scale, low, trace)
    )
    if deterministic:
        parent.fill(-1)
        kernels_relax.tree_of_tight_edges(out, weights, start, value, unreached, low, as_bits(parent), queue)
    rows = trace.reshape(-1, kernels.COLUMNS)[:buckets]
    columns = {"bucket": rows[:, 0], "frontier": rows[:, 1], "edges": rows[:, 2]}
    return Paths(value, parent, buckets, Trace(columns))
