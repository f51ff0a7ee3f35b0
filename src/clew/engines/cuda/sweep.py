"""Matrix times dense vector by a sweep over the columns (spmv_sweep.cuh): for graphs multiplied with many times."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.engines.cuda import algebra
from clew.engines.cuda.algebra import Arithmetic
from clew.engines.cuda.device import Device, blocks_for, index_defines, shared_bytes
from clew.engines.cuda.device_rows import DeviceRows
from clew.engines.cuda.source import Program
from clew.engines.cuda.sweep_layout import (
    BATCH,
    COLUMNS_PER_RUN,
    MOST_ROWS,
    NO_TARGET,
    PART,
    WARPS,
    Sweep,
    made_sweep,
)
from clew.operators import semirings

THREADS = 256
#: Lengths of runs that are kept while the layout is made, 24 bytes each.
MOST_RUNS = 1 << 27


def sweep_of(device: Device, rows: DeviceRows) -> Sweep:
    """The layout of a graph, made once."""
    return rows.once("sweep", lambda: made_sweep(device, rows))


def can_sweep(rows: DeviceRows) -> bool:
    """Whether columns and parts can be numbered in 31 bits, and tiles times runs of columns are not too many."""
    parts = rows.num_arcs // PART + rows.num_vertices
    runs = parts // MOST_ROWS * (rows.num_vertices // COLUMNS_PER_RUN)
    return rows.neighbours.dtype.itemsize == 4 and parts < 2**31 and runs < MOST_RUNS


def run_sweep(
    device: Device, sweep: Sweep, numbers: Arithmetic, x: Any, wanted: Any, out: Any, *, in_order: bool = False
) -> None:
    """out[i] = ⊕ of w ⊗ x[j], where wanted; ``in_order`` says that x goes by the sweep's own names already."""
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
    given = (x, None if in_order else sweep.order, moved, wanted, out, numbers.identity, np.uint64(out.size))
    device.launch(begin, blocks_for(device, out.size, THREADS), THREADS, *given)
    device.launch(
        product, blocks, threads, sweep.words, sweep.weights, sweep.steps, sweep.tile_steps, np.uint64(sweep.num_tiles),
        sweep.targets, moved, wanted, out, parts, numbers.identity, numbers.nothing, shared=shared,
    )  # fmt: skip
    if split:
        rows = (sweep.split_rows, np.uint64(split), sweep.first_parts)
        device.launch(join, blocks_for(device, split * 32, THREADS), THREADS, *rows, parts, wanted, out)


def _shape(device: Device, tile_rows: int, result: np.dtype[Any]) -> dict[str, Any]:
    """What the kernel is compiled for: as many warps as have room for their sums."""
    warps = max(1, min(WARPS, shared_bytes(device) // (tile_rows * result.itemsize)))
    return _macros(tile_rows, warps)


def _macros(tile_rows: int, warps: int) -> dict[str, Any]:
    return {"TILE_ROWS": tile_rows, "BATCH": BATCH, "THREADS": warps * 32, "NO_TARGET": f"({NO_TARGET + 1} - 1)"}


def _variants() -> list[Program]:
    single, small = np.dtype(np.float32), np.dtype(np.int8)
    ids = index_defines(np.dtype(np.int32), 0)
    found = []
    for numbers in (
        algebra.of_semiring(semirings.plus_times, single, single, single),
        algebra.of_semiring(semirings.min_plus, None, small, small),
    ):
        macros = {**ids, **numbers.defines, **_macros(MOST_ROWS, WARPS)}
        found.append(Program.of("spmv_sweep.cuh", macros, numbers.operators))
    return found


VARIANTS = _variants()
