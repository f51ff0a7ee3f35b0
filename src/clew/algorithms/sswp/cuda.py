"""Widest paths on a GPU: weights turned upside down, and how many buckets their range is divided into."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from clew.algorithms.paths.cuda import Search
from clew.algorithms.paths.cuda_problem import Problem, Tuning, path_space, tuning_of, weight_facts
from clew.algorithms.paths.weights import few_dtype
from clew.algorithms.registry import Answer
from clew.engines.cuda.balance.frontiers import LARGE, is_large_and_dense
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.memory.packed_rows import edges_on
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.operators import monoids
from clew.workspace import Workspace

#: Over the range of the weights.
DENSE_BUCKETS, SPARSE_BUCKETS, SMALL_BUCKETS = 256, 64, 16  # the first also where edges are read over the link
SMALL = 1 << 21  # edges: below, one bucket does


def workspace(graph: Graph, balance: str = "auto", cut: int | None = None) -> Workspace:
    """The arrays of a search over a graph with weights."""
    assert graph.weights is not None
    dtype = graph.weights.dtype
    return path_space(graph, "width", dtype, few_dtype(dtype), tuning_of(balance, cut))


def sswp(
    device: Device,
    graph: Graph,
    source: int,
    *,
    buckets: int | None = None,
    deterministic: bool = False,
    balance: str = "auto",
    cut: int | None = None,
    tuning: Tuning | None = None,
) -> Answer:
    """The largest smallest weight of a path to every vertex."""
    tuning = tuning or tuning_of(balance, cut)
    rows = edges_on(device, graph.outgoing)
    count = default_buckets(rows) if buckets is None else buckets
    problem = rows.once(("widest", count), lambda: widest(device, rows, count))
    search = Search(device, rows, source, problem, tuning)
    search.run(deterministic=deterministic)
    return search.answer("width", deterministic=deterministic)


def default_buckets(rows: DeviceRows) -> int:
    """As narrow as can be on large, dense graphs, where buckets grow towards the end; one on small graphs."""
    if rows.num_arcs < SMALL:
        return 1
    if rows.num_arcs < LARGE:
        return SMALL_BUCKETS
    return DENSE_BUCKETS if is_large_and_dense(rows) or rows.on_host else SPARSE_BUCKETS


def widest(device: Device, rows: DeviceRows, buckets: int) -> Problem:
    """The problem for rows in device memory: the smallest largest weight, in opposite order."""
    dtype, facts = rows.weight_dtype, weight_facts(device, rows)
    value, delta = few_dtype(dtype), facts.largest / buckets - facts.smallest / buckets
    smallest, largest = _extremes(dtype)
    first, unreached, low = (_turned(value, number) for number in (largest, smallest, facts.largest))
    return Problem(value, True, first, low, first, unreached, dtype, smallest, delta, is_large_and_dense(rows))


@cache
def _extremes(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """The smallest and the largest number of a dtype; looked up, because small graphs take as long as their calls."""
    return monoids.max.identity(dtype), monoids.min.identity(dtype)


def _turned(dtype: np.dtype[Any], number: Any) -> Any:
    """The same as ``turned`` in path_words.cuh."""
    return 0 - dtype.type(number) if dtype.kind == "f" else ~dtype.type(number)
