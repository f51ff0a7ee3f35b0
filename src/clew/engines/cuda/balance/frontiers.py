"""How the edges of a frontier are shared among threads, and when a frontier is sorted by row."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import Device

#: Strategies of load balance and their numbers in kernels (balance.cuh).
BALANCES = {"thread": 0, "warp": 1, "block": 2, "degree_cut": 3, "merge_path": 4, "auto": 5}
LARGE = 1 << 23  # edges, which a GPU follows in the time of about twenty steps
DENSE = 8  # edges per vertex on average
NO_LIMIT = (1 << 63) - 1
MOST_WARPS = 128  # warps and blocks that a processor runs at once
#: A frontier with rows on the host is sorted from this many vertices on, and from this share (1/512) of all vertices.
ORDERED, ORDERED_PART = 1 << 12, 512
#: Frontiers are sorted only above this many bytes on the host. It helped at 2 GB and not at 0.5 GB. Within a few
#: hundred megabytes, the link reaches its full rate in any order.
REACH = 1 << 30


def fetched_edge(index: np.dtype[Any], weight: np.dtype[Any]) -> np.dtype[Any]:
    """An edge in the shared memory of kernels (``Edge`` of their visitors)."""
    return np.dtype([("target", index), ("weight", weight)], align=True)


@cache
def entry_bytes(*fields: np.dtype[Any]) -> int:
    """The bytes of an entry in a queue of a kernel, such as ``Row`` in frontier.cuh; it begins at a multiple of 16."""
    size = np.dtype([(f"{place}", field) for place, field in enumerate(fields)], align=True).itemsize
    return -(-size // 16) * 16


def is_large_and_dense(rows: DeviceRows) -> bool:
    """Whether following an edge twice costs more than a few more steps.

    On small graphs, steps take most of the time. On sparse graphs, frontiers are small and many.
    """
    return rows.num_arcs >= LARGE and rows.num_arcs >= DENSE * rows.num_vertices


def order_from(rows: DeviceRows, balance: str = "auto", chosen: int | None = None) -> int:
    """The size from which frontiers are sorted by row, or what was ``chosen``.

    They are never sorted where steps are many and small, or where few bytes of edges are on the host.
    """
    if balance == "degree_cut":
        return NO_LIMIT
    if chosen is not None:
        return chosen
    if not rows.on_host or not is_large_and_dense(rows) or (rows.plan is not None and rows.plan.slow_bytes < REACH):
        return NO_LIMIT
    return max(ORDERED, rows.num_vertices // ORDERED_PART)


def room_for_order(device: Device, num_vertices: int) -> tuple[Any, Any]:
    """Memory for sorting frontiers (ordered.cuh): a bit per vertex, and a number per warp and block."""
    totals = device.empty(device.num_processors * MOST_WARPS, np.uint64)
    return device.zeros(-(-num_vertices // 32), np.uint32), totals
