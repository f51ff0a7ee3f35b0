"""Measured memory speed: sequential reads, writes and random reads."""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from clew import threads
from clew.checks import counted
from clew.dtypes import Array
from clew.engines.cuda.memory.bandwidth import bandwidths
from clew.engines.cuda.toolchain import cuda_device
from clew.engines.measured import best_seconds
from clew.errors import GraphError, ResourceError
from clew.tiers import kernels
from clew.tiers.mapping import allocate, unnamed_file
from clew.tiers.survey import ON_GPU, Rates, Tier

SIZE = 256 << 20  # bytes; well beyond caches
FILE_SIZE = 64 << 20
LARGEST = 8 << 32  # what 32 bits can number
READS = 1 << 21  # at random, per thread
FILE_READS = 1 << 9  # each may wait for a disk

Pass = Callable[[Array], Any]


def measure(tier: Tier, size: int | None = None) -> Rates:
    """Measure sequential reads, writes and random reads in a tier, on all threads; the best of three rounds.

    Files are measured once, and cold: writes are flushed, and the page cache is dropped before reading. Memories of a
    GPU are measured by its kernels. Managed memory is cold too: it is on the host when the kernel or the prefetching
    begins. The time of prefetching is included in all three.
    """
    if tier.kind in ON_GPU:
        read, write, random, used = bandwidths(cuda_device.the_device(), tier.kind, size)
        return Rates(read, write, random, used)
    if size is not None and size < mmap.PAGESIZE:
        raise GraphError(
            f"the size to measure is {counted(size, 'byte')}; expected at least a page, {mmap.PAGESIZE:,} bytes."
        )
    requested = size or (FILE_SIZE if tier.kind == "file" else SIZE)
    used = min(requested, tier.free // 4, LARGEST) // mmap.PAGESIZE * mmap.PAGESIZE
    if used == 0:
        raise ResourceError(f"tier {tier.name} has {tier.free:,} bytes free, too few to measure its speed.")
    return _file_rates(tier, used) if tier.kind == "file" else _node_rates(tier, used)


def _node_rates(tier: Tier, size: int) -> Rates:
    values = allocate(size, tier).view(np.uint64)
    read, write, read_at_random = _passes(READS)
    write(values)  # the first touch allocates the pages, which is not what is measured
    random_bytes = threads.count() * READS * values.itemsize
    seconds = [best_seconds(partial(run, values)) for run in (read, write, read_at_random)]
    return Rates(size / seconds[0], size / seconds[1], random_bytes / seconds[2], size)


def _file_rates(tier: Tier, size: int) -> Rates:
    read, write, read_at_random = _passes(FILE_READS)
    with unnamed_file(tier, size) as file:

        def on_cold_file(run: Pass, advice: int) -> float:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            mapped = mmap.mmap(file.fileno(), size)
            mapped.madvise(advice)
            start = time.perf_counter()
            run(np.frombuffer(mapped, dtype=np.uint64))
            mapped.flush()
            return time.perf_counter() - start

        written = on_cold_file(write, mmap.MADV_SEQUENTIAL)
        read_through = on_cold_file(read, mmap.MADV_SEQUENTIAL)
        read_anywhere = on_cold_file(read_at_random, mmap.MADV_RANDOM)
    return Rates(size / read_through, size / written, threads.count() * FILE_READS * 8 / read_anywhere, size)


def _passes(reads: int) -> tuple[Pass, Pass, Pass]:
    """Sequential reading, writing, and ``reads`` random reads per thread of an array; all are compiled."""
    members = threads.count()
    passes: tuple[Pass, Pass, Pass] = (
        lambda values: threads.each(kernels.read, members, members, values),
        lambda values: threads.each(kernels.write, members, members, values, np.uint64(1)),
        lambda values: threads.each(kernels.read_at_random, members, reads, values),
    )
    for run in passes:
        run(np.zeros(8, dtype=np.uint64))
    return passes
