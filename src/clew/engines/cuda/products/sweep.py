"""Matrix times dense vector by a sweep over the columns (spmv_sweep.cuh), for graphs multiplied with many times.

Columns are numbered by falling degree, so that the hubs' values of x are neighbours in memory. Rows, and parts of long
rows, are dealt to tiles of equal work. The edges of a tile are in the order of their columns, 32 to a step, in one word
each. The price is two sorts of all edges and a second copy of them.

So a skewed graph gets the layout only after many products. With few edges, x fits into the caches as it is. Where no
few columns have many of the edges, tiles are faster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.products.algebra import Arithmetic
from clew.engines.cuda.products.vectors import true_places
from clew.engines.cuda.toolchain.device import Device, blocks_for, index_defines, shared_bytes, stable_order
from clew.engines.cuda.toolchain.source import ctype

THREADS = 256
WARP = 32
#: Warps of a block, of which a processor has one; what they share is the L1 cache.
WARPS = 32
#: Sums that a warp has room for: fewer than 2,048 (sweep_word.cuh), and no more than are needed, by steps. All warps of
#: a block then have room for sums of 4 bytes.
MOST_ROWS = 1984
ROWS_BY = 128
#: Steps whose loads a warp has on their way at a time.
BATCH = 4
#: Edges of a part of a row: the more of a step's edges lead to one row, the longer they wait for each other.
PART = 128
NO_TARGET = -(2**31)
#: Columns that share the upper half of their number; where the row is in an edge's word.
COLUMNS_PER_RUN = 1 << 16
ROW_SHIFT = 21
#: Lengths of runs that are kept while the layout is made, 24 bytes each.
MOST_RUNS = 1 << 27
FROM_ARCS = 1 << 23
#: Products after which a sweep is made: about as many as it saves the time of.
SWEEP_AFTER = 100

#: The part of the edges that the columns with the most edges must have, and how many columns those are.
HOT_COLUMNS, HOT_PART = 24_576, 0.25
SAMPLE = 1 << 20  # edges sampled for the decision


@dataclass(frozen=True, eq=False)
class Sweep:
    """The edges in words, 32 to a step, and where the sums of their rows go."""

    words: Any
    weights: Any
    steps: Any
    tile_steps: Any
    num_tiles: int
    tile_rows: int
    targets: Any
    order: Any
    names: Any
    split_rows: Any
    first_parts: Any
    num_parts: int


@dataclass(frozen=True, eq=False)
class _Parts:
    """Rows cut into parts: where those of a row begin, the row of each, and where its sum is."""

    count: int
    firsts: Any
    rows: Any
    places: Any


def _names_of(device: Device, rows: DeviceRows) -> tuple[Any, Any]:
    """The columns by falling number of edges that lead there, and the place of each in that order."""
    xp = device.xp
    arrivals = xp.bincount(rows.neighbours, minlength=rows.num_vertices)
    order = xp.argsort(-arrivals).astype(rows.neighbours.dtype)
    names = device.empty(rows.num_vertices, rows.neighbours.dtype)
    names[order] = xp.arange(rows.num_vertices, dtype=rows.neighbours.dtype)
    return order, names


def build_sweep(device: Device, rows: DeviceRows) -> Sweep:
    """The layout of a graph. ResourceError where there is not enough memory to make it."""
    order, names = _names_of(device, rows)
    firsts, split_rows, count = _cut(device, rows)
    warps = device.num_processors * WARPS
    most = min(MOST_ROWS, max(1, shared_bytes(device) // (WARPS * 4 * ROWS_BY)) * ROWS_BY)
    num_tiles = warps * max(1, -(-count // (warps * most)))
    tile_rows = min(most, max(1, -(-count // (num_tiles * ROWS_BY))) * ROWS_BY)
    parts, targets = _dealt(device, rows, firsts, count, num_tiles, tile_rows)
    packed = _packed(device, rows, names, parts, num_tiles, tile_rows)
    return Sweep(*packed, num_tiles, tile_rows, targets, order, names, split_rows, firsts, count)


def _cut(device: Device, rows: DeviceRows) -> tuple[Any, Any, int]:
    """Where the parts of every row begin, which rows have more than one, and how many there are."""
    xp = device.xp
    counts = (rows.offsets[1:].astype(np.int64) - rows.offsets[:-1] + PART - 1) // PART
    firsts = device.zeros(rows.num_vertices + 1, np.uint64)
    firsts[1:] = xp.cumsum(counts)
    split_rows, _ = true_places(device, counts > 1, rows.num_vertices, np.int32)
    return firsts, split_rows, int(device.download(firsts[-1:])[0])


def _dealt(
    device: Device, rows: DeviceRows, firsts: Any, count: int, num_tiles: int, tile_rows: int
) -> tuple[_Parts, Any]:
    """Parts with the places of their sums, and for every place where its sum goes in the end."""
    part_rows, lengths = device.empty(count, np.int32), device.empty(count, np.uint32)
    num_rows = np.uint64(rows.num_vertices)
    cut, deal = (_kernel(device, rows, name) for name in ("cut_rows", "deal_parts"))
    blocks = blocks_for(device, rows.num_vertices, THREADS)
    device.launch(cut, blocks, THREADS, rows.offsets, firsts, num_rows, part_rows, lengths)
    longest_first = stable_order((PART - lengths).astype(np.uint8))
    places = device.empty(count, np.uint32)
    targets = device.full(num_tiles * tile_rows, NO_TARGET, np.int32)
    shape = (np.uint64(count), np.uint64(num_tiles), np.uint32(tile_rows))
    blocks = blocks_for(device, count, THREADS)
    device.launch(deal, blocks, THREADS, longest_first, *shape, part_rows, firsts, places, targets)
    return _Parts(count, firsts, part_rows, places), targets


def _packed(
    device: Device, rows: DeviceRows, names: Any, parts: _Parts, num_tiles: int, tile_rows: int
) -> tuple[Any, Any, Any, Any]:
    """The words and weights of all edges, the words of their steps, and the first step of every tile."""
    xp, num_edges = device.xp, rows.num_arcs
    count, runs = np.uint64(num_edges), -(-rows.num_vertices // COLUMNS_PER_RUN)
    shape = (np.uint32(tile_rows), np.uint32(runs))
    over_edges = blocks_for(device, num_edges, THREADS)
    place, find, pack, turns = (
        _kernel(device, rows, name, num_tiles) for name in ("place_edges", "find_runs", "pack_edges", "give_turns")
    )
    placed, columns = device.empty(num_edges, np.uint64), device.empty(num_edges, np.uint32)
    blocks = blocks_for(device, parts.count * WARP, THREADS)
    edges = (rows.offsets, rows.neighbours, names, parts.firsts, parts.rows, parts.places)
    device.launch(place, blocks, THREADS, *edges, np.uint64(parts.count), placed, columns)
    by_column = stable_order(columns)
    del columns
    tiles = device.empty(num_edges, _tile_dtype(num_tiles))
    lengths = device.zeros((num_tiles, runs), np.uint32)
    device.launch(find, over_edges, THREADS, by_column, count, placed, *shape, tiles, lengths)
    by_tile = stable_order(tiles)
    del tiles
    run_edges = xp.cumsum(lengths.ravel(), dtype=np.uint64) - lengths.ravel()
    steps_of = (lengths + np.uint32(WARP - 1)) // np.uint32(WARP)
    tile_steps = device.zeros(num_tiles + 1, np.uint64)
    tile_steps[1:] = xp.cumsum(-(-steps_of.sum(axis=1, dtype=np.int64) // BATCH) * BATCH)
    run_steps = xp.cumsum(steps_of, axis=1, dtype=np.uint64) - steps_of + tile_steps[:-1, None]
    num_steps = int(device.download(tile_steps[-1:])[0])
    words = device.full(num_steps * WARP, tile_rows << ROW_SHIFT, np.uint32)
    weights = None if rows.weights is None else device.full(num_steps * WARP, 1, rows.weights.dtype)
    steps = device.zeros(num_steps, np.uint32)
    runs_at = (placed, *shape, run_edges, run_steps)
    device.launch(pack, over_edges, THREADS, by_column, by_tile, count, *runs_at, rows.weights, words, weights, steps)
    blocks = blocks_for(device, num_steps * WARP, THREADS)
    device.launch(turns, blocks, THREADS, np.uint64(num_steps), np.uint32(tile_rows), words, steps)
    return words, weights, steps, tile_steps


def _tile_dtype(num_tiles: int) -> np.dtype[Any]:
    return np.dtype(np.uint16 if num_tiles <= 1 << 16 else np.uint32)


def _kernel(device: Device, rows: DeviceRows, name: str, num_tiles: int = 1) -> Any:
    return device.kernel("sweep_build.cuh", name, _build_macros(rows.defines, num_tiles))


def _build_macros(edges: dict[str, str], num_tiles: int) -> dict[str, Any]:
    return {**edges, "PART": PART, "tile_t": ctype(_tile_dtype(num_tiles))}


def sweep_of(device: Device, rows: DeviceRows) -> Sweep:
    """The layout of a graph, made once."""
    return rows.once("sweep", lambda: build_sweep(device, rows))


def can_sweep(rows: DeviceRows) -> bool:
    """Whether columns and parts can be numbered in 31 bits, and tiles times runs of columns are not too many."""
    parts = rows.num_arcs // PART + rows.num_vertices
    runs = parts // MOST_ROWS * (rows.num_vertices // COLUMNS_PER_RUN)
    return rows.neighbours.dtype.itemsize == 4 and parts < 2**31 and runs < MOST_RUNS


def run_sweep(
    device: Device, sweep: Sweep, numbers: Arithmetic, x: Any, mask: Any, out: Any, *, in_order: bool = False
) -> None:
    """out[i] = ⊕ of w ⊗ x[j], where ``mask`` is true; ``in_order`` means that x is in the order of the sweep."""
    defines = {**index_defines(np.dtype(np.int32), 0), **numbers.defines, **_shape(device, sweep.tile_rows, out.dtype)}
    begin, product, join = (
        device.kernel("spmv_sweep.cuh", name, defines, numbers.operators)
        for name in ("begin_sweep", "spmv_sweep", "join_parts")
    )
    moved = x if in_order else device.empty(x.size, x.dtype)
    parts = device.empty(sweep.num_parts, out.dtype)
    threads = int(defines["THREADS"])
    shared = threads // 32 * sweep.tile_rows * out.dtype.itemsize
    blocks = min(device.resident_blocks(product, threads, shared), -(-sweep.num_tiles // (threads // 32)))
    split = sweep.split_rows.size
    given = (x, None if in_order else sweep.order, moved, mask, out, numbers.identity, np.uint64(out.size))
    device.launch(begin, blocks_for(device, out.size, THREADS), THREADS, *given)
    device.launch(
        product, blocks, threads, sweep.words, sweep.weights, sweep.steps, sweep.tile_steps, np.uint64(sweep.num_tiles),
        sweep.targets, moved, mask, out, parts, numbers.identity, numbers.nothing, shared=shared,
    )  # fmt: skip
    if split:
        rows = (sweep.split_rows, np.uint64(split), sweep.first_parts)
        device.launch(join, blocks_for(device, split * 32, THREADS), THREADS, *rows, parts, mask, out)


def _shape(device: Device, tile_rows: int, result: np.dtype[Any]) -> dict[str, Any]:
    """What the kernel is compiled for: as many warps as have room for their sums."""
    warps = max(1, min(WARPS, shared_bytes(device) // (tile_rows * result.itemsize)))
    return _macros(tile_rows, warps)


def _macros(tile_rows: int, warps: int) -> dict[str, Any]:
    return {"TILE_ROWS": tile_rows, "BATCH": BATCH, "THREADS": warps * 32, "NO_TARGET": f"({NO_TARGET + 1} - 1)"}


def earned_layout(device: Device, rows: DeviceRows, products: int = 1, *, sweeps: bool = True) -> str:
    """What the next ``products`` products should go over: "tiles" or, where ``sweeps``, "sweep"."""
    if rows.num_arcs < FROM_ARCS or not rows.in_device_memory:
        return "tiles"
    count = rows.facts["products"] = rows.facts.get("products", 0) + products
    if count <= SWEEP_AFTER or not sweeps or not can_sweep(rows) or not _has_hot_columns(device, rows):
        return "tiles"
    return "sweep" if _has_sweep(device, rows) else "tiles"


def _has_hot_columns(device: Device, rows: DeviceRows) -> bool:
    """Whether a few columns have much of the edges, by a sample of those."""

    def look() -> bool:
        sample = rows.neighbours[:: max(1, rows.num_arcs // SAMPLE)]
        counts = device.xp.sort(device.xp.unique(sample, return_counts=True)[1])[-HOT_COLUMNS:]
        return bool(float(counts.sum()) >= HOT_PART * sample.size)

    return rows.once("hot columns", look)


def _has_sweep(device: Device, rows: DeviceRows) -> bool:
    """Make a sweep where there is none; where there is no room for it, never again."""
    if "no room for a sweep" in rows.facts:
        return False
    try:
        sweep_of(device, rows)
    except MemoryError:  # tiles will do
        rows.facts["no room for a sweep"] = True
        return False
    return True
