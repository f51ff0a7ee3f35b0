"""Rows by length, for kernels that give a row to a lane, to four, to a warp or to a block (program_pull.cuh)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clew.engines.cuda.balance import degrees_of
from clew.engines.cuda.device import Device
from clew.engines.cuda.device_rows import DeviceRows

#: Rows longer than the first go to a block, than the second to a warp, than the third to 4 lanes.
LIMITS = (4096, 32, 4)
UNEVEN_FROM = 256  # edges: with none longer, all rows are treated as their mean


class RowClasses(NamedTuple):
    """Rows in an order by class (None for their own), and where each class begins in it, and the end."""

    order: Any
    starts: Any


def row_classes(device: Device, rows: DeviceRows) -> RowClasses:
    """The classes of a graph's rows, found once."""
    even = degrees_of(rows).largest <= UNEVEN_FROM
    return rows.once("row classes", lambda: _even(device, rows) if even else _sorted(device, rows))


def _even(device: Device, rows: DeviceRows) -> RowClasses:
    """All rows in one class."""
    kind = sum(degrees_of(rows).mean <= limit for limit in LIMITS)
    starts = np.full(len(LIMITS) + 2, rows.num_vertices, dtype=np.uint64)
    starts[: kind + 1] = 0
    return RowClasses(None, device.upload(starts))


def _sorted(device: Device, rows: DeviceRows) -> RowClasses:
    xp, n = device.xp, rows.num_vertices
    lengths = (rows.offsets[1:] - rows.offsets[:-1]).astype(np.int64)
    kind = sum((lengths <= limit).astype(np.int64) for limit in LIMITS)
    keys = xp.sort(kind * n + xp.arange(n))
    order = device.empty(n, rows.neighbours.dtype)
    order[...] = keys % n
    starts = device.empty(len(LIMITS) + 2, np.uint64)
    starts[...] = xp.searchsorted(keys, xp.arange(len(LIMITS) + 2) * n)
    return RowClasses(order, starts)
