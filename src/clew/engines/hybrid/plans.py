"""Who runs an algorithm: CPU and GPU together, or one of them alone, by what each took on this graph before.

All of them give the same answer, so measuring costs nothing but the difference: the first calls on a graph try each,
and later ones take the fastest. One that took many times as long as another is not tried again.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from clew.dtypes import Array
from clew.errors import ResourceError
from clew.graph import Graph
from clew.memory import current
from clew.result import Trace

Answer = TypeVar("Answer")

SPLIT, CPU, GPU = "split", "cpu", "gpu"
#: In this order: who calls once should get what is most often fastest. On an H200 with 16 cores that was the GPU in all
#: of 21 cases, with as little as an eighth of the edges in its memory.
ORDER = (GPU, CPU, SPLIT)
TRIES = 2  # of each: the first may have to compile, or to copy edges
HOPELESS = 4.0  # times as long as the fastest


@dataclass
class _Record:
    runs: int = 0
    best: float = float("inf")


_records: dict[tuple[Any, ...], dict[str, _Record]] = {}


def fastest(
    name: str, graph: Graph, device: Any, ways: dict[str, Callable[[], Answer]], plan: str | None = None
) -> Answer:
    """What one of the ways gives: ``plan``, or the one that was fastest, or one not measured yet."""
    if plan is not None:
        return ways[plan]()
    key = (id(graph.indices), id(graph.weights), id(device), name, current())
    if key not in _records:
        weakref.finalize(graph.indices, _records.pop, key, None)
        _records[key] = {way: _Record() for way in ORDER if way in ways}
    known = _records[key]
    chosen = _choice(known)
    start = time.perf_counter()
    try:
        found = ways[chosen]()
    except ResourceError:
        known[chosen] = _Record(TRIES)
        if all(record.runs >= TRIES and record.best == float("inf") for record in known.values()):
            raise
        return fastest(name, graph, device, ways)
    record = known[chosen]
    record.runs += 1
    record.best = min(record.best, time.perf_counter() - start)
    return found


def measured(name: str, graph: Graph, device: Any) -> dict[str, float]:
    """The seconds that each way took at best on this graph under the policy in force; inf where it was not tried."""
    key = (id(graph.indices), id(graph.weights), id(device), name, current())
    return {way: record.best for way, record in _records.get(key, {}).items()}


def _choice(known: dict[str, _Record]) -> str:
    best = min(record.best for record in known.values())
    for way, record in known.items():
        if record.runs == 0 or (record.runs < TRIES and record.best <= HOPELESS * best):
            return way
    return min(known, key=lambda way: known[way].best)


def one_sided(trace: Trace, side: str) -> Trace:
    """The trace of a run on one side alone, with the columns of one on both."""
    columns = dict(trace.columns)
    edges = columns.pop("edges", None)
    columns.pop("direction", None)
    size = next(iter(columns.values())).size if columns else 0
    nothing = np.zeros(size, dtype=np.int64)
    if edges is not None:
        columns["edges_cpu"] = edges if side == CPU else nothing
        columns["edges_gpu"] = edges if side == GPU else nothing
    for name in ("bytes_up", "bytes_down"):
        columns[name] = nothing
    for name in ("seconds_cpu", "seconds_gpu"):
        columns[name] = np.zeros(size)
    columns["form"] = np.full(size, side)
    return Trace(columns)


def on_host(device: Any, array: Any) -> Array:
    """An array of either side, on the CPU."""
    return array if isinstance(array, np.ndarray) and device.xp is not np else np.asarray(device.download(array))
