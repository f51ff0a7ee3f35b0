"""Paths of the smallest value over a graph in chunks: breadth-first search, shortest and widest paths.

Marked vertices become a list in ascending order, chunk after chunk has the edges of its part of the list followed, and
whoever gets a better value is marked. While there are few edges to follow, the device goes on by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.engines.cuda.device import GRID_BARRIER_WORDS, blocks_for
from clew.engines.cuda.outofcore.choice import Options
from clew.engines.cuda.outofcore.chunks import ChunkedRows
from clew.engines.cuda.outofcore.loop import THREADS, Listed, Part, Passes
from clew.engines.cuda.outofcore.tracing import Steps
from clew.engines.cuda.paths import Problem
from clew.engines.cuda.source import ctype

#: How parents are kept: not at all, with every value, or, where values never fall twice, by whoever comes first or is
#: the smallest.
NONE, LINKED, FIRST, SMALLEST = range(4)
#: As in chunk_select.cuh.
TOLD_WORDS = 9
TOLD = np.dtype(
    {
        "names": ["count", "edges", "threshold", "least", "step", "buckets", "done", "reached", "orphans"],
        "formats": ["u8"] * TOLD_WORDS,
    }
)
COUNT_BITS = 24  # of a queue's size: frontiers of the device's own have fewer rows
MOST_SMALL = 1 << 20
STEPS_PER_LAUNCH = 1 << 12  # then the host has a look, so that Ctrl-C is heard
TRACED_STEPS = 1 << 14  # of the device's own
BLOCKS_PER_PROCESSOR = 2  # of small steps: enough to keep the link busy, few enough to meet soon


class Search:
    """A search whose state stays on the device from step to step."""

    def __init__(self, rows: ChunkedRows, problem: Problem, source: int, parents: int, options: Options) -> None:
        device, n = rows.device, rows.num_vertices
        self.rows, self.device, self.n, self.problem, self.source = rows, device, n, problem, source
        self.options = options
        self.small = min(options.small, MOST_SMALL)
        self.passes, self.steps = Passes(rows, options), Steps(rows.device, rows.edge_bytes)
        self.defines = defines(rows, problem)
        self.row = row_dtype(rows)
        self.waits = np.isfinite(problem.delta)
        key = np.dtype(f"u{problem.value.itemsize}")
        self.keys = device.empty(n, key)
        self.links = device.empty(n, np.uint64) if parents == LINKED else None
        self.parents = device.empty(n, rows.index) if parents in (FIRST, SMALLEST) else None
        unsigned = None if self.parents is None else self.parents.view(f"u{rows.index.itemsize}")
        self.tree = (self.links, unsigned, np.int32(parents == SMALLEST))
        self.bits, self.marks = device.empty(-(-n // 32), np.uint32), device.empty(n, np.uint32)
        self.list = device.empty(n * self.row.itemsize, np.uint8)
        self.queues = [device.empty(max(1, min(self.small, n)) * self.row.itemsize, np.uint8) for _ in range(2)]
        self.counters, self.barrier = device.zeros(7, np.uint64), device.zeros(GRID_BARRIER_WORDS, np.uint32)
        self.told = device.zeros(TOLD_WORDS + 3 * rows.bounds.size, np.uint64)
        self.trace = device.zeros((min(TRACED_STEPS, n + 64), 4), np.int64)
        blocks = max(device.resident_blocks(self.kernel(name), THREADS) for name in ("chunk_select", "chunk_levels"))
        self.sums = device.empty(4 * blocks, np.uint64)
        first, low, unreached = (problem.value.type(x) for x in (problem.first, problem.low, problem.unreached))
        self.unreached = unreached
        self.launch(
            "chunk_begin",
            n,
            np.uint64(n),
            rows.index.type(source),
            first,
            low,
            unreached,
            np.float64(problem.delta),
            self.keys,
            *self.tree[:2],
            self.bits,
            self.marks,
            self.told,
        )

    def run(self) -> None:
        """Search until nothing is left to be done."""
        kernel = self.kernel("chunk_relax")
        state = (self.keys, *self.tree, self.bits, self.unreached)
        prepare = self._clear if self.rows.host[1] is not None else None

        def work(blocks: int, head: tuple[Any, ...]) -> None:
            self.device.launch(kernel, blocks, THREADS, *head, *state)

        alone, told = self.small > 0, None
        while True:
            if alone:
                told = self._small(told)
                if told["done"]:
                    return
            told, listed = self.select(told if alone else None, waits=self.waits)
            if told["count"] == 0:
                return
            alone = int(told["edges"]) <= self.small
            if not alone:
                moved = self.passes.over(work, listed, prepare)
                self.steps.add(int(told["buckets"]), int(told["count"]), int(told["edges"]), moved)

    def finish(self, parents: Any | None = None) -> tuple[Any, Any, int]:
        """Values and parents on the device, and how many vertices were reached."""
        given = self.parents if parents is None else parents
        values = self.device.empty(self.n, self.problem.result)
        parent = self.device.empty(self.n, self.rows.index) if given is None else given
        self.launch(
            "chunk_end",
            self.n,
            np.uint64(self.n),
            self.keys,
            self.links if given is None else None,
            self.unreached,
            self.problem.result.type(self.problem.nothing),
            values,
            parent,
            self.told,
        )
        return values, parent, int(self.read()["reached"])

    def select(self, listed: Any = None, *, waits: bool) -> tuple[Any, Listed]:
        """The marked rows as a list, and where chunks begin there; ``listed`` tells of a list that is there already."""
        count, edges = (0, 0) if listed is None else (int(listed["count"]), int(listed["edges"]))
        bounds = self.rows.bounds
        self.device.launch_cooperative(
            self.kernel("chunk_select"),
            THREADS,
            np.uint64(self.n),
            self.rows.offsets,
            self.bits,
            self.keys if waits else None,
            self.unreached,
            np.float64(self.problem.delta),
            self.list,
            self.sums,
            np.uint64(count),
            np.uint64(edges),
            bounds,
            np.uint64(bounds.size),
            self.told,
            self.barrier,
        )
        words = self.device.download(self.told)
        self.steps.close()
        told = words[:TOLD_WORDS].view(TOLD)[0]
        return told, Listed(self.list, self.row, words[TOLD_WORDS:].view(np.int64).reshape(-1, 3))

    def read(self) -> Any:
        """What the kernels told last."""
        return self.device.download(self.told[:TOLD_WORDS]).view(TOLD)[0]

    def launch(self, name: str, work: int, *args: Any, file: str = "chunk_levels.cuh") -> None:
        """Start a kernel that goes over ``work`` items."""
        self.device.launch(self.kernel(name, file), blocks_for(self.device, work, THREADS), THREADS, *args)

    def _small(self, listed: Any) -> Any:
        """Steps by the device alone, until a frontier has too many edges or nothing is left."""
        count, edges = (0, 0) if listed is None else (listed["count"], listed["edges"])
        before = 0 if listed is None else int(listed["step"])
        low, high = self.rows.low, self.rows.high
        self.device.launch_cooperative(
            self.kernel("chunk_levels"),
            THREADS,
            np.uint64(self.n),
            self.rows.offsets,
            low[0],
            high[0],
            low[1],
            high[1],
            np.uint64(self.rows.split),
            self.keys,
            *self.tree,
            self.bits,
            self.marks,
            self.unreached,
            np.int32(self.waits),
            np.float64(self.problem.delta),
            self.list,
            *self.queues,
            np.uint64(count),
            np.uint64(edges),
            np.uint64(self.small),
            np.uint64(STEPS_PER_LAUNCH),
            self.sums,
            self.trace,
            np.uint64(self.trace.shape[0]),
            self.counters,
            self.told,
            self.barrier,
            most=BLOCKS_PER_PROCESSOR * self.device.num_processors,
        )
        told = self.read()
        traced = self.trace.shape[0]
        steps = self.device.download(self.trace[min(before, traced) : min(int(told["step"]), traced)])
        self.steps.add_small(steps)
        self.steps.close()
        return told

    def _clear(self, part: Part) -> None:
        """Rows of a part are read with the values they have by then: what marked them before that is done with."""
        numbers = map(np.uint64, (part.start, part.num_rows, part.low, part.high))
        self.launch("chunk_clear", part.num_rows, self.list, *numbers, self.bits)

    def kernel(self, name: str, file: str = "chunk_levels.cuh") -> Any:
        """A kernel over these rows and values."""
        return self.device.kernel(file, name, self.defines)


def row_dtype(rows: ChunkedRows) -> np.dtype[Any]:
    """``Row`` in frontier.cuh."""
    wide = rows.num_arcs >= 2**32
    offset, size = ("i8", 8) if wide else ("u4", 4)
    start = max(size, rows.index.itemsize)
    places = [0, start, start + size, start + 2 * size]
    whole = -(-(start + 3 * size) // 16) * 16
    formats = [f"i{rows.index.itemsize}", offset, offset, offset]
    return np.dtype({"names": ["vertex", "first", "end", "rank"], "formats": formats, "offsets": places,
                     "itemsize": whole})  # fmt: skip


def defines(rows: ChunkedRows, problem: Problem) -> dict[str, Any]:
    """The macros of chunk_*.cuh."""
    return {
        **rows.defines,
        "value_t": ctype(problem.value),
        "key_t": "unsigned int" if problem.value.itemsize == 4 else "unsigned long long",
        "result_t": ctype(problem.result),
        "WIDEST": int(problem.widest),
        "COUNT_BITS": COUNT_BITS,
    }
