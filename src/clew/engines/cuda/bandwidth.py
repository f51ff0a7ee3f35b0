"""How fast a GPU reads, writes and reads at random in its own memory, pinned memory of the host, and managed memory.

Managed memory is on the host when the clock starts, so that all of its pages move: when a kernel touches them, or by a
prefetch before it starts. Either way the moving is in the time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.device import Device, blocks_for
from clew.engines.cuda.source import Program

THREADS = 256
SIZE = {"device": 2 << 30, "pinned": 512 << 20, "managed+prefetch": 512 << 20, "managed": 256 << 20}  # bytes
READS = 1 << 24  # at random; numbers of 8 bytes, a multiple of what a thread reads at once
FAULTING_READS = 1 << 16  # each may have to wait for a page
ROUNDS = 3


def bandwidths(device: Device, kind: str, size: int | None = None) -> tuple[float, float, float, int]:
    """Bytes per second read, written and read at random (8 bytes at a time), and over how many bytes.

    ``kind`` is a key of ``SIZE``.
    """
    wanted = min(size or SIZE[kind], device.free_memory() // 4)
    values, on_host = _memory(device, kind, max(1, wanted // 8))
    faults, fetched = kind == "managed", kind == "managed+prefetch"
    count, total = np.uint64(values.size), device.zeros(1, np.uint64)
    grid = blocks_for(device, values.size, THREADS)

    def begin() -> None:
        if (faults or fetched) and on_host is not None:
            on_host.fill(1)

    def run(kernel: str, *args: Any) -> Callable[[], None]:
        compiled = device.kernel("bandwidth.cuh", kernel)

        def once() -> None:
            if fetched:
                device.prefetch(values)
            device.launch(compiled, grid, THREADS, values, count, *args)
            device.synchronize()

        return once

    write = _best(run("write_in_order", np.uint64(1)), begin)
    read = _best(run("read_in_order", total), begin)
    reads = min(FAULTING_READS if faults else READS, values.size)
    random = _best(run("read_at_random", np.uint64(reads), total), begin)
    return values.nbytes / read, values.nbytes / write, reads * values.itemsize / random, int(values.nbytes)


def _memory(device: Device, kind: str, count: int) -> tuple[Any, Array | None]:
    """Numbers in a memory of that kind, and as the host sees them, if it does; the caller keeps both."""
    if kind == "device":
        return device.empty(count, np.uint64), None
    if kind == "pinned":
        pinned = device.pinned(count, np.uint64)
        return device.hosted(pinned), pinned
    values = device.managed(np.ones(count, np.uint64), prefetch=False)
    if not hasattr(device.xp, "cuda"):  # the emulation's memory is the host's
        return values, values
    from clew.engines.cuda.registered import host_bytes

    return values, host_bytes(values, values.data.ptr, values.nbytes).view(np.uint64)


def _best(run: Callable[[], None], begin: Callable[[], None]) -> float:
    taken = []
    for _ in range(ROUNDS + 1):  # the first compiles and warms up
        begin()
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return min(taken[1:])


VARIANTS = [Program.of("bandwidth.cuh")]
