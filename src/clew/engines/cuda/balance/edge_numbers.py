"""The numbers of edges on a device, in the order of ``Graph.edges()``."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.engines.cuda.balance.launches import launch_over
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import Device


def first_edges(device: Device, rows: DeviceRows, *, directed: bool) -> Any:
    """The number of the first edge of every vertex, and of all edges (edge_numbers.cuh)."""
    if directed:
        return rows.offsets
    n = rows.num_vertices
    first = device.zeros(n + 1, rows.offsets.dtype)
    if n:
        defines = {name: rows.defines[name] for name in ("index_t", "offset_t")}
        given = (np.uint64(n), rows.offsets, rows.neighbours, first[1:])
        launch_over(device, "edge_numbers.cuh", "count_own_edges", defines, n, *given)
    return device.xp.cumsum(first, dtype=first.dtype)


def sources_of(device: Device, rows: DeviceRows) -> Any:
    """The source of every arc (int64)."""
    ends = rows.offsets[1:].astype(np.int64)
    return device.xp.searchsorted(ends, device.xp.arange(rows.num_arcs), side="right")
