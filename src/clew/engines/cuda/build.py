"""In-edges made on the device from out-edges. Sorting is the array library's radix sort."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.engines.cuda.device import Device
from clew.engines.cuda.device_rows import DeviceRows
from clew.engines.cuda.sorting import stable_order


def transposed(device: Device, rows: DeviceRows) -> DeviceRows:
    """The same edges by their other end. Sources ascend already, so a stable sort by target is all it takes."""
    xp = device.xp
    order = stable_order(rows.neighbours)
    # The row that an edge stands in: the last that begins at or before it.
    sources = xp.searchsorted(rows.offsets[1:].astype(np.int64), order, side="right")
    return DeviceRows(
        _offsets(device, rows.neighbours, rows.num_vertices),
        sources.astype(rows.neighbours.dtype),
        None if rows.weights is None else rows.weights[order],
        rows.num_vertices,
        rows.num_arcs,
    )


def _offsets(device: Device, ids: Any, num_vertices: int) -> Any:
    """Where the edges of each vertex begin, once they are sorted."""
    offset = np.uint32 if ids.size < 2**32 else np.int64
    offsets = device.zeros(num_vertices + 1, offset)
    if num_vertices:
        offsets[1:] = device.xp.cumsum(device.xp.bincount(ids, minlength=num_vertices))
    return offsets
