"""How the edges of a graph are shared out: what is known of its degrees, and its cut into tiles of equal work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.engines.cuda.device import Device, blocks_for
from clew.engines.cuda.device_rows import DeviceRows

WARP = 32
#: Items of a tile for every lane (EACH in spmv_tiles.cuh): odd, so that lanes walk through different banks.
EACH = 7
THREADS = 256


@dataclass(frozen=True)
class Degrees:
    """What the choice of a kernel depends on."""

    mean: float
    largest: int


@dataclass(frozen=True, eq=False)
class Tiles:
    """The row in which every tile begins, and that of the end."""

    rows: Any
    count: int
    num_items: int
    each: int


def degrees_of(rows: DeviceRows) -> Degrees:
    """Mean and largest degree, computed once."""
    return rows.once("degrees", lambda: _degrees(rows))


def _degrees(rows: DeviceRows) -> Degrees:
    largest = int((rows.offsets[1:] - rows.offsets[:-1]).max()) if rows.num_arcs else 0
    return Degrees(rows.num_arcs / max(1, rows.num_vertices), largest)


def tiles_of(device: Device, rows: DeviceRows, each: int = EACH) -> Tiles:
    """The tiles of a graph, found once."""
    size = (rows.num_vertices, rows.num_arcs)
    return rows.once(f"tiles of {each}", lambda: find_tiles(device, rows.offsets, *size, rows.defines, each))


def find_tiles(
    device: Device, offsets: Any, num_rows: int, num_edges: int, macros: dict[str, str], each: int = EACH
) -> Tiles:
    """Cut rows and edges into tiles of ``each`` items for every lane of a warp."""
    count = -(-(num_rows + num_edges) // (WARP * each))
    starts = device.empty(count + 1, np.int32 if macros["index_t"] == "int" else np.int64)
    defines = {"index_t": macros["index_t"], "offset_t": macros["offset_t"], "TILE": WARP * each}
    kernel = device.kernel("tiles.cuh", "find_tiles", defines)
    blocks = blocks_for(device, count + 1, THREADS)
    device.launch(kernel, blocks, THREADS, offsets, np.uint64(num_rows), np.uint64(count), starts)
    return Tiles(starts, count, num_rows + num_edges, each)
