"""How fast CPU and GPU follow edges, measured as they do, and the cut between their rows that lets both end together.

The CPU has the rows before the cut, the GPU those from it on, which are first its slow rows (read over the link) and
then its fast ones (in its own memory): wherever the cut is, what is slow for the GPU goes to the CPU first.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from clew import threads
from clew.dtypes import Array
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import Device

#: Where nothing has been measured yet, in edges a second: of a thread, and of a GPU over its own memory and the link.
CPU = {"push": 6e7, "pull": 1.2e8}
FAST = {"push": 8e9, "pull": 2e10}
SLOW = {"push": 1e9, "pull": 6e9}
STEP = 3e-4  # seconds of launches, read-backs and waking threads, whatever there is to do
ENOUGH = 1 << 16  # edges; less says nothing about a rate
WEIGHT = 0.5  # of the latest measurement
BOLD = 4.0  # how far one measurement may change a rate


@dataclass
class Rates:
    """Edges a second of either side, by direction."""

    cpu: dict[str, float] = field(default_factory=lambda: {way: rate * threads.count() for way, rate in CPU.items()})
    fast: dict[str, float] = field(default_factory=lambda: dict(FAST))
    slow: dict[str, float] = field(default_factory=lambda: dict(SLOW))

    def cut(self, way: str, edges: Array, slow_blocks: int) -> int:
        """The number of blocks that the CPU should have; ``edges`` are those to follow in each."""
        before = np.append(0, np.cumsum(edges)).astype(np.float64)
        slow = before[slow_blocks]
        of_cpu = before / self.cpu[way] + np.where(before > 0, STEP / 4, 0)
        slow_left, fast_left = np.maximum(slow - before, 0), before[-1] - np.maximum(before, slow)
        of_gpu = slow_left / self.slow[way] + fast_left / self.fast[way] + STEP
        of_gpu[-1] = 0.0
        return int(np.argmin(np.maximum(of_cpu, of_gpu)))

    def learn_cpu(self, way: str, edges: int, seconds: float) -> None:
        """The CPU followed so many edges."""
        if edges >= ENOUGH and seconds > 0:
            self.cpu[way] = _mixed(self.cpu[way], edges / seconds)

    def learn_gpu(self, way: str, slow: int, fast: int, seconds: float) -> None:
        """The GPU followed so many: what is wrong with the sum is taken to be wrong with both rates."""
        if slow + fast >= ENOUGH and seconds > STEP:
            expected = slow / self.slow[way] + fast / self.fast[way]
            factor = expected / (seconds - STEP)
            self.slow[way] = _mixed(self.slow[way], self.slow[way] * factor)
            self.fast[way] = _mixed(self.fast[way], self.fast[way] * factor)


_known: WeakKeyDictionary[Device, dict[str, Rates]] = WeakKeyDictionary()


def rates_of(device: Device, what: str) -> Rates:
    """What is known of a kind of work on this device; the next run begins with it."""
    return _known.setdefault(device, {}).setdefault(what, Rates())


def slow_rows(rows: DeviceRows, indptr: Array) -> int:
    """How many rows, the first ones, the GPU has to read over the link."""
    return 0 if rows.plan is None else int(np.searchsorted(indptr, rows.plan.cut))


class Stopwatch:
    """The seconds that the device takes from here to ``stop``, by its own clock where it has one."""

    def __init__(self, device: Device) -> None:
        self._cuda = getattr(device.xp, "cuda", None)
        self._begin = self._mark()
        self._end: Any = None

    def stop(self) -> None:
        """What was launched so far counts."""
        self._end = self._mark()

    def seconds(self) -> float:
        """Waits for the device."""
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
