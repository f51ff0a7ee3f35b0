"""One iteration of a vertex program on CPU and GPU: the state is on the CPU, rows are divided.

    CPU: send → pack ─┐                              ┌─ unpack → apply
    GPU:              └─ unpack → product → pack ────┘
    CPU:                 product of its own rows

Only the fields that edges read (in ``process``, ``accepts``, ``matters``) are mirrored on the GPU. Changed vertices are
updated there.

The edge rates of CPU and GPU are measured during the run. The rows are cut where both should finish together. The CPU
processes the rows before the cut and the GPU the others. The GPU's first rows are slow, read over the link, and the
last are in its own memory. So the CPU takes the rows that are slow for the GPU first.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.engines.cpu import compiler
from clew.engines.cpu.program import directions_of, no_priority, rows_with_weights, uses_weights
from clew.engines.cuda.balance.symmetric_rows import directions_on
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import Device
from clew.engines.hybrid import kernels
from clew.engines.hybrid.exchange import NOTHING, Exchange, Sent, Vector
from clew.engines.hybrid.row_product import RowProduct
from clew.graph import Graph
from clew.operators import Monoid

if TYPE_CHECKING:
    from clew.program import VertexProgram

SHARES = 16  # blocks to a thread: hubs make some of them long
#: Initial rates in edges per second: of a CPU thread, and of a GPU over its own memory and over the link.
CPU = {"push": 6e7, "pull": 1.2e8}
FAST = {"push": 8e9, "pull": 2e10}
SLOW = {"push": 1e9, "pull": 6e9}
STEP = 3e-4  # fixed seconds of a step for launches, read-backs and waking threads
ENOUGH = 1 << 16  # edges below which no rate is measured
WEIGHT = 0.5  # of the latest measurement
BOLD = 4.0  # the largest factor by which one measurement changes a rate


@dataclass(frozen=True)
class Settings:
    """How a run is divided; this changes only the last digits of sums.

    Parameters
    ----------
    form
        The form of transferred vectors, if it can be used; None for the smallest.
    first_row
        The GPU has the rows from here on, rounded to a block; None decides by the rates.
    tiny
        The CPU alone runs steps of up to this many edges: they take less time than a launch.
    patience
        After this many such steps in a row, the CPU engine runs the rest.
    """

    form: str | None = None
    first_row: int | None = None
    tiny: int = 1 << 17
    patience: int = 64


DEFAULT = Settings()


@dataclass
class Rates:
    """Edges per second of either side, by direction."""

    cpu: dict[str, float] = field(default_factory=lambda: {key: rate * threads.count() for key, rate in CPU.items()})
    fast: dict[str, float] = field(default_factory=lambda: dict(FAST))
    slow: dict[str, float] = field(default_factory=lambda: dict(SLOW))

    def cut(self, direction: str, edges: Array, slow_blocks: int) -> int:
        """The number of blocks for the CPU; ``edges`` counts the edges of each block."""
        before = np.append(0, np.cumsum(edges)).astype(np.float64)
        slow = before[slow_blocks]
        of_cpu = before / self.cpu[direction] + np.where(before > 0, STEP / 4, 0)
        slow_left, fast_left = np.maximum(slow - before, 0), before[-1] - np.maximum(before, slow)
        of_gpu = slow_left / self.slow[direction] + fast_left / self.fast[direction] + STEP
        of_gpu[-1] = 0.0
        return int(np.argmin(np.maximum(of_cpu, of_gpu)))

    def learn_cpu(self, direction: str, edges: int, seconds: float) -> None:
        """Update the CPU's rate."""
        if edges >= ENOUGH and seconds > 0:
            self.cpu[direction] = _mixed(self.cpu[direction], edges / seconds)

    def learn_gpu(self, direction: str, slow: int, fast: int, seconds: float) -> None:
        """Update the GPU's rates: both are scaled by the same error."""
        if slow + fast >= ENOUGH and seconds > STEP:
            expected = slow / self.slow[direction] + fast / self.fast[direction]
            factor = expected / (seconds - STEP)
            self.slow[direction] = _mixed(self.slow[direction], self.slow[direction] * factor)
            self.fast[direction] = _mixed(self.fast[direction], self.fast[direction] * factor)


_known: WeakKeyDictionary[Device, dict[str, Rates]] = WeakKeyDictionary()


def rates_of(device: Device, what: str) -> Rates:
    """The rates of this work on this device, kept for the next run."""
    return _known.setdefault(device, {}).setdefault(what, Rates())


def slow_rows(rows: DeviceRows, indptr: Array) -> int:
    """The number of first rows that the GPU reads over the link."""
    return 0 if rows.plan is None else int(np.searchsorted(indptr, rows.plan.cut))


class Stopwatch:
    """The seconds on the device from here to ``stop``, by its own clock if it has one."""

    def __init__(self, device: Device) -> None:
        self._cuda = getattr(device.xp, "cuda", None)
        self._begin = self._mark()
        self._end: Any = None

    def stop(self) -> None:
        """Include everything launched so far."""
        self._end = self._mark()

    def seconds(self) -> float:
        """The seconds; waits for the device."""
        if self._cuda is None:
            return float(self._end - self._begin)
        self._end.synchronize()
        return float(self._cuda.get_elapsed_time(self._begin, self._end)) / 1000

    def _mark(self) -> Any:
        if self._cuda is None:
            return time.perf_counter()
        event = self._cuda.Event()
        event.record()
        return event


def _mixed(known: float, measured: float) -> float:
    measured = min(max(measured, known / BOLD), known * BOLD)
    return known * (1 - WEIGHT) + measured * WEIGHT


class Step(NamedTuple):
    """The trace of one iteration."""

    frontier: int
    direction: str
    edges_cpu: int
    edges_gpu: int
    bytes_up: int
    bytes_down: int
    seconds_cpu: float
    seconds_gpu: float
    form: str
    seconds: float


class Pipeline:
    """The memory of a run on both sides, and its steps."""

    def __init__(
        self,
        device: Device,
        program: VertexProgram,
        monoid: Monoid,
        graph: Graph,
        state: Array,
        rates: Rates,
        settings: Settings,
    ) -> None:
        self.device, self.vertices, self.settings, self.rates = device, state, settings, rates
        self.n, self.message = int(state.size), np.dtype(program.message)
        functions: Any = (program.send, program.process, monoid.operator.function, program.apply)
        filters: Any = (program.accepts, program.matters, program.priority or no_priority)
        options = {"first_suffices": monoid.stops_at_first, "ordered": program.priority is not None}
        self.kernels: Any = compiler.kernel(kernels.pipeline_kernels, *functions, *filters, **options).dispatcher
        self.along, self.against = directions_of(graph, program.direction)
        sides = {"push": self.along, "pull": self.against}
        self.bounds = {direction: blocks_of_rows(rows, settings.first_row) for direction, rows in sides.items()}
        self.rows = {"push": rows_with_weights(self.along, program)}
        same = self.along is self.against
        self.rows["pull"] = self.rows["push"] if same else rows_with_weights(self.against, program)
        there = directions_on(device, graph, program.direction, weights=uses_weights(program))
        self.product = RowProduct(device, program, monoid, there)
        self.identity = monoid.identity(self.message)
        on_device = zip(sides.items(), there, strict=True)
        self.slow = {direction: slow_rows(placed, rows.indptr) for (direction, rows), placed in on_device}
        self.everyone = program.apply_to == "all"
        self._make_room(graph.indices.dtype, monoid)

    def _make_room(self, ids: np.dtype[Any], monoid: Monoid) -> None:
        device, n = self.device, self.n
        form = self.settings.form
        self.exchange = Exchange(device, n, ids, (self.message,), form)
        self.frontier, self.theirs = (self.exchange.host_vector() for _ in range(2))
        self.ours = self.exchange.host_vector()
        fill(self.ours.columns[0], self.identity)
        self.inbox, self.outbox = (self.exchange.device_vector() for _ in range(2))
        fields = self.product.fields
        dtypes = tuple(self.vertices.dtype[name] for name in fields)
        self.mirroring = Exchange(device, n, ids, dtypes, form) if fields else None
        self.mirror = tuple(device.empty(n, dtype) for dtype in dtypes)
        self.changed = np.zeros(self.exchange.num_words, np.uint64)
        self.exchange.set_all(self.changed)  # the mirror is empty at first
        self.active = np.zeros(self.exchange.num_words, np.uint64)
        self.num_words = self.exchange.num_words
        self.first_suffices = monoid.stops_at_first

    def select(self, present: Any, scale: float) -> tuple[Array, Array, int]:
        """Select the senders into ``frontier``; returns their number and edges by block, and the lowest waiting key."""
        bounds = self.bounds["push"]
        given = (self.vertices, self.active, self.frontier.words, self.frontier.columns[0], as_bits(self.along.indptr))
        blocks = threads.each(self.kernels.select, bounds.size - 1, bounds, *given, present, scale)
        counts, edges, lowest = zip(*blocks, strict=True)
        return np.array(counts), np.array(edges), int(min(lowest))

    def send_all(self) -> None:
        """All vertices send."""
        bounds = self.bounds["pull"]
        self.exchange.set_all(self.frontier.words)
        threads.each(self.kernels.send_all, bounds.size - 1, bounds, self.vertices, self.frontier.columns[0])

    def step(self, counts: Array, direction: str, edges: Array, alone: bool) -> tuple[Step, int]:
        """Divide and compute the products of all rows, and apply; returns the trace and the number of active vertices.

        ``counts`` are the senders of each block, ``edges`` the edges to push or pull in each.
        """
        count = int(counts.sum())
        began = time.perf_counter()
        bounds = self.bounds[direction]
        blocks = bounds.size - 1
        slow_blocks = min(int(np.searchsorted(bounds, self.slow[direction])), blocks)
        ours = blocks if alone else self._cut(direction, edges, slow_blocks)
        up, down, watch = NOTHING, NOTHING, None
        if ours < blocks:
            watch = Stopwatch(self.device)
            up = self._start(direction, count, int(bounds[ours]), counts, int(edges[ours:].sum()))
            watch.stop()
        seconds_cpu, looked = 0.0, 0
        if ours > 0:
            start = time.perf_counter()
            looked = self._product_on_cpu(direction, count, ours)
            seconds_cpu = time.perf_counter() - start
        seconds_gpu = 0.0
        if watch is not None:
            seconds_gpu = watch.seconds()
            start = time.perf_counter()
            down = self.exchange.down(self.outbox, self.theirs)
            seconds_gpu += time.perf_counter() - start
        else:
            self.theirs.words.fill(0)
        active = self._apply()
        prefix = np.append(0, np.cumsum(edges))
        edges_cpu, edges_gpu = int(prefix[ours]), int(prefix[-1] - prefix[ours])
        slow = max(0, int(prefix[slow_blocks] - prefix[ours]))
        self.rates.learn_cpu(direction, edges_cpu, seconds_cpu)
        self.rates.learn_gpu(direction, slow, edges_gpu - slow, seconds_gpu)
        form = up.form if up.form == down.form else f"{up.form}/{down.form}"
        followed, seconds = looked if direction == "pull" else edges_cpu, time.perf_counter() - began
        sent = (up.nbytes, down.nbytes)
        return Step(count, direction, followed, edges_gpu, *sent, seconds_cpu, seconds_gpu, form, seconds), active

    def _cut(self, direction: str, edges: Array, slow_blocks: int) -> int:
        first_row = self.settings.first_row
        if first_row is not None:
            return min(int(np.searchsorted(self.bounds[direction], first_row // 64 * 64)), edges.size)
        return self.rates.cut(direction, edges, slow_blocks)

    def _start(self, direction: str, count: int, first_row: int, counts: Array, edges: int) -> Sent:
        """Send the messages and start the GPU's product."""
        mirrored = NOTHING
        if self.mirroring is not None:
            columns = tuple(self.vertices[name] for name in self.product.fields)
            mirrored = self.mirroring.up(Vector(self.changed, columns), Vector(None, self.mirror))
            self.changed.fill(0)
        sums, reached = self.outbox.columns[0], self.outbox.words
        reached.fill(0)
        if direction == "push":
            sums.fill(self.identity)
            senders = Vector(self.frontier.words.copy(), self.frontier.columns)
            senders.words[: first_row // 64] = 0
            sent = self.exchange.up(senders, self.inbox)
            pushed = int(counts[np.searchsorted(self.bounds["push"], first_row) :].sum())
            self.product.push(self.inbox.words, pushed, edges, self.inbox.columns[0], sums, reached, self.mirror)
        else:
            sent = self.exchange.up(self.frontier, self.inbox)
            active = None if count == self.n else self.inbox.words
            self.product.pull(first_row, self.inbox.columns[0], active, sums, reached, self.mirror)
        return Sent(sent.form, sent.nbytes + mirrored.nbytes)

    def _product_on_cpu(self, direction: str, count: int, blocks: int) -> int:
        """Compute the CPU's product; returns the edges that a pull read."""
        sums, reached = self.ours.columns[0], self.ours.words
        rows = (self.bounds[direction], self.rows[direction])
        given = (*rows, self.vertices, self.frontier.columns[0], self.frontier.words)
        if direction == "push":
            threads.each(self.kernels.push, blocks, *given, (sums, as_bits(sums)), reached)
            return 0
        everyone = count == self.n
        return int(sum(threads.each(self.kernels.pull, blocks, *given, everyone, self.identity, sums, reached)))

    def _apply(self) -> int:
        bounds = self.bounds["push"]
        sides = ((side.words, side.columns[0]) for side in (self.ours, self.theirs))
        given = (self.vertices, self.identity, self.everyone, *sides, self.active, self.changed)
        return int(sum(threads.each(self.kernels.apply, bounds.size - 1, bounds, *given)))


def fill(array: Array, number: Any) -> None:
    """Set all entries, by all threads."""
    parts = threads.pieces(array.size)
    threads.each(kernels.fill, parts, np.arange(parts + 1, dtype=np.int64) * array.size // parts, array, number)


def arcs_of(rows: Adjacency, bounds: Array) -> Array:
    """The edges in blocks of rows."""
    return np.diff(rows.indptr[bounds])


def blocks_of_rows(rows: Adjacency, cut: int | None) -> Array:
    """Blocks of rows with similar numbers of edges, which begin at multiples of 64, and one at ``cut``."""
    parts = max(1, min(threads.count() * SHARES, (rows.num_arcs + rows.num_vertices) >> 12))
    inner = blocks_of(rows, parts)[1:-1] // 64 * 64
    n = rows.num_vertices
    ends = [0, n] if cut is None else [0, n, min(cut, n) // 64 * 64]
    return np.unique(np.concatenate([inner, ends])).astype(np.int64)
