"""Who runs an algorithm: CPU and GPU together, or one of them alone, by what each took on this graph before.

All of them give the same answer, so measuring costs nothing but the difference: the first calls on a graph try each,
and later ones take the fastest. One that took many times as long as another is not tried again.
"""

from __future__ import annotations

import time
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.rows import plan_of
from clew.errors import ResourceError
from clew.graph import Graph
from clew.memory import Policy, current
from clew.result import Trace

Answer = TypeVar("Answer")

SPLIT, CPU, GPU, ZERO_COPY = "split", "cpu", "gpu", "zero_copy"
#: In this order: who calls once should get what is most often fastest. On an H200 with 16 cores that was the GPU in all
#: of 21 cases, with as little as an eighth of the edges in its memory. Edges that are moved to the host for a try are
#: back before the last one.
ORDER = (GPU, ZERO_COPY, CPU, SPLIT)
TRIES = 2  # of each: the first may have to compile, or to copy edges
HOPELESS = 16.0  # times as long as the fastest
LATEST = 3  # runs that count: one that was lucky is forgotten
#: The part of the edges on the host from which on leaving all of them there is tried: below, it cannot be faster.
MOSTLY_SLOW = 0.7


@dataclass
class _Record:
    runs: int = 0
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=LATEST))

    @property
    def best(self) -> float:
        return min(self.seconds, default=float("inf"))


_records: dict[tuple[Any, ...], dict[str, _Record]] = {}


def fastest(
    name: str,
    graph: Graph,
    device: Any,
    ways: dict[str, Callable[[], Answer]],
    plan: str | None = None,
    order: tuple[str, ...] | None = None,
) -> Answer:
    """What one of the ways gives: ``plan``, or the one that was fastest, or one not measured yet, in that order."""
    if plan is not None:
        return ways[plan]()
    policy = current()
    key = (id(graph.indices), id(graph.weights), id(device), name, policy)
    known = _records.get(key)
    if known is None:
        weakref.finalize(graph.indices, _records.pop, key, None)
        hosted = {ZERO_COPY} if GPU in ways and policy.edges in ("auto", "tiered") else set()
        tried = [way for way in order or ORDER if way in ways.keys() | hosted]
        known = _records[key] = {way: _Record() for way in tried}
    chosen = _choice(known)
    if chosen == ZERO_COPY and known[chosen].runs == 0 and not _mostly_slow(device, graph):
        del known[chosen]
        chosen = _choice(known)
    start = time.perf_counter()
    try:
        if chosen == ZERO_COPY:
            with Policy("zero_copy"):
                found = ways[GPU]()
        else:
            found = ways[chosen]()
    except ResourceError:
        known[chosen] = _Record(TRIES)
        if all(record.runs >= TRIES and record.best == float("inf") for record in known.values()):
            raise
        return fastest(name, graph, device, ways, None, order)
    record = known[chosen]
    record.runs += 1
    record.seconds.append(time.perf_counter() - start)
    return found


def _mostly_slow(device: Any, graph: Graph) -> bool:
    """Whether the GPU reads most edges over the link anyway."""
    there = [plan_of(device, graph.outgoing)]
    if graph.has_incoming:
        there.append(plan_of(device, graph.incoming))
    return max((plan.slow_share for plan in there if plan is not None), default=0.0) >= MOSTLY_SLOW


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
    """The trace of a run on one side alone, with the columns of one on both; made when somebody looks at it."""
    return Trace.later(lambda: _one_sided(dict(trace.columns), side))


def _one_sided(columns: dict[str, Array], side: str) -> dict[str, Array]:
    edges, seconds = columns.pop("edges", None), columns.pop("seconds", None)
    for name in ("direction", "bytes"):
        columns.pop(name, None)
    size = next(iter(columns.values())).size if columns else 0
    nothing, no_time = np.zeros(size, dtype=np.int64), np.zeros(size)
    if edges is not None:
        columns["edges_cpu"] = edges if side == CPU else nothing
        columns["edges_gpu"] = edges if side == GPU else nothing
    for name in ("bytes_up", "bytes_down"):
        columns[name] = nothing
    for name, who in (("seconds_cpu", CPU), ("seconds_gpu", GPU)):
        columns[name] = seconds if seconds is not None and who == side else no_time
    columns["form"] = np.full(size, side)
    return columns


def on_host(device: Any, array: Any) -> Array:
    """An array of either side, on the CPU."""
    return array if isinstance(array, np.ndarray) and device.xp is not np else np.asarray(device.download(array))
