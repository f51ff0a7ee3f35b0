"""PageRank of large skewed graphs: rounds of a product in the layout the graph has earned, and a short step between."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clew.algorithms.pagerank import rounds_over
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cuda.balance import tiling
from clew.engines.cuda.balance.launches import Pace
from clew.engines.cuda.memory.bandwidth import on_host, with_link
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.products import algebra
from clew.engines.cuda.products.spmv import by_tiles
from clew.engines.cuda.products.sweep import can_sweep, earned_layout, run_sweep, sweep_of
from clew.engines.cuda.toolchain.device import Device, blocks_for, index_defines
from clew.engines.cuda.toolchain.source import ctype
from clew.operators import semirings
from clew.result import edge_bytes

THREADS = 256
PROGRESS = np.dtype([("stranded", "f8"), ("change", "f8"), ("rounds", "u4"), ("converged", "u4")])


class Walk(NamedTuple):
    """How likely a walk goes on, and when rounds end."""

    damping: float
    tolerance: float
    max_iterations: int


def rank_by_products(
    device: Device,
    rows: DeviceRows,
    spread: Any,
    jumps: Any,
    start: Any,
    walk: Walk,
    work: Any,
    *,
    layout: str | None = None,
) -> Answer:
    """Ranks from the in-edges ``rows``; ``spread``, ``jumps`` and ``start`` are None as in the kernels.

    ``work`` has the arrays of the algorithm's workspace.
    """
    n, value, (damping, tolerance, max_iterations) = rows.num_vertices, np.dtype(work.rank.dtype), walk
    layout = layout or earned_layout(device, rows, _rounds(damping, tolerance, max_iterations))
    names, multiply = _product(device, rows, value, layout)
    defines = _defines(rows, value)
    blocks = blocks_for(device, n, THREADS)
    passed, moved, pulled, trace, rank = work.passed, work.next_passed, work.pulled, work.trace, work.rank
    sums = device.empty(2 * blocks, np.float64)
    progress = device.zeros(PROGRESS.itemsize // 4, np.uint32)
    whole = (np.uint64(n), rows.offsets, spread)
    ends = (sums, np.float64(tolerance))
    close = device.kernel("rank_rounds.cuh", "close_round", defines)
    first = device.kernel("rank_rounds.cuh", "first_round", defines)
    step = device.kernel("rank_rounds.cuh", "next_round", defines)

    def close_round(started: bool) -> None:
        noted = (np.int32(started), trace, np.uint32(trace.shape[0]), progress)
        device.launch(close, 1, THREADS, np.uint32(blocks), *ends, *noted)

    pace = Pace(device)
    device.launch(first, blocks, THREADS, *whole, start, names, passed, moved, sums)
    close_round(False)
    for _ in range(max_iterations):
        multiply(passed if names is None else moved, pulled)
        given = (*whole, jumps, pulled, np.float64(damping), names, passed, moved, sums, progress)
        device.launch(step, blocks, THREADS, *given)
        close_round(True)
        # A round takes far longer than asking; and while it is asked, or waited for, Ctrl-C is heard.
        if tolerance == 0:
            pace.launched()
        elif device.download(progress).view(PROGRESS)[0]["converged"]:
            break
    device.launch(device.kernel("rank_rounds.cuh", "last_ranks", defines), blocks, THREADS, *whole, passed, rank)
    return ranks_with_trace(device, rank, rows, None, device.download(progress).view(PROGRESS)[0], trace)


def ranks_with_trace(device: Device, rank: Any, rows: DeviceRows, factors: Any, progress: Any, trace: Any) -> Answer:
    """The answer, from what the kernels wrote; ``trace`` has a ``Round`` of clock.cuh each, and one more."""
    rounds, width, away = int(progress["rounds"]), edge_bytes(rows.neighbours, factors), on_host(rows)
    noted = device.download(trace[: rounds + 1])  # fewer where not all rounds were traced
    size = SimpleNamespace(num_vertices=rows.num_vertices, num_arcs=rows.num_arcs)  # a trace must not keep the rows

    def columns() -> dict[str, Array]:
        moved = rounds_over(size, noted[:, 1].copy().view(np.int64), width)
        return {"change": noted[:-1, 0], **with_link(moved, away)}

    return Answer({"rank": rank}, iterations=rounds, converged=bool(progress["converged"]), trace=columns)


def _rounds(damping: float, tolerance: float, most: int) -> int:
    """How many rounds it will take at most: each leaves no more than ``damping`` of the change before it."""
    if not 0 < tolerance < 1 or not 0 < damping < 1:
        return most
    return min(most, math.ceil(math.log(tolerance) / math.log(damping)))


def _product(
    device: Device, rows: DeviceRows, value: np.dtype[Any], layout: str
) -> tuple[Any, Callable[[Any, Any], None]]:
    """The names that a layout gives to vertices, or None, and its product of values in that order."""
    numbers = algebra.of_semiring(semirings.plus_second, None, value, value)
    if layout == "sweep" and can_sweep(rows):
        sweep = sweep_of(device, rows)
        return sweep.names, lambda x, out: run_sweep(device, sweep, numbers, x, None, out, in_order=True)
    macros, tiles = {**rows.defines, "WEIGHTED": "0"}, tiling.tiles_of(device, rows)
    places = {"both_ends": rows.in_two_memories, "on_host": rows.on_host}
    product = by_tiles(device, macros, tiles, rows.offsets, (rows.neighbours, None), numbers, **places)
    return None, lambda x, out: product(device, x, None, out)


def _defines(rows: DeviceRows, value: np.dtype[Any]) -> dict[str, str]:
    ids = index_defines(np.dtype(rows.neighbours.dtype), rows.num_arcs)
    return {**ids, "value_t": ctype(value), "sum_t": ctype(value), "FACTORS": "0"}
