"""Who runs an algorithm: CPU and GPU together, or one of them alone, by what each took on this graph before.

All of them give the same answer (of sums of floats, but for the last digits), so measuring costs nothing but the
difference: the first calls on a graph try each, and later ones take the fastest. One that took many times as long as
another, with nothing to compile and no edges to move, is not tried again. One that took little longer may have had bad
luck: it is tried once more before the others are done with, and again from time to time.
"""

from __future__ import annotations

import time
import weakref
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.edge_memory import EdgePlan
from clew.engines.cuda.rows import plan_of, put_anew
from clew.engines.retry import retried
from clew.errors import GraphError, OperatorError, ResourceError
from clew.graph import Graph
from clew.memory import Policy, current
from clew.result import Trace

Answer = TypeVar("Answer")

SPLIT, CPU, GPU, ZERO_COPY = "split", "cpu", "gpu", "zero_copy"
#: In this order: who calls once should get what is most often fastest. On an H200 with 16 cores that was the GPU in all
#: of 21 cases, with as little as an eighth of the edges in its memory. Edges that are moved to the host for a try are
#: back before the last one.
ORDER = (GPU, ZERO_COPY, CPU, SPLIT)
TRIES = 2  # of each: the first may have to compile, or to copy edges,
SHORT, MORE_TRIES = 0.01, 6  # and runs of less than so many seconds vary by several times: they have more
HOPELESS = 16.0  # times as long as the fastest
LATEST = 3  # runs that count: one that was lucky is forgotten
CLOSE = 1.25  # times as long as the fastest, up to which one may be the faster in truth,
AGAIN = 24  # and after so many runs of others is asked again: that costs a hundredth of the time at most
#: The part of the edges on the host from which on leaving all of them there is tried: below, it cannot be faster.
MOSTLY_SLOW = 0.7


@dataclass
class _Record:
    runs: int = 0
    cold: bool = False
    waited: int = 0  # runs of others since its last
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=LATEST))

    @property
    def best(self) -> float:
        return min(self.seconds, default=float("inf"))

    @property
    def failed(self) -> bool:
        return self.runs >= TRIES and not self.seconds

    @property
    def tries(self) -> int:
        """How many it has before the others are done with."""
        return MORE_TRIES if self.best < SHORT else TRIES


_records: dict[tuple[Any, ...], dict[str, _Record]] = {}
_started: set[tuple[Any, ...]] = set()  # what has been run in this process, on whatever graph
_only: ContextVar[str | None] = ContextVar("clew_hybrid_way", default=None)


def fastest(
    name: Hashable, graph: Graph, device: Any, ways: dict[str, Callable[[], Answer]], plan: str | None = None
) -> Answer:
    """What one of the ways gives: ``plan``, or the one that was fastest, or one not measured yet, in their order.

    A way that cannot be taken (for want of memory, or because a function does not compile for it) leaves the work to
    the next, and must not have changed what that begins with.
    """
    policy = current()
    wanted = plan or _only.get()
    if wanted is not None and (wanted in ways or (wanted == ZERO_COPY and GPU in ways)):
        return _taken(ways, wanted)
    key = _key(name, graph, device)
    known = _records.get(key)
    if known is None:
        weakref.finalize(graph.indices, _records.pop, key, None)
        hosted = {ZERO_COPY} if GPU in ways and policy.edges in ("auto", "tiered") else set()
        known = _records[key] = {way: _Record() for way in ORDER if way in ways.keys() | hosted}
    if SPLIT in ways:  # which not all options allow: the first run may have been without it
        known.setdefault(SPLIT, _Record())
    while True:
        # Other threads may give ways up, or add one, at any time: what is looked at is a copy.
        offered = {way: record for way, record in known.copy().items() if way in ways or way == ZERO_COPY}
        chosen = _choice(offered)
        if chosen == ZERO_COPY and offered[chosen].runs == 0 and not _is_worth_a_try(offered, device, graph):
            known.pop(chosen, None)
            continue
        before, start = _places(device, graph), time.perf_counter()
        try:
            found = _taken(ways, chosen) if chosen == CPU else _on_device(ways, chosen)
        except (OperatorError, ResourceError) as error:
            unfit = isinstance(error, OperatorError)
            if unfit and chosen == CPU:  # what the CPU cannot compile, nobody can
                raise
            _give_up(known, *((GPU, ZERO_COPY) if unfit and chosen != SPLIT else (chosen,)))
            if all(record.failed for way, record in known.copy().items() if way in offered):
                raise
            continue  # the error is forgotten first, with what it holds of the device
        record = offered[chosen]
        record.seconds.append(time.perf_counter() - start)
        record.runs += 1
        for other in known.copy().values():
            other.waited += 1
        record.waited = 0
        # The time of compiling, or of moving edges, says nothing about the next run.
        started = (id(device), name, chosen)
        record.cold = started not in _started or list(map(id, before)) != list(map(id, _places(device, graph)))
        _started.add(started)
        if chosen == SPLIT and _to_try(settled := known.copy()) is None and _choice(settled) != SPLIT:
            put_anew(device, graph.outgoing)  # in the form that suits the one who has them from now on
        return found


def _taken(ways: dict[str, Callable[[], Answer]], way: str) -> Answer:
    if way != ZERO_COPY:
        return ways[way]()
    with Policy("zero_copy"):
        return ways[GPU]()


_on_device = retried(_taken)


def _give_up(known: dict[str, _Record], *ways: str) -> None:
    for way in known.keys() & ways:
        known[way] = _Record(TRIES)


def _is_worth_a_try(known: dict[str, _Record], device: Any, graph: Graph) -> bool:
    """Whether leaving all edges on the host may be faster, or may be possible where anything else is not."""
    return known[GPU].failed or _mostly_slow(device, graph)


@contextmanager
def only(way: str) -> Iterator[None]:
    """Have hybrid runs go one way wherever they can: "gpu", "zero_copy", "cpu", or "split" for both sides together."""
    if way not in ORDER:
        raise GraphError(f"way is {way!r}; expected one of {', '.join(map(repr, ORDER))}.")
    token = _only.set(way)
    try:
        yield
    finally:
        _only.reset(token)


def _mostly_slow(device: Any, graph: Graph) -> bool:
    """Whether the GPU reads most edges over the link anyway."""
    return max((plan.slow_share for plan in _places(device, graph) if plan is not None), default=0.0) >= MOSTLY_SLOW


def _places(device: Any, graph: Graph) -> list[EdgePlan | None]:
    """Where the edges are; a plan of its own for every time that they are put somewhere."""
    rows = (graph.outgoing, graph.incoming) if graph.has_incoming else (graph.outgoing,)
    return [plan_of(device, each) for each in rows]


def measured(name: Hashable, graph: Graph, device: Any) -> dict[str, float]:
    """The seconds that each way took at best on this graph under the policy in force; inf where it was not tried."""
    return {way: record.best for way, record in _records.get(_key(name, graph, device), {}).items()}


def is_settled(name: Hashable, graph: Graph, device: Any) -> bool:
    """Whether the next run takes the fastest way, and none that is still to be tried."""
    known = _records.get(_key(name, graph, device))
    return known is not None and _to_try(known) is None


def next_try(name: Hashable, graph: Graph, device: Any) -> str | None:
    """The way that the next run tries; None where it takes the fastest, or where there was none before."""
    known = _records.get(_key(name, graph, device))
    return None if known is None else _to_try(known)


def give_up(name: Hashable, graph: Graph, device: Any, way: str) -> None:
    """Have a way not be tried on this graph any more, where a run was made before, under the policy in force."""
    _give_up(_records.get(_key(name, graph, device), {}), way)


def _key(name: Hashable, graph: Graph, device: Any) -> tuple[Any, ...]:
    return id(graph.indices), id(graph.weights), id(device), name, current()


def _choice(known: dict[str, _Record]) -> str:
    return _to_try(known) or min(known, key=lambda way: known[way].best)


def _to_try(known: dict[str, _Record]) -> str | None:
    """The first way that has not had its tries and may be the fastest; when all have had them, one that is close."""
    best = min(record.best for record in known.values())
    for way, record in known.items():
        if record.runs == 0 or (record.runs < record.tries and (record.cold or record.best <= HOPELESS * best)):
            return way
    for way, record in known.items():
        if record.cold:  # its last run had edges to move, and the next would: that says nothing and costs much
            continue
        if best < record.best <= CLOSE * best and (record.runs < LATEST or record.waited >= AGAIN):
            return way
    return None


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
