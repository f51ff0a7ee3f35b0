"""How rows are shared among threads: degrees, tiles of equal work, and rows grouped by length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import Device, blocks_for
from clew.packed.code import GROUP, GROUPS

WARP = 32
#: Items of a tile for every lane (EACH in spmv_tiles.cuh): odd, so that lanes walk through different banks.
EACH = 7
THREADS = 256
#: Rows longer than the first go to a block, than the second to a warp, than the third to 4 lanes.
LIMITS = (4096, 32, 4)
UNEVEN_FROM = 256  # edges: with none longer, all rows are treated as their mean


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


def tiles_on_host(device: Device, rows: DeviceRows, tiles: Tiles) -> int:
    """How many of the first tiles have edges on the host, where edges are in two memories; else 0."""
    if rows.plan is None or not rows.in_two_memories:
        return 0
    cut, search = rows.plan.cut, device.xp.searchsorted
    if rows.packed is not None:  # the plan counts words: the first edge of the block of groups that has this one
        word = np.array([cut * rows.neighbours.dtype.itemsize // 8], np.uint64)
        cut = GROUP * GROUPS * int(search(rows.packed.bases, device.upload(word))[0])
    ended = search(rows.offsets, device.upload(np.array([cut], rows.offsets.dtype)))
    return min(tiles.count, -(-(cut + int(ended[0])) // (WARP * tiles.each)))


class RowsByLength(NamedTuple):
    """Rows in an order by class (None for their own), and where each class begins in it, and the end."""

    order: Any
    starts: Any


def rows_by_length(device: Device, rows: DeviceRows) -> RowsByLength:
    """The classes of a graph's rows, found once."""
    even = degrees_of(rows).largest <= UNEVEN_FROM
    return rows.once("row classes", lambda: _even(device, rows) if even else _sorted(device, rows))


def _even(device: Device, rows: DeviceRows) -> RowsByLength:
    """All rows in one class."""
    kind = sum(degrees_of(rows).mean <= limit for limit in LIMITS)
    starts = np.full(len(LIMITS) + 2, rows.num_vertices, dtype=np.uint64)
    starts[: kind + 1] = 0
    return RowsByLength(None, device.upload(starts))


def _sorted(device: Device, rows: DeviceRows) -> RowsByLength:
    xp, n = device.xp, rows.num_vertices
    lengths = (rows.offsets[1:] - rows.offsets[:-1]).astype(np.int64)
    kind = sum((lengths <= limit).astype(np.int64) for limit in LIMITS)
    keys = xp.sort(kind * n + xp.arange(n))
    order = device.empty(n, rows.id_dtype)
    order[...] = keys % n
    starts = device.empty(len(LIMITS) + 2, np.uint64)
    starts[...] = xp.searchsorted(keys, xp.arange(len(LIMITS) + 2) * n)
    return RowsByLength(order, starts)
