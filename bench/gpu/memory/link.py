"""What a kernel reads from host memory, by the length of the rows it reads and the room they are spread over.

These are the ceilings for edges that are read over the link: in order, and in rows at random places.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.gpu.memory.markdown import Reason, figures, number, reasons, table
from bench.gpu.memory.measuring import Bench
from clew.engines.cuda.memory.bandwidth import bandwidths
from clew.engines.cuda.toolchain.device import blocks_for

KERNEL = str(Path(__file__).with_name("rows_at_random.cuh"))
LENGTHS = (32, 64, 128, 256, 512, 1024, 4096, 65536)  # bytes of a row
ROOMS = (16 << 20, 256 << 20, 4 << 30)  # bytes that rows are spread over
READ = 128 << 20  # bytes read for one figure, at most
LINE = 128  # rows begin at multiples of so many bytes
THREADS = 256
ROUNDS = 3
REGISTERED, PINNED, SPLIT = "registered", "pinned", "the host part of a split array"


@dataclass
class Link:
    """Bytes per second: in order, and by kind of memory, room and length of rows."""

    in_order: float
    rows: dict[tuple[str, int, int], Any] = field(default_factory=dict)
    rooms: tuple[int, ...] = ROOMS

    def ceilings(self, kind: str, lengths: Any) -> Any:
        """For rows of these lengths, between the figures there are; no more than in order.

        Those are of the middle room: searches follow rows in their order, and so never are all over the memory.
        """
        room = self.rooms[len(self.rooms) // 2]
        known = [(size, rate) for size in LENGTHS if figures([rate := self.rows.get((kind, room, size))])]
        if not known:
            return None
        sizes, rates = (np.array(column, dtype=np.float64) for column in zip(*known, strict=True))
        wanted = np.maximum(np.asarray(lengths, dtype=np.float64), 1)
        found = np.exp(np.interp(np.log(wanted), np.log(sizes), np.log(rates)))
        found *= np.minimum(1, wanted / sizes[0])  # less than the shortest row costs as much as that
        return np.fmin(found, self.in_order)

    def ceiling_of_all(self, kind: str, lengths: Any, counts: Any) -> float | None:
        """For rows of many lengths, each read at its own ceiling."""
        rates = self.ceilings(kind, lengths)
        if rates is None or not np.size(lengths):
            return None
        moved = np.asarray(lengths, dtype=np.float64) * counts
        return float(moved.sum() / (moved / rates).sum())

    @property
    def text(self) -> str:
        """The table."""
        parts = [
            "### The link, by the length of rows",
            f"GB/s that a kernel reads from host memory; in order {self.in_order / 1e9:.1f}. Rows begin at random "
            f"multiples of {LINE} bytes; consecutive lanes read consecutive numbers of 4 bytes, 8 of them in flight "
            "in each. Only the bytes of the rows count.",
        ]
        heads = ["memory", "spread over", *(f"{length:,} B" for length in LENGTHS)]
        kinds = dict.fromkeys((kind, room) for kind, room, _ in self.rows)
        rows = [
            [kind, _size(room), *(number(self.rows[kind, room, length], 1e-9) for length in LENGTHS)]
            for kind, room in kinds
        ]
        return "\n\n".join(part for part in (*parts, table(heads, rows), reasons(self.rows.values())) if part)


def _size(room: int) -> str:
    return f"{room >> 30} GiB" if room >= 1 << 30 else f"{room >> 20} MiB" if room >= 1 << 20 else f"{room >> 10} KiB"


def measure(bench: Bench, smaller: int = 0) -> Link:
    """All of it; ``smaller`` takes bits off the sizes, for a trial."""
    rooms = tuple(max(1 << 17, room >> smaller) for room in ROOMS)
    in_order = bench.tried("in order", lambda: bandwidths(bench.gpu, "pinned", rooms[0] if bench.emulated else None)[0])
    link = Link(float("nan") if isinstance(in_order, Reason) else in_order, rooms=rooms)
    rooms = tuple(dict.fromkeys(rooms))
    for kind, memory in _memories(bench.gpu, rooms[-1]).items():
        values = bench.tried(kind, memory)
        for room in rooms:
            for length in LENGTHS:
                link.rows[kind, room, length] = (
                    values
                    if isinstance(values, Reason)
                    else bench.tried(
                        f"{kind} {length}", _rate(bench, values[0], room, length, max(1 << 16, READ >> smaller))
                    )
                )
        del values
    return link


def _memories(gpu: Any, size: int) -> dict[str, Callable[[], tuple[Any, Any]]]:
    """Numbers in each kind of memory, and what keeps them alive."""

    def registered() -> tuple[Any, Any]:
        values = np.ones(size // 4, np.uint32)
        return gpu.hosted(values), values

    def pinned() -> tuple[Any, Any]:
        values = gpu.pinned(size // 4, np.uint32)
        values.fill(1)
        return gpu.hosted(values), values

    def split() -> tuple[Any, Any]:  # all but the last page
        return gpu.split(np.ones(size // 4 + gpu.page // 4, np.uint32), size), None

    return {REGISTERED: registered, PINNED: pinned, SPLIT: split}


def _rate(bench: Bench, values: Any, room: int, length: int, read: int) -> Callable[[], float]:
    gpu = bench.gpu
    places = (room - length) // LINE + 1
    reads = read // length * (length // 4)
    grid = blocks_for(gpu, reads, THREADS)

    def run() -> float:
        kernel = gpu.kernel(KERNEL, "rows_at_random")
        best = float("inf")
        for _ in range(ROUNDS):
            total = gpu.zeros(1, np.uint64)
            arguments = (np.uint64(places), np.uint64(length // 4), np.uint64(reads), total)
            seconds, _ = bench.once(partial(gpu.launch, kernel, grid, THREADS, values, *arguments))
            best = min(best, seconds)
            if int(gpu.download(total)[0]) != reads:  # every number is 1
                raise AssertionError(f"{int(gpu.download(total)[0]):,} numbers were read, expected {reads:,}")
        return reads * 4 / best

    return run
