"""Time on a GPU: the median of repeated runs after a warm-up, with the graph in GPU memory.

Kernel time is taken by CUDA events, from the start of a run's first kernel to the end of its last, so that whatever the
host does between two kernels counts; the wall time has the whole call, allocations and the read-back of counters too.

A library's call is timed from outside: its clock begins before what it does on the host, and clew's begins at its first
launch. So where the two are compared the GPU is kept busy first (``held``), until the host is through with either one;
what the host takes is in the wall time. Runs for the wall time alternate with those for the kernels.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Work:
    """A run on a graph, under the name of the work that peers were timed at, and a check of what it gives back.

    ``check`` takes what ``run`` returned; it raises where that is wrong, and may return a note for the table. ``held``
    is for work that is compared with a library's call, on both sides.
    """

    work: str
    variant: str
    run: Callable[[], Any]
    check: Callable[[Any], str | None] | None = None
    held: bool = False


@dataclass(frozen=True)
class Timed:
    """What one piece of work took, in milliseconds."""

    work: str
    graph: str
    variant: str
    device_ms: float
    wall_ms: float
    spread: float
    note: str = ""


class Watch:
    """The time from the start of the first kernel of a run to the end of its last.

    As few events as possible: one takes the GPU a microsecond or two, which a library's single call pays twice.
    """

    def __init__(self) -> None:
        import cupy as cp

        self.cuda = cp.cuda
        self.begin, self.end = cp.cuda.Event(), cp.cuda.Event()
        self.begun = False

    def before(self, _: str) -> None:
        """A kernel is about to start."""
        if not self.begun:
            self.begin.record()
            self.begun = True

    def after(self) -> None:
        """It was started."""
        self.end.record()

    def take(self) -> float:
        """Milliseconds from the first to the last, and forget them."""
        if not self.begun:
            return 0.0
        self.begun = False
        return float(self.cuda.get_elapsed_time(self.begin, self.end))


HELD = (
    1_000_000  # cycles that the GPU is kept busy: half a millisecond, several times what the host takes for a product
)
BUSY = """extern "C" __global__ void busy(long long cycles) {
    const long long until = clock64() + cycles;
    while (clock64() < until) {}
}"""


def timed(
    work: str,
    graph: str,
    variant: str,
    run: Callable[[], Any],
    device: Any,
    *,
    note: str = "",
    budget: float = 0.6,
    held: bool = False,
) -> Timed:
    """Run once to warm up, then for about ``budget`` seconds."""
    import cupy as cp

    run()
    busy = cp.RawKernel(BUSY, "busy") if held else None
    watch = Watch()
    on_device: list[float] = []
    on_wall: list[float] = []
    stream = cp.cuda.get_current_stream()
    started = time.perf_counter()
    while len(on_device) < 3 or (time.perf_counter() - started < budget and len(on_device) < 50):
        device.watch = None  # its events are no part of a call
        stream.synchronize()
        wall = time.perf_counter()
        run()
        stream.synchronize()
        on_wall.append((time.perf_counter() - wall) * 1e3)
        device.watch = watch
        if busy is not None:
            busy((1,), (1,), (np.int64(HELD),))
        run()
        stream.synchronize()
        on_device.append(watch.take() or on_wall[-1])
    device.watch = None
    spread = float(np.percentile(on_device, 90) / max(np.median(on_device), 1e-9))
    return Timed(work, graph, variant, float(np.median(on_device)), float(np.median(on_wall)), spread, note)


def table(rows: Iterable[Timed], best: dict[tuple[str, str], float] | None = None) -> str:
    """Lines of text: work, graph, variant, milliseconds, and the ratio to the best peer where there is one."""
    lines = []
    for row in rows:
        peer = (best or {}).get((row.work, row.graph))
        ratio = "" if peer is None else f"  peer {peer:9.3f}  {peer / row.device_ms:6.2f}x {peer / row.wall_ms:6.2f}x"
        lines.append(
            f"{row.work:12s} {row.graph:11s} {row.variant:28s} {row.device_ms:10.4f} ms  wall {row.wall_ms:9.4f}{ratio}"
            f"  {row.note}"
        )
    return "\n".join(lines)
