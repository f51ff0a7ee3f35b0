"""How the edges of a frontier are shared among threads, and when a frontier is put in the order of its rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import Device

#: Strategies of load balance, by the number that kernels know them by (balance.cuh).
BALANCES = {"thread": 0, "warp": 1, "block": 2, "degree_cut": 3, "merge_path": 4, "auto": 5}
LARGE = 1 << 23  # edges: a GPU follows them in the time of some twenty steps
DENSE = 8  # edges of a vertex on average
NO_LIMIT = (1 << 63) - 1
MOST_WARPS = 128  # of a processor, and its blocks, at once
#: From how many vertices on a frontier whose rows are on the host is put in order: the larger of so many, and of one in
#: so many of all.
ORDERED, ORDERED_PART = 1 << 12, 512
#: Bytes on the host below which none is: it paid with two gigabytes there and not with half of one, and within some
#: hundred megabytes the link has its full rate in any order.
REACH = 1 << 30
#: As in near_far.cuh.


def fetched_edge(index: np.dtype[Any], weight: np.dtype[Any]) -> np.dtype[Any]:
    """An edge as kernels have it in shared memory (``Edge`` of their visitors)."""
    return np.dtype([("target", index), ("weight", weight)], align=True)


def is_large_and_dense(rows: DeviceRows) -> bool:
    """Whether following an edge twice costs more than some more steps, and a few steps reach everything.

    On small graphs, steps are all that costs time; on sparse ones, frontiers are small and many.
    """
    return rows.num_arcs >= LARGE and rows.num_arcs >= DENSE * rows.num_vertices


def order_from(rows: DeviceRows, balance: str = "auto", chosen: int | None = None) -> int:
    """The size from which frontiers are put in order, or what was ``chosen``; never where steps are many and small.

    Nor where the host has so little that its rows come at the link's rate in any order.
    """
    if balance == "degree_cut":
        return NO_LIMIT
    if chosen is not None:
        return chosen
    if not rows.on_host or not is_large_and_dense(rows) or (rows.plan is not None and rows.plan.slow_bytes < REACH):
        return NO_LIMIT
    return max(ORDERED, rows.num_vertices // ORDERED_PART)


def room_for_order(device: Device, num_vertices: int) -> tuple[Any, Any]:
    """What frontiers are put in order with (ordered.cuh): a bit for every vertex, a number for every warp and block."""
    totals = device.empty(device.num_processors * MOST_WARPS, np.uint64)
    return device.zeros(-(-num_vertices // 32), np.uint32), totals
