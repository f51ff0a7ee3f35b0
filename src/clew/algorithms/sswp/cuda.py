"""Widest paths on a GPU: weights turned upside down, and how many buckets their range is divided into."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.paths.cuda import Search
from clew.algorithms.paths.cuda_problem import Problem, Tuning, path_space, tuning_of, weight_facts
from clew.algorithms.registry import Answer
from clew.engines.cuda.balance.frontiers import LARGE, is_large_and_dense
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace

#: Over the range of the weights.
DENSE_BUCKETS, SPARSE_BUCKETS, SMALL_BUCKETS = 256, 64, 16  # the first also where edges are read over the link
SMALL = 1 << 21  # edges: below, one bucket does


def workspace(graph: Graph, balance: str = "auto", cut: int | None = None) -> Workspace:
    """The arrays of a search over a graph with weights."""
    assert graph.weights is not None
    dtype = graph.weights.dtype
    return path_space(graph, "width", dtype, computed_in(dtype), tuning_of(balance, cut))


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
    rows = rows_on(device, graph.outgoing, paired=True)
    if buckets is None:
        buckets = default_buckets(rows)
    search = Search(device, rows, source, widest(device, rows, buckets), tuning)
    search.run()
    return search.answer("width", deterministic=deterministic)


def default_buckets(rows: DeviceRows) -> int:
    """As narrow as can be on large, dense graphs, where buckets grow towards the end; one on small graphs."""
    if rows.num_arcs < SMALL:
        return 1
    if rows.num_arcs < LARGE:
        return SMALL_BUCKETS
    return DENSE_BUCKETS if is_large_and_dense(rows) or rows.on_host else SPARSE_BUCKETS


def widest(device: Device, rows: DeviceRows, buckets: int) -> Problem:
    """The problem for rows in device memory."""
    facts = weight_facts(device, rows)
    delta = facts.largest / buckets - facts.smallest / buckets
    return widths(np.dtype(rows.weights.dtype), facts.largest, delta, grows=is_large_and_dense(rows))


def computed_in(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that widths are computed in: bool and narrow integers are widened."""
    return dtype if dtype.itemsize >= 4 else np.dtype(np.int32)


def widths(dtype: np.dtype[Any], largest_weight: Any, delta: float, *, grows: bool = False) -> Problem:
    """The smallest largest weight, in opposite order; bool and narrow integers are widened."""
    value = computed_in(dtype)
    if dtype.kind == "f":
        smallest, largest = -np.inf, np.inf
    else:
        smallest, largest = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    first, unreached = _turned(value, largest), _turned(value, smallest)
    low = _turned(value, largest_weight)
    return Problem(value, True, first, low, first, unreached, dtype, smallest, delta, grows)


def _turned(dtype: np.dtype[Any], number: Any) -> Any:
    """The same as ``turned`` in path_words.cuh."""
    return 0 - dtype.type(number) if dtype.kind == "f" else ~dtype.type(number)
