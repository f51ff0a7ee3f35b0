"""Rows made ready for rounds of pulling: long rows apart, equal parts for all blocks.

Made once for a graph and kept on the device as long as the graph lives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.engines.cuda.balance.tiling import degrees_of
from clew.engines.cuda.memory.device_graph import incoming_on
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph

#: Rows longer than the first are summed by a block, than the second by a warp, than the third by 4 lanes.
CLASS_LIMITS = (4096, 32, 4)
ROW_COST = 8  # edges that could be followed in the time that a row takes beside its edges
UNEVEN_FROM = 256  # edges: with none longer, rows are alike enough to be taken as they come


@dataclass(frozen=True, eq=False)
class PullRows:
    """In-edges, and the length of the longest row."""

    rows: DeviceRows
    longest: int


def pull_rows(device: Device, graph: Graph) -> PullRows:
    """The in-edges of a graph."""
    rows = incoming_on(device, graph, weights=False)
    return PullRows(rows, degrees_of(rows).largest)


@dataclass(frozen=True, eq=False)
class Parts:
    """Rows in an order by class, and where in it each block's part of each class begins."""

    order: Any
    bounds: Any


def parts_of(device: Device, pull: PullRows, blocks: int) -> Parts:
    """Parts of about as many edges for each of ``blocks`` blocks, in every class of rows."""
    return pull.rows.once(f"parts for {blocks} blocks", lambda: _cut(device, pull.rows, blocks))


def _cut(device: Device, rows: DeviceRows, blocks: int) -> Parts:
    xp, n = device.xp, rows.num_vertices
    lengths = (rows.offsets[1:] - rows.offsets[:-1]).astype(np.int64)
    kind = sum((lengths <= limit).astype(np.int64) for limit in CLASS_LIMITS)
    order = xp.sort(kind * n + xp.arange(n)) % n
    cost = device.zeros(n + 1, np.int64)
    cost[1:] = xp.cumsum(lengths[order] + ROW_COST)
    starts = xp.searchsorted(kind[order], xp.arange(len(CLASS_LIMITS) + 2))
    first, last = cost[starts[:-1]], cost[starts[1:]]
    wanted = first[:, None] + (last - first)[:, None] * xp.arange(blocks + 1)[None, :] // blocks
    bounds = xp.searchsorted(cost, wanted.ravel()).reshape(wanted.shape)
    bounds = xp.clip(bounds, starts[:-1, None], starts[1:, None])
    bounds[:, 0], bounds[:, -1] = starts[:-1], starts[1:]
    kept_order = device.empty(n, rows.neighbours.dtype)
    kept_order[...] = order
    kept_bounds = device.empty(bounds.shape, np.uint64)
    kept_bounds[...] = bounds
    return Parts(kept_order, kept_bounds)
