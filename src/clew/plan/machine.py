"""How fast this machine is: measured once, kept in the cache folder, and looked up from then on.

A gather reads one number anywhere. It takes from a fraction of a nanosecond to more than ten: the more memory the
numbers are spread over, the longer. So that is measured for several amounts, from what a core's first cache holds to
more than any cache holds.
"""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from clew import threads
from clew.engines import survey
from clew.engines.cuda.toolchain import cuda_device
from clew.engines.measured import cpu_name, measured_once
from clew.errors import ClewError
from clew.tiers import kernels, measure, tier_named
from clew.tiers.survey import nodes

#: Bytes over which numbers are read at random.
SIZES = (1 << 15, 1 << 19, 1 << 22, 1 << 25, 1 << 28)
FEW = 3  # of these are measured in a moment
ROUNDS, TURNS = 5, 2  # how often those are measured, and how often the others


@dataclass(frozen=True)
class Machine:
    """Measured rates of one processor and its memory, all threads together.

    Parameters
    ----------
    name
        The processor.
    threads
        How many threads measured.
    read
        Bytes per second, in order, from more memory than caches hold.
    sizes, gathers
        Numbers per second read at random, by the bytes they are spread over.
    call
        Seconds that it takes to start all threads on nothing.
    measured
        False: the processor could not be measured, and these are a guess.
    """

    name: str
    threads: int
    read: float
    sizes: tuple[int, ...]
    gathers: tuple[float, ...]
    call: float
    measured: bool = True

    def gather(self, spread: float) -> float:
        """Seconds for one number out of ``spread`` bytes; all threads work at it.

        Where everything is in the first cache, half of what was measured is the making of the random numbers.
        """
        sizes = [math.log(size) for size in self.sizes]
        times = [math.log(1 / rate - 0.5 / self.gathers[0]) for rate in self.gathers]
        return math.exp(float(np.interp(math.log(max(1.0, spread)), sizes, times)))


@dataclass(frozen=True)
class Gpu:
    """Measured rates of a GPU: bytes per second of its memory and of the link, numbers per second read at random."""

    name: str
    read: float
    random_reads: float
    upload: float
    download: float
    memory: int
    free: int


_known: dict[int, Machine] = {}


def processor(*, fresh: bool = False) -> Machine:
    """The CPU with as many threads as clew uses now; ``fresh`` measures again."""
    count = threads.count()
    if fresh or count not in _known:
        _known[count] = Machine(**measured_once(f"cpu {cpu_name()} {count} {SIZES}", _measure_processor, fresh=fresh))
    return _known[count]


def graphics(*, fresh: bool = False) -> Gpu:
    """The GPU, which must be there. Its free memory is read each time."""
    cuda = cuda_device.the_device().xp.cuda
    name = cuda.runtime.getDeviceProperties(0)["name"].decode()
    rates = measured_once(f"gpu {name}", lambda: _measure_graphics(name), fresh=fresh)
    free, total = cuda.Device().mem_info
    pool = cuda_device.the_device().xp.get_default_memory_pool().free_bytes()
    return Gpu(**rates, memory=int(total), free=int(free + pool))


def _measure_processor() -> dict[str, Any]:
    count, name, by_random = threads.count(), cpu_name(), attrgetter("random")
    try:
        beside = [node for node in nodes() if node.kind == "dram"] or nodes()
        # Small amounts are measured in a moment, in which others may have been at work: the best of several counts.
        turns = [[measure(beside[0], size) for size in SIZES[:FEW]] for _ in range(ROUNDS)]
        rates = [max(of_size, key=by_random) for of_size in zip(*turns, strict=True)]
        rates += [max((measure(beside[0], size) for _ in range(TURNS)), key=by_random) for size in SIZES[FEW:]]
    except (ClewError, IndexError, OSError):  # no memory to measure in, or a system that does not say what it has
        guess = (1e9, 7e8, 4e8, 6e7, 4e7)
        return asdict(Machine(name, count, 1e10, SIZES, guess, 1e-4, measured=False))
    slower = np.minimum.accumulate([rate.random_reads for rate in rates])  # more memory is never faster, but for noise
    gathers = tuple(float(rate) for rate in slower)
    return asdict(Machine(name, count, rates[-1].read, SIZES, gathers, _call()))


def _measure_graphics(name: str) -> dict[str, Any]:
    rates, found = measure(tier_named("gpu")), survey.graphics()
    if isinstance(found, str):
        raise ClewError(found)
    return {
        "name": name,
        "read": rates.read,
        "random_reads": rates.random_reads,
        "upload": found["upload_bytes_per_second"],
        "download": found["download_bytes_per_second"],
    }


def _call() -> float:
    """Seconds for all threads to begin and end."""
    few, count = np.zeros(8, dtype=np.uint64), threads.count()
    taken = []
    for _ in range(ROUNDS * 4):
        start = time.perf_counter()
        threads.each(kernels.read, count, count, few)
        taken.append(time.perf_counter() - start)
    return sorted(taken)[len(taken) // 2]
