"""A pass over the active edges: every chunk by the way that suits it, copies ahead of kernels."""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.device import Device, blocks_for
from clew.engines.cuda.outofcore.choice import (
    COMPACT,
    FILTER,
    RESIDENT,
    ZERO_COPY,
    Active,
    Choice,
    Options,
    choose,
)
from clew.engines.cuda.outofcore.chunks import ChunkedRows
from clew.engines.cuda.outofcore.gather import gather
from clew.engines.cuda.outofcore.ring import Ring, Slot, copied

THREADS = 256
EDGES_PER_THREAD = 4
RESIDENT_CODE = -1  # among the numbers of ways


class Listed(NamedTuple):
    """Active rows in ascending order on the device (``Row`` in frontier.cuh), and where chunks begin in that list.

    ``table`` has, for every boundary, the first row that ends after it, whether that row begins before it, and the
    listed edges before it.
    """

    rows: Any
    dtype: np.dtype[Any]
    table: Array


class Part(NamedTuple):
    """What there is to do of chunks that follow each other."""

    low: int
    high: int
    start: int
    num_rows: int
    edges: int
    before: int


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
        columns = [(c.low, c.high, c.first_row, c.num_rows, c.edges, c.low) for c in rows.chunks]
        self._chunks = np.array(columns, np.int64).reshape(-1, 6)

    @property
    def ring(self) -> Ring:
        """Slots that nobody else has, made when the first chunk needs one; then kept with the rows for later runs."""
        if self._ring is None:
            unused = self._unused()
            try:
                self._ring = unused.pop()
            except IndexError:
                self._ring = Ring(self.rows, self.options.slots)
                self.rows.kept["rings"] = self.rows.kept.get("rings", 0) + 1
            weakref.finalize(self, unused.append, self._ring).atexit = False
        return self._ring

    def has_slots(self) -> bool:
        """Whether there are slots for this run: there may be memory for none, or for those of one run at a time."""
        most = self.rows.rings
        if self._ring is not None or most is None or (most > 0 and self._unused()):
            return True
        if self.rows.kept.get("rings", 0) >= most > 0:
            gc.collect()  # a run that failed may have them still
        return bool(self._unused()) or self.rows.kept.get("rings", 0) < most

    def _unused(self) -> list[Ring]:
        found: list[Ring] = self.rows.kept.setdefault(f"rings of {self.options.slots}", [])
        return found

    def over(self, work: Work, listed: Listed | None = None, prepare: Prepare | None = None,
             only: range | None = None) -> Moved:  # fmt: skip
        """Have ``work`` done on all edges of listed rows, or of all rows; ``only`` names the chunks to be looked at."""
        jobs, moved = self._ways(range(len(self.rows.chunks)) if only is None else only, listed)
        by_copy = [job for job in jobs if job[0] in (FILTER, COMPACT)]
        # What is to be gathered is asked for before any kernel is launched: later, that would wait for the kernels,
        # which work on what need not be copied while the first copies are made.
        rows, start = self._to_gather(by_copy, listed)
        told: Prepare = _nothing  # there is nothing to prepare before the first
        for way, part in jobs:
            if way in (RESIDENT, ZERO_COPY):
                self._do(work, told, part, listed, way)
                told = prepare or _nothing
        if by_copy:
            copies = self.ring.passes(by_copy, lambda job, slot: self._fill(*job, slot, rows, start))
            for (way, part), slot in copies:
                self._do(work, told, part, listed, way, slot)
                told = prepare or _nothing
        return moved

    def _ways(self, only: range, listed: Listed | None) -> tuple[list[tuple[str, Part]], Moved]:
        """What there is to do by which way, and what that moves. What is not copied whole is done many chunks at once.

        All at once by arrays: a step may have little to do in many chunks.
        """
        table = self._chunks[only.start : only.stop]
        if listed is not None:
            place = listed.table[only.start : only.stop + 1]
            start, end, edges = place[:-1, 0], place[1:, 0] + place[1:, 1], place[1:, 2] - place[:-1, 2]
            ends, table = table[:, :2], np.empty_like(table)
            table[:, :2], table[:, 2], table[:, 3], table[:, 4], table[:, 5] = (
                ends, start, end - start, edges, place[:-1, 2],
            )  # fmt: skip
        table = table[table[:, 4] > 0]
        away = int(np.searchsorted(table[:, 0], self.rows.split))
        names, way = self._chosen(table[:away], listed is not None)
        codes = np.append(way.way, np.full(len(table) - away, RESIDENT_CODE))
        counts = Counter({name: int((way.way == k).sum()) for k, name in enumerate(names)})
        counts[RESIDENT] = len(table) - away
        jobs = [
            (RESIDENT if code == RESIDENT_CODE else names[code], part)
            for code, part in self._joined(table, codes, names)
        ]
        return jobs, Moved(int(way.bytes.sum()), +counts, way.why)

    def _chosen(self, table: Array, has_list: bool) -> tuple[tuple[str, ...], Choice]:
        """The ways that there are, and the choice among them for chunks that are not in device memory."""
        nobody = np.zeros(len(table), np.int64)
        if not len(table):
            return self.options.ways, Choice(nobody, nobody, "all in device memory")
        ways = self.options.ways if self.has_slots() else (ZERO_COPY,)
        neighbours, weights = self.rows.host
        item = 0 if weights is None else weights.itemsize
        if not has_list:  # nothing to gather by, and nothing to leave out
            way = FILTER if FILTER in ways else ZERO_COPY
            size = table[:, 4] * (neighbours.itemsize + item)
            return (way,), Choice(nobody, size, f"{way} for {len(table)}: all edges are wanted")
        active = Active(table[:, 3], table[:, 4], table[:, 1] - table[:, 0])
        options = self.options if ways == self.options.ways else replace(self.options, ways=ways)
        return ways, choose(active, neighbours.itemsize, item, options)

    def _joined(self, table: Array, codes: Array, names: tuple[str, ...]) -> list[tuple[int, Part]]:
        """Chunks that follow each other by one way as one part; those between have nothing that is active.

        Copies of whole chunks stay apart, and so do gathered ones that do not fit a slot together.
        """
        jobs: list[tuple[int, Part]] = []
        everything = self.rows.num_arcs
        most = {ZERO_COPY: everything, COMPACT: self.rows.slot_edges}
        first, ends = 0, [*(np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist(), len(codes)]
        for end in ends:
            while first < end:
                code = int(codes[first])
                limit = everything if code == RESIDENT_CODE else most.get(names[code], 0)
                through = table[first:end, 4].cumsum()
                last = first + max(1, int(through.searchsorted(limit, side="right"))) - 1
                low, _, start, _, _, before = table[first].tolist()
                _, high, begin, rows, _, _ = table[last].tolist()
                part = Part(low, high, start, begin + rows - start, int(through[last - first]), before)
                jobs.append((code, part))
                first = last + 1
        return jobs

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
        buffers = slot.pinned
        for buffer, array in zip(buffers, arrays, strict=False):
            if array is not None:
                gather(own, part.low, part.high, part.before, array, buffer)
        return copied(list(buffers), slot, part.edges)

    def _do(self, work: Work, prepare: Prepare, part: Part, listed: Listed | None, way: str,
            slot: Slot | None = None) -> None:  # fmt: skip
        prepare(part)
        if slot is not None:
            arrays, base = (slot.neighbours, slot.weights), part.low
        elif way == RESIDENT:
            arrays, base = self.rows.high, self.rows.split
        else:
            arrays, base = self.rows.low, 0
        numbers = (part.start, part.num_rows, part.edges, part.low, part.high, part.before, base)
        flags = (np.int32(way == COMPACT), np.int32(way == ZERO_COPY))
        head = (None if listed is None else listed.rows, self.rows.offsets, *arrays)
        work(blocks_of(self.device, part.edges), (*head, *map(np.uint64, numbers), *flags))


def blocks_of(device: Device, edges: int) -> int:
    """A grid for so many edges."""
    return blocks_for(device, edges // EDGES_PER_THREAD, THREADS)


def _nothing(_: Part) -> None:
    """No preparation."""
