"""Slots in device memory that chunks pass through: while kernels work on one, the copy engine fills the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.device import Device, Event
from clew.engines.cuda.outofcore.chunks import ChunkedRows

Job = TypeVar("Job")
#: What is copied to where for a job: pairs of device arrays and host arrays.
Fill = Callable[[Job, "Slot"], Iterable[tuple[Any, Array]]]


class Slot:
    """Room for one chunk's neighbours and weights, on the device and, where something is gathered, on the host."""

    def __init__(self, device: Device, rows: ChunkedRows) -> None:
        self.device, self.size = device, rows.slot_edges
        self.dtypes = [array.dtype for array in rows.host if array is not None]
        self.arrays = [device.empty(self.size, dtype) for dtype in self.dtypes]
        self.free: Event = device.record()  # what had this memory before is done with it
        self.filled: Event = self.free
        self._pinned: list[Array] | None = None  # made when something is gathered, and then kept

    @property
    def pinned(self) -> list[Array]:
        """Buffers of the host, once their last copy has left."""
        if self._pinned is None:
            self._pinned = [self.device.pinned(self.size, dtype) for dtype in self.dtypes]
        else:
            self.filled.synchronize()
        return self._pinned

    @property
    def neighbours(self) -> Any:
        """On the device."""
        return self.arrays[0]

    @property
    def weights(self) -> Any:
        """On the device, if there are any."""
        return self.arrays[1] if len(self.arrays) > 1 else None


class Ring:
    """The slots and the stream that fills them."""

    def __init__(self, rows: ChunkedRows, slots: int) -> None:
        self.device = rows.device
        self.slots = [Slot(self.device, rows) for _ in range(max(1, slots))]
        self.stream = self.device.side_stream()

    def passes(self, jobs: Iterable[Job], fill: Fill[Job]) -> Iterator[Any]:
        """Every job in turn with its slot filled; ``fill`` says what is copied to where. The first copies start now.

        What the caller launches before it asks for the next one is what reads the slot. Copies run ahead by as many
        jobs as there are slots.
        """
        waiting = iter(jobs)
        try:
            ready = [(job, self._fill(slot, fill(job, slot))) for slot, job in zip(self.slots, waiting, strict=False)]
        except BaseException:
            self._end()
            raise
        return self._drain(ready, waiting, fill)

    def _drain(self, ready: list[tuple[Job, Slot]], waiting: Iterator[Job], fill: Fill[Job]) -> Iterator[Any]:
        try:
            while ready:
                job, slot = ready.pop(0)
                self.device.wait(slot.filled)
                yield job, slot
                slot.free = self.device.record()
                ready.extend((job, self._fill(slot, fill(job, slot))) for job in islice(waiting, 1))
        finally:
            self._end()

    def _end(self) -> None:
        """Wherever a pass ends: nobody may have a slot while it is read, nor its memory while it is filled."""
        done = self.device.record()
        for slot in self.slots:
            slot.free = done
        self.device.wait(self.device.record(self.stream))

    def _fill(self, slot: Slot, copies: Iterable[tuple[Any, Array]]) -> Slot:
        self.device.wait(slot.free, self.stream)
        for target, source in copies:
            self.device.copy_to(target, source, self.stream)
        slot.filled = self.device.record(self.stream)
        return slot


def copied(parts: list[Array | None], slot: Slot, count: int) -> list[tuple[Any, Array]]:
    """Copies of the first ``count`` entries of host arrays to a slot."""
    given = [np.ascontiguousarray(part[:count]) for part in parts if part is not None]
    return [(array[:count], part) for array, part in zip(slot.arrays, given, strict=True)]
