"""How fast a GPU reads, writes and reads at random in its own memory, and in pinned memory of the host."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from clew.engines.cuda.device import Device, blocks_for
from clew.engines.cuda.source import Program

THREADS = 256
SIZE = {False: 2 << 30, True: 512 << 20}  # bytes, of GPU memory and of pinned memory
READS = 1 << 24  # at random; numbers of 8 bytes, a multiple of what a thread reads at once
ROUNDS = 3


def bandwidths(device: Device, *, pinned: bool, size: int | None = None) -> tuple[float, float, float, int]:
    """Bytes per second read, written and read at random (8 bytes at a time), and over how many bytes."""
    values = _pinned(device, size or SIZE[True]) if pinned else _own(device, size or SIZE[False])
    count, total = np.uint64(values.size), device.zeros(1, np.uint64)
    grid = blocks_for(device, values.size, THREADS)

    def run(kernel: str, *args: Any) -> Callable[[], None]:
        compiled = device.kernel("bandwidth.cuh", kernel)

        def once() -> None:
            device.launch(compiled, grid, THREADS, values, count, *args)
            device.synchronize()

        return once

    write = _best(run("write_in_order", np.uint64(1)))
    read = _best(run("read_in_order", total))
    reads = min(READS, values.size)
    random = _best(run("read_at_random", np.uint64(reads), total))
    return values.nbytes / read, values.nbytes / write, reads * values.itemsize / random, int(values.nbytes)


def _own(device: Device, size: int) -> Any:
    if hasattr(device.xp, "cuda"):
        size = min(size, device.xp.cuda.Device().mem_info[0] // 4)
    return device.empty(max(1, size // 8), np.uint64)


def _pinned(device: Device, size: int) -> Any:
    """Pinned host memory as an array of the device, which reads it over the link."""
    if not hasattr(device.xp, "cuda"):  # the emulation's memory is the host's
        return _own(device, size)
    cuda = device.xp.cuda
    memory = cuda.alloc_pinned_memory(size)
    place = cuda.MemoryPointer(cuda.UnownedMemory(memory.ptr, size, memory), 0)
    return device.xp.ndarray(size // 8, np.uint64, place)


def _best(run: Callable[[], None]) -> float:
    run()
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return min(taken)


VARIANTS = [Program.of("bandwidth.cuh")]
