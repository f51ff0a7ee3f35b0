"""A pass over the active edges: every chunk by the way that suits it, copies ahead of kernels."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.device import Device, blocks_for
from clew.engines.cuda.outofcore.choice import COMPACT, FILTER, RESIDENT, ZERO_COPY, Active, Options, choose
from clew.engines.cuda.outofcore.chunks import Chunk, ChunkedRows
from clew.engines.cuda.outofcore.gather import clipped, gather
from clew.engines.cuda.outofcore.ring import Ring, Slot, copied

THREADS = 256
EDGES_PER_THREAD = 4


class Listed(NamedTuple):
    """Active rows in ascending order on the device (``Row`` in frontier.cuh), and where chunks begin in that list.

    ``table`` has, for every boundary, the first row that ends after it, whether that row begins before it, and the
    listed edges before it.
    """

    rows: Any
    dtype: np.dtype[Any]
    table: list[list[int]]


class Part(NamedTuple):
    """What there is to do of chunks that follow each other."""

    low: int
    high: int
    start: int
    num_rows: int
    edges: int
    before: int

    def leads_to(self, later: Part) -> bool:
        """Whether no listed edge comes between them."""
        return self.before + self.edges == later.before

    def through(self, later: Part) -> Part:
        """One with the next."""
        end = later.start + later.num_rows
        return Part(self.low, later.high, self.start, end - self.start, self.edges + later.edges, self.before)


class Moved(NamedTuple):
    """Bytes over the link, chunks by each way, and why."""

    bytes: int
    ways: Counter[str]
    why: str


#: Launches a kernel: blocks, and the arguments that all kernels over a chunk begin with (CHUNK_PARAMETERS).
Work = Callable[[int, tuple[Any, ...]], None]
#: Told of every part before the kernels that follow its edges.
Prepare = Callable[[Part], None]


class Passes:
    """The passes of one run over the same rows with the same options."""

    def __init__(self, rows: ChunkedRows, options: Options) -> None:
        self.rows, self.options, self.device = rows, options, rows.device
        self._ring: Ring | None = None

    @property
    def ring(self) -> Ring:
        """Slots that nobody else has, made when the first chunk needs one; then kept with the rows for later runs."""
        if self._ring is None:
            unused: list[Ring] = self.rows.kept.setdefault(f"rings of {self.options.slots}", [])
            try:
                self._ring = unused.pop()
            except IndexError:
                self._ring = Ring(self.rows, self.options.slots)
            weakref.finalize(self, unused.append, self._ring).atexit = False
        return self._ring

    def over(self, work: Work, listed: Listed | None = None, prepare: Prepare | None = None,
             only: range | None = None) -> Moved:  # fmt: skip
        """Have ``work`` done on all edges of listed rows, or of all rows; ``only`` names the chunks to be looked at."""
        numbers = range(len(self.rows.chunks)) if only is None else only
        jobs, size, why = self._ways([_part(self.rows.chunks[k], k, listed) for k in numbers], listed)
        ways = Counter(way for way, _ in jobs)
        by_copy = [job for job in jobs if job[0] in (FILTER, COMPACT)]
        at_once = _joined([job for job in jobs if job[0] in (RESIDENT, ZERO_COPY)])
        # What is to be gathered is asked for before any kernel is launched: later, that would wait for the kernels,
        # which work on what need not be copied while the first copies are made.
        rows, start = self._to_gather(by_copy, listed)
        for way, part in at_once:
            self._do(work, prepare, part, listed, way)
        if by_copy:
            copies = self.ring.passes(by_copy, lambda job, slot: self._fill(*job, slot, rows, start))
            for (way, part), slot in copies:
                self._do(work, prepare, part, listed, way, slot)
        return Moved(size, ways, why)

    def _ways(self, parts: list[Part], listed: Listed | None) -> tuple[list[tuple[str, Part]], int, str]:
        """Every part that has something to do with its way, the bytes that they move, and why."""
        parts = [part for part in parts if part.edges > 0]
        away = [part for part in parts if part.low < self.rows.split]
        resident = [(RESIDENT, part) for part in parts[len(away) :]]
        if not away:
            return resident, 0, "all in device memory"
        neighbours, weights = self.rows.host
        item = 0 if weights is None else weights.itemsize
        if listed is None:  # no list to gather by, and nothing to leave out
            way = FILTER if FILTER in self.options.ways else ZERO_COPY
            size = sum(part.edges for part in away) * (neighbours.itemsize + item)
            return [(way, part) for part in away] + resident, size, f"{way} for {len(away)}: all edges are wanted"
        table = np.array([(part.num_rows, part.edges, part.high - part.low) for part in away])
        choice = choose(Active(*table.T), neighbours.itemsize, item, self.options)
        chosen = [(self.options.ways[k], part) for k, part in zip(choice.way.tolist(), away, strict=True)]
        return chosen + resident, int(choice.bytes.sum()), choice.why

    def _to_gather(self, jobs: list[tuple[str, Part]], listed: Listed | None) -> tuple[Array, int]:
        """The listed rows from the first to the last that is to be gathered, and the number of the first."""
        gathered = [part for way, part in jobs if way == COMPACT]
        if listed is None or not gathered:
            return np.empty(0), 0
        start, size = gathered[0].start, listed.dtype.itemsize
        end = gathered[-1].start + gathered[-1].num_rows
        return self.device.download(listed.rows[start * size : end * size]).view(listed.dtype), start

    def _fill(self, way: str, part: Part, slot: Slot, rows: Array, start: int) -> list[tuple[Any, Array]]:
        arrays = self.rows.host
        if way == FILTER:
            parts = [None if array is None else array[part.low : part.high] for array in arrays]
            return copied(parts, slot, part.high - part.low)
        own = rows[part.start - start : part.start + part.num_rows - start]
        wanted = clipped(own, part.low, part.high, part.before)
        buffers = slot.pinned
        for buffer, array in zip(buffers, arrays, strict=False):
            if array is not None:
                gather(wanted, array, buffer)
        return copied(list(buffers), slot, part.edges)

    def _do(self, work: Work, prepare: Prepare | None, part: Part, listed: Listed | None, way: str,
            slot: Slot | None = None) -> None:  # fmt: skip
        if prepare is not None:
            prepare(part)
        if slot is not None:
            arrays, base = (slot.neighbours, slot.weights), part.low
        elif way == RESIDENT:
            arrays, base = self.rows.high, part.low
        else:
            arrays, base = self.rows.low, 0
        numbers = (part.start, part.num_rows, part.edges, part.low, part.high, part.before, base)
        flags = (np.int32(way == COMPACT), np.int32(way == ZERO_COPY))
        head = (None if listed is None else listed.rows, self.rows.offsets, *arrays)
        work(blocks_of(self.device, part.edges), (*head, *map(np.uint64, numbers), *flags))


def _joined(jobs: list[tuple[str, Part]]) -> list[tuple[str, Part]]:
    """Parts that are read over the link as one, where nothing that is active lies between them."""
    joined: list[tuple[str, Part]] = []
    for way, part in jobs:
        if joined and joined[-1][0] == way == ZERO_COPY and joined[-1][1].leads_to(part):
            joined[-1] = (way, joined[-1][1].through(part))
        else:
            joined.append((way, part))
    return joined


def blocks_of(device: Device, edges: int) -> int:
    """A grid for so many edges."""
    return blocks_for(device, edges // EDGES_PER_THREAD, THREADS)


def _part(chunk: Chunk, number: int, listed: Listed | None) -> Part:
    """What a chunk has of the listed rows, or of all."""
    if listed is None:
        return Part(chunk.low, chunk.high, chunk.first_row, chunk.num_rows, chunk.edges, chunk.low)
    start, _, before = listed.table[number]
    end, cut, until = listed.table[number + 1]
    return Part(chunk.low, chunk.high, start, end + cut - start, until - before, before)
