"""PageRank on the GPU: which kernel fits the graph, memory for it, and its answer as arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clew.adjacency import Adjacency
from clew.algorithms.pagerank import Walk, rounds_over, shares_of
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cuda.balance import tiling
from clew.engines.cuda.balance.launches import Pace, launch_over, share_of
from clew.engines.cuda.balance.tiling import degrees_of
from clew.engines.cuda.memory.bandwidth import on_host_by_plan, with_link
from clew.engines.cuda.memory.device_graph import incoming_on, offsets_on
from clew.engines.cuda.memory.device_rows import DeviceRows, Room
from clew.engines.cuda.memory.edge_memory import EdgePlan, put
from clew.engines.cuda.memory.ledger import ledger_of
from clew.engines.cuda.memory.packed_rows import packed_incoming_on
from clew.engines.cuda.products import algebra
from clew.engines.cuda.products.spmv import by_tiles
from clew.engines.cuda.products.sweep import can_sweep, earned_layout, run_sweep, sweep_of
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS, Device, Grid, blocks_for, index_defines
from clew.engines.cuda.toolchain.source import ctype
from clew.graph import Graph
from clew.memory import current
from clew.operators import semirings
from clew.result import TRACED_ROUNDS
from clew.workspace import Workspace, result, scratch

EDGES_PER_LAUNCH = 1 << 35  # then the host checks for Ctrl-C
PRODUCTS_FROM = 1 << 23  # edges: below, one launch for all rounds is faster than several for each
#: Rows longer than the first are summed by a block, than the second by a warp, than the third by 4 lanes.
CLASS_LIMITS = (4096, 32, 4)
ROW_COST = 8  # edges that could be followed in the time that a row takes besides its edges
PRODUCT_THREADS = 256
SUMS = 4  # of each block: change and stranded rank, of this round and the one before
PROGRESS = np.dtype([("stranded", "f8"), ("change", "f8"), ("rounds", "u4"), ("converged", "u4")])
USUAL = (1e-20, 1e20)  # sums of weights by which a float32 can be divided
UNEVEN_FROM = 256  # edges: with none longer, rows are even enough to take them in order


@dataclass(frozen=True)
class Tuning:
    """What is chosen by the graph where it is None; given, to measure it.

    ``products``: rounds of a product, in the ``layout`` given ("tiles", "sweep"). ``binned``: rows in classes
    by length. ``lanes``: threads to a row where they are not. ``threads`` in a block and ``resident`` blocks on a
    processor. ``sum_dtype``: what a row is summed in.
    """

    products: bool | None = None
    layout: str | None = None
    binned: bool | None = None
    lanes: int | None = None
    threads: int | None = None
    resident: int | None = None
    sum_dtype: str = "float64"


DEFAULT = Tuning()


def workspace(
    graph: Graph, dtype: str, max_iterations: int, weighted: bool, *, products: bool = False, blocks: int = 0
) -> Workspace:
    """The arrays of a run, by products or not. ``blocks``, which have sums each, are as many as the device says."""
    n = graph.num_vertices
    return Workspace(
        rank=result(n, dtype),
        passed=scratch(n, dtype),
        next_passed=scratch(n, dtype),
        pulled=scratch(n, dtype) if products else None,
        spread=scratch(n, dtype, later=True) if weighted or graph.directed else None,
        shares=scratch(graph.num_arcs, dtype, later=True) if weighted else None,
        # A row per round, and one for the end: the change, and the bits of when it began.
        trace=scratch((min(max_iterations, TRACED_ROUNDS) + 1, 2), np.float64, lasts=True),
        sums=scratch(SUMS * blocks, np.float64),
        progress=scratch(PROGRESS.itemsize, np.uint8),
        barrier=None if products else scratch(GRID_BARRIER_WORDS, np.uint32, 0),
    )


def pagerank(device: Device, graph: Graph, walk: Walk, tuning: Tuning | None = None) -> Answer:
    """Ranks to within the tolerance, or those after ``max_iterations``; they stay on the device."""
    value, tuning = np.dtype(walk.dtype), tuning or DEFAULT
    if graph.num_vertices == 0:
        return Answer({"rank": device.empty(0, value)}, iterations=0, trace={"change": np.empty(0)})
    rows = packed_incoming_on(device, graph, weights=walk.weighted)
    totals = None if rows is None or not walk.weighted else _totals(graph.outgoing)
    if rows is None or (walk.weighted and totals is None):
        rows = incoming_on(device, graph, weights=False)
    shared_out = walk.weighted and totals is None
    spread, factors, _kept_alive = _passing(device, graph, rows, shared_out, totals, value)
    lead = None if walk.jumps is None else device.upload(walk.jumps.astype(value))
    first = lead if walk.start is None else device.upload(walk.start.astype(value))
    tuned = None if tuning is DEFAULT else tuning
    asked = ("pagerank", walk.dtype, walk.max_iterations, TRACED_ROUNDS, shared_out, tuned)
    room, pulls = rows.prepared(asked, lambda: _ready(device, graph, rows, walk, shared_out, tuning))
    work, *own = rows.take(device, room)
    if pulls is None:
        layout = tuning.layout if rows.in_device_memory else "tiles"  # others are copies of the edges
        answer = _rank_by_products(device, rows, (spread, lead, first), walk, (work, *own), layout)
    else:
        answer = _rank_by_pulling(device, rows, (factors, spread, lead, first), walk, (work, *own), pulls)
    rows.give_back(work, answer.trace)
    return answer


def _ready(
    device: Device, graph: Graph, rows: DeviceRows, walk: Walk, shared_out: bool, tuning: Tuning
) -> tuple[Room, Pulls | None]:
    """The arrays of all such runs over these rows, and how they pull; None for rounds of a product."""
    pays = products_pay(degrees_of(rows).largest, rows.num_arcs) if tuning.products is None else tuning.products
    products = (pays or rows.packed is not None) and not shared_out
    pulls = None if products else _pulls(device, rows, np.dtype(walk.dtype), shared_out, tuning)
    blocks = blocks_for(device, graph.num_vertices, PRODUCT_THREADS) if pulls is None else pulls.blocks
    given = (walk.dtype, walk.max_iterations, shared_out)
    key = ("pagerank", *given, blocks, products, TRACED_ROUNDS)
    space = workspace(graph, *given, products=products, blocks=blocks)
    return rows.room(device, key, lambda: space, lambda work: _given(device, work)), pulls


def _given(device: Device, work: Any) -> tuple[Any, ...]:
    """The scratch arrays as the kernel for all rounds takes them, and how progress is read."""
    spaces = device.passed(work.passed, work.next_passed, work.sums)
    return spaces, device.passed(work.progress, work.barrier), device.reader(work.progress, PROGRESS)


class Pulls(NamedTuple):
    """What all runs by pulling over the same rows have in common: the kernel, its launch, and its parts of the rows."""

    kernel: Any
    blocks: int
    parts: tuple[Any, Any]
    size: Any  # the vertices, as the kernel takes them
    grid: Grid


def _pulls(device: Device, rows: DeviceRows, value: np.dtype[Any], weighted: bool, tuning: Tuning) -> Pulls:
    binned = degrees_of(rows).largest > UNEVEN_FROM if tuning.binned is None else tuning.binned
    defines = _defines(rows, value, weighted, binned, tuning)
    kernel, threads = device.kernel("pagerank.cuh", "pagerank", defines), int(defines["THREADS"])
    blocks = device.resident_blocks(kernel, threads)
    parts = device.passed(*(parts_of(device, rows, blocks) if binned else (None, None)))
    return Pulls(kernel, blocks, parts, np.uint64(rows.num_vertices), device.together(kernel, threads))


def _rank_by_pulling(
    device: Device, rows: DeviceRows, passing: tuple[Any, ...], walk: Walk, memory: tuple[Any, ...], pulls: Pulls
) -> Answer:
    """All rounds in one launch, or in as few as the host checks; ``passing`` as the kernel takes it."""
    work, rank, trace = memory
    spaces, ends, read = work.given
    *passed, there, noted = device.passed(*passing, rank, trace)
    given = (pulls.size, *rows.shape(device), *passed, np.float64(walk.damping), np.float64(walk.tolerance))
    used = (*pulls.parts, *spaces, noted, np.uint32(trace.shape[0]), there, *ends)
    most = max(1, share_of(EDGES_PER_LAUNCH, rows) // (rows.num_arcs + rows.num_vertices))
    done = 0
    while True:
        turns = min(most, walk.max_iterations - done)
        device.start(pulls.kernel, pulls.grid, (*given, np.uint32(done), np.uint32(turns), *used))
        progress, done = read(), done + turns
        if done == walk.max_iterations or progress["converged"]:
            break
    return ranks_with_trace(device, rank, rows, passing[0], progress, trace)


def _defines(
    rows: DeviceRows, value: np.dtype[Any], weighted: bool, binned: bool, tuning: Tuning
) -> dict[str, Any]:  # fmt: skip
    """The macros of pagerank.cuh."""
    return {
        **index_defines(np.dtype(rows.neighbours.dtype), rows.num_arcs),
        "value_t": ctype(value),
        "sum_t": ctype(np.float64 if value == np.float64 else tuning.sum_dtype),
        "FACTORS": int(weighted),
        "BINNED": int(binned),
        "LANES": tuning.lanes or _lanes(rows.num_arcs / rows.num_vertices),
        "THREADS": tuning.threads or (512 if binned else 256),
        "RESIDENT": tuning.resident or (3 if binned else 6),
    }


def _rank_by_products(
    device: Device,
    rows: DeviceRows,
    given: tuple[Any, Any, Any],
    walk: Walk,
    memory: tuple[Any, ...],
    layout: str | None,
) -> Answer:
    """Rounds of a product in the layout that the graph has earned, and a short step between; for large skewed graphs.

    ``given`` is (spread, jumps, start), each None as in the kernels.
    """
    (spread, jumps, start), (damping, tolerance, max_iterations, *_) = given, walk
    work, rank, trace = memory
    n, value = rows.num_vertices, np.dtype(rank.dtype)
    layout = layout or earned_layout(device, rows, _rounds(damping, tolerance, max_iterations))
    names, multiply = _product(device, rows, value, layout)
    ids = index_defines(rows.id_dtype, rows.num_arcs)
    defines = {**ids, "value_t": ctype(value), "sum_t": ctype(value), "FACTORS": "0"}
    blocks = blocks_for(device, n, PRODUCT_THREADS)
    passed, moved, pulled, sums, progress = work.passed, work.next_passed, work.pulled, work.sums, work.progress
    whole = (np.uint64(n), rows.offsets, spread)
    ends = (sums, np.float64(tolerance))
    close = device.kernel("rank_rounds.cuh", "close_round", defines)
    first = device.kernel("rank_rounds.cuh", "first_round", defines)
    step = device.kernel("rank_rounds.cuh", "next_round", defines)

    def close_round(started: bool) -> None:
        noted = (np.int32(started), trace, np.uint32(trace.shape[0]), progress)
        device.launch(close, 1, PRODUCT_THREADS, np.uint32(blocks), *ends, *noted)

    pace = Pace(device)
    device.launch(first, blocks, PRODUCT_THREADS, *whole, start, names, passed, moved, sums)
    close_round(False)
    for _ in range(max_iterations):
        multiply(passed if names is None else moved, pulled)
        arguments = (*whole, jumps, pulled, np.float64(damping), names, passed, moved, sums, progress)
        device.launch(step, blocks, PRODUCT_THREADS, *arguments)
        close_round(True)
        # A round takes far longer than a download, and Ctrl-C is handled meanwhile.
        if tolerance == 0:
            pace.launched()
        elif device.download(progress).view(PROGRESS)[0]["converged"]:
            break
    launch_over(device, "rank_rounds.cuh", "last_ranks", defines, n, *whole, passed, rank, threads=PRODUCT_THREADS)
    return ranks_with_trace(device, rank, rows, None, device.download(progress).view(PROGRESS)[0], trace)


def ranks_with_trace(device: Device, rank: Any, rows: DeviceRows, factors: Any, progress: Any, trace: Any) -> Answer:
    """The answer, from what the kernels wrote; ``trace`` has a ``Round`` of clock.cuh each, and one more."""
    rounds, plan = int(progress["rounds"]), rows.plan
    width = rows.bytes_per_edge + (0 if factors is None else factors.itemsize)
    counts = rows.num_vertices, rows.num_arcs  # a trace must not keep the rows

    def columns() -> dict[str, Array]:
        size, away = SimpleNamespace(num_vertices=counts[0], num_arcs=counts[1]), on_host_by_plan(plan, trace)
        noted = device.download(trace[: rounds + 1])  # fewer where not all rounds were traced
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
    if rows.packed is not None and rows.weights is not None:
        numbers = algebra.of_semiring(semirings.plus_times, rows.weight_dtype, value, value)
        weighted = by_tiles(device, rows, rows.defines, tiling.tiles_of(device, rows), numbers)
        return None, lambda x, out: weighted(device, x, None, out)
    numbers = algebra.of_semiring(semirings.plus_second, None, value, value)
    if layout == "sweep" and can_sweep(rows):
        sweep = sweep_of(device, rows)
        return sweep.names, lambda x, out: run_sweep(device, sweep, numbers, x, None, out, in_order=True)
    plain = replace(rows, weights=None)
    product = by_tiles(device, plain, plain.defines, tiling.tiles_of(device, rows), numbers)
    return None, lambda x, out: product(device, x, None, out)


def parts_of(device: Device, rows: DeviceRows, blocks: int) -> tuple[Any, Any]:
    """Rows in an order by class of length, and where in it each block's part of each class begins.

    In every class, the parts have about equally many edges. They are kept on the device with the rows.
    """
    parts: tuple[Any, Any] = rows.once(f"parts for {blocks} blocks", lambda: _cut(device, rows, blocks))
    return parts


def _cut(device: Device, rows: DeviceRows, blocks: int) -> tuple[Any, Any]:
    xp, n = device.xp, rows.num_vertices
    lengths = (rows.offsets[1:] - rows.offsets[:-1]).astype(np.int64)
    row_class = sum((lengths <= limit).astype(np.int64) for limit in CLASS_LIMITS)
    order = xp.sort(row_class * n + xp.arange(n)) % n
    cost = device.zeros(n + 1, np.int64)
    cost[1:] = xp.cumsum(lengths[order] + ROW_COST)
    starts = xp.searchsorted(row_class[order], xp.arange(len(CLASS_LIMITS) + 2))
    first, last = cost[starts[:-1]], cost[starts[1:]]
    costs = first[:, None] + (last - first)[:, None] * xp.arange(blocks + 1)[None, :] // blocks
    bounds = xp.searchsorted(cost, costs.ravel()).reshape(costs.shape)
    bounds = xp.clip(bounds, starts[:-1, None], starts[1:, None])
    bounds[:, 0], bounds[:, -1] = starts[:-1], starts[1:]
    kept_order = device.empty(n, rows.neighbours.dtype)
    kept_order[...] = order
    kept_bounds = device.empty(bounds.shape, np.uint64)
    kept_bounds[...] = bounds
    return kept_order, kept_bounds


def products_pay(longest: int, num_arcs: int) -> bool:
    """Whether rounds of products are faster than one launch for all rounds, by the longest row and the edges."""
    return longest > UNEVEN_FROM and num_arcs >= PRODUCTS_FROM


def _lanes(mean: float) -> int:
    """Threads per row, by the mean row length."""
    lanes = 1
    while lanes < 32 and lanes * 4 < mean:
        lanes *= 2
    return lanes


def _totals(rows: Adjacency) -> Array | None:
    """The weight that leaves every vertex; None if a rank divided by one of them may be no usual float."""
    assert rows.stored_weights is not None
    total, filled = np.zeros(rows.num_vertices), np.flatnonzero(rows.degrees())
    if filled.size:
        total[filled] = np.add.reduceat(rows.stored_weights, rows.indptr[filled], dtype=np.float64)
    some = total[total > 0]
    usual = not some.size or (USUAL[0] < some.min() and some.max() < USUAL[1])
    return total if usual else None


def _passing(
    device: Device, graph: Graph, rows: DeviceRows, weighted: bool, totals: Array | None, value: np.dtype[Any]
) -> tuple[Any, Any, Any]:
    """By how much a vertex divides what it passes on (None: the length of its row), and the shares of the in-edges.

    With ``totals``, that is the weight of its edges. Otherwise, ``weighted`` needs shares. The third must be kept
    alive while the shares are used: they may be read from the host.
    """
    if totals is not None:
        return device.upload(totals.astype(value)), None, None
    if weighted:
        leaving, shares = shares_of(graph.outgoing, graph.incoming)
        shares = shares.astype(value)
        placed = device.upload(shares) if rows.plan is None else _put_shares(device, shares, rows.plan)
        return device.upload((leaving > 0).astype(value)), placed, shares
    if not graph.directed:
        return None, None, None

    def lengths() -> Any:
        if graph.is_packed:
            return device.upload(graph.degrees().astype(value))
        offsets = offsets_on(device, graph.outgoing)
        return (offsets[1:] - offsets[:-1]).astype(value)

    return rows.once(("out-degrees", value.char), lengths), None, None


def _put_shares(device: Device, shares: Array, plan: EdgePlan) -> Any:
    """The shares in the memory of the edges; on the host if the budget for edges is used up."""
    policy, fast = current(), (plan.num_arcs - plan.cut) * shares.itemsize
    limit = policy.fast_memory if policy.edges in ("auto", "tiered") else None
    if limit is not None and fast > limit - ledger_of(device).charged():
        plan, fast = replace(plan, mode="zero_copy", cut=plan.num_arcs), 0
    placed = put(device, shares, plan)
    ledger_of(device).charge(placed, fast)
    return placed
