"""Shortest paths on a GPU: which type sums are held in, and how wide buckets are."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.paths.cuda import Search
from clew.algorithms.paths.cuda_problem import DEFAULT, Problem, Tuning, path_space, tuning_of, weight_facts
from clew.algorithms.registry import Answer
from clew.engines.cuda.balance.frontiers import LARGE, is_large_and_dense
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.memory.packed_rows import edges_on
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace

SPARSE_DELTA = 96  # times the mean weight, divided by the degree;
LIGHT = 1 << 20  # weights on average of whose sums it is hoped that they fit in 32 bits
SLOW_DELTA = 24  # where edges are read over the link, since following one twice costs more there

NARROW_MOST, MOST = int(np.iinfo(np.uint32).max), int(np.iinfo(np.int64).max)
#: A fact of rows whose sums have turned out not to fit in 32 bits.
RAN_OVER = "sums of 32 bits run over"


def workspace(graph: Graph, balance: str = "auto", cut: int | None = None) -> Workspace:
    """The arrays of a search over a graph with weights. Integers are summed in 32 bits where they fit."""
    assert graph.weights is not None
    dtype = graph.weights.dtype
    values, computed = (dtype, dtype) if dtype.kind == "f" else (np.int64, np.uint32)
    return path_space(graph, "distance", values, computed, tuning_of(balance, cut))


def sssp(
    device: Device,
    graph: Graph,
    source: int,
    *,
    delta: float | None = None,
    deterministic: bool = False,
    balance: str = "auto",
    cut: int | None = None,
    tuning: Tuning | None = None,
) -> Answer:
    """Shortest paths over weights of 0 or more, whose sums the caller knows to fit: int64, or the weights' floats."""
    tuning = tuning or tuning_of(balance, cut)
    rows = edges_on(device, graph.outgoing)
    search = finished_search(device, rows, source, delta, tuning, deterministic=deterministic)
    return search.answer("distance", deterministic=deterministic)


def finished_search(
    device: Device,
    rows: DeviceRows,
    source: int,
    delta: float | None = None,
    tuning: Tuning = DEFAULT,
    *,
    deterministic: bool = True,
) -> Search:
    """A search that has found all distances."""
    search = Search(device, rows, source, _problem(device, rows, delta), tuning)
    if search.has_diverged(search.run(deterministic=deterministic)):  # a sum of 32 bits ran over
        rows.facts[RAN_OVER] = True
        del search  # before there is memory for another
        search = Search(device, rows, source, _problem(device, rows, delta), tuning)
        search.run(deterministic=deterministic)
    return search


def _problem(device: Device, rows: DeviceRows, delta: float | None) -> Problem:
    """The problem, with sums of 32 bits until some have run over."""
    hopeful = RAN_OVER not in rows.facts
    if delta is not None:
        return shortest(device, rows, delta, hopeful=hopeful)
    usual = lambda: shortest(device, rows, default_delta(device, rows), hopeful=hopeful)  # noqa: E731
    return rows.once(("shortest", hopeful), usual)


def shortest(device: Device, rows: DeviceRows, delta: float, *, hopeful: bool = False) -> Problem:
    """The problem for rows in device memory.

    Sums of 32 bits take half the memory and carry their parents with them. That makes a search two to three times as
    fast. ``hopeful`` tries them where a path through all vertices would not fit, but most graphs' sums do. A search
    whose sums overflow reports that it has diverged.
    """
    dtype = rows.weight_dtype
    if dtype.kind == "f":
        return sums(dtype, 0, rows.num_vertices, delta, grows=is_large_and_dense(rows))
    facts = weight_facts(device, rows)
    largest, hops = int(facts.largest), rows.num_vertices
    if hopeful and largest < 1 << 32 and facts.mean < LIGHT:
        hops = 0
    return sums(dtype, largest, hops, delta, grows=is_large_and_dense(rows))


def sums(dtype: np.dtype[Any], largest: int, hops: int, delta: float, *, grows: bool = False) -> Problem:
    """Sums of up to ``hops`` weights of 0 or more, in 32 bits where they fit."""
    if dtype.kind == "f":
        return Problem(dtype, False, 0, 0, 0, np.inf, dtype, np.inf, delta, grows)
    fits = largest * hops < NARROW_MOST
    value, unreached = (np.dtype(np.uint32), NARROW_MOST) if fits else (np.dtype(np.int64), MOST)
    return Problem(value, False, 0, 0, 0, unreached, np.dtype(np.int64), MOST, delta, grows)


def default_delta(device: Device, rows: DeviceRows) -> float:
    """A small part of the mean weight on large, dense graphs; many times the mean weight on others.

    On the former, a narrow bucket saves following the edges of hubs twice, and there are few buckets since they grow
    towards the end. Elsewhere a step costs about as much as following 200,000 edges. Wide buckets have more to do in
    fewer steps. So they pay even if most edges are followed several times.
    """
    degree = max(1.0, rows.num_arcs / max(1, rows.num_vertices))
    mean = weight_facts(device, rows).mean
    if is_large_and_dense(rows):
        return mean / degree or 1.0
    width = SLOW_DELTA if rows.on_host else SPARSE_DELTA
    return mean * width / degree * max(1.0, LARGE / max(1, rows.num_arcs)) or 1.0
