"""Work that is done a share at a time, so that Ctrl-C is heard between launches.

Shares are such that a launch takes a few tenths of a second at most, and that graphs of middle size need one only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS, Device, Event, blocks_for
from clew.engines.cuda.toolchain.source import Compiled

LINK_IS_SLOWER = 16  # times, to read edges over it in the order that algorithms do


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
    """The words of a kernel's Progress, of so many counters in each of three sets (steps.cuh), and of its barrier."""
    words = [(name, "u4") for name in progress]
    return np.dtype([*words, ("steps", "u4", 3 * counters), ("barrier", "u4", GRID_BARRIER_WORDS)])


def clear_steps(memory: Any, control: np.dtype[Any]) -> None:
    """Zero the sets of counters for the next launch, which begins with its steps at 0."""
    steps, start = control.fields["steps"][:2]  # type: ignore[index]
    memory[start : start + steps.itemsize] = 0


def share_of(work: int, *rows: DeviceRows) -> int:
    """What a launch is to do: so much with all edges in device memory, less where some are elsewhere."""
    near = all(row.plan is None or row.plan.mode == "device" for row in rows)
    return work if near else max(1, work // LINK_IS_SLOWER)


class Pace:
    """Lets the host be one launch ahead of the device and no more: it hears Ctrl-C, and the device never waits."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._before: Event | None = None

    def launched(self) -> None:
        """To be called after every launch."""
        now = self._device.record()
        if self._before is not None:
            self._before.synchronize()
        self._before = now
