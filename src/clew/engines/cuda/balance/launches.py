"""Launches: loops over items, and long work in shares, so that Ctrl-C is noticed between launches.

A share takes a few tenths of a second at most. Graphs of medium size need only one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS, Device, Event, blocks_for
from clew.engines.cuda.toolchain.source import Compiled

LINK_IS_SLOWER = 16  # times slower than device memory, in the order in which algorithms read edges


def launch_over(
    device: Device,
    file: str,
    name: str,
    defines: Mapping[str, Any],
    work: int,
    *args: Any,
    threads: int = 256,
    operators: Mapping[str, Compiled] | None = None,
) -> None:
    """Launch a kernel that loops over ``work`` items with the whole grid."""
    kernel = device.kernel(file, name, defines, operators)
    device.launch(kernel, blocks_for(device, work, threads), threads, *args)


def control_of(progress: tuple[str, ...], counters: int) -> np.dtype[Any]:
    """A kernel's control words: its Progress, three sets of ``counters`` counters (steps.cuh), and its barrier."""
    words = [(name, "u4") for name in progress]
    return np.dtype([*words, ("steps", "u4", 3 * counters), ("barrier", "u4", GRID_BARRIER_WORDS)])


def clear_steps(memory: Any, control: np.dtype[Any]) -> None:
    """Zero the sets of counters for the next launch, whose steps start at 0."""
    steps, start = control.fields["steps"][:2]  # type: ignore[index]
    memory[start : start + steps.itemsize] = 0


def share_of(work: int, *rows: DeviceRows) -> int:
    """The work of one launch: ``work`` with all edges in device memory, less if some are on the host."""
    near = all(row.plan is None or row.plan.mode == "device" for row in rows)
    return work if near else max(1, work // LINK_IS_SLOWER)


class Pace:
    """Keeps the host one launch ahead of the device: it notices Ctrl-C, and the device never waits."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._before: Event | None = None

    def launched(self) -> None:
        """Call this after every launch."""
        now = self._device.record()
        if self._before is not None:
            self._before.synchronize()
        self._before = now
