"""PageRank on the GPU: which kernel fits the graph, memory for it, and its answer as arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clew.algorithms.pagerank import summary
from clew.algorithms.pagerank.cpu import shares_of
from clew.algorithms.pagerank.cuda_products import PROGRESS, rank_by_products
from clew.algorithms.pagerank.cuda_pull import UNEVEN_FROM, parts_of, pull_rows
from clew.algorithms.pagerank.cuda_trace import ranks_with_trace, room_for_rounds
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cuda.account import charge, charged
from clew.engines.cuda.device import GRID_BARRIER_WORDS, Device, blocks_for, index_defines
from clew.engines.cuda.edge_memory import EdgePlan, put
from clew.engines.cuda.launches import share_of
from clew.engines.cuda.rows import DeviceRows, offsets_on
from clew.engines.cuda.source import Program, ctype
from clew.graph import Graph
from clew.memory import current

EDGES_PER_LAUNCH = 1 << 35  # then the host has a look, so that Ctrl-C is heard
PRODUCTS_FROM = 1 << 23  # edges: below, one launch for all rounds is faster than several for each


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


def pagerank(
    device: Device,
    graph: Graph,
    *,
    damping: float,
    tolerance: float,
    max_iterations: int,
    jumps: Array | None,
    weighted: bool,
    dtype: str,
    start: Array | None = None,
    tuning: Tuning | None = None,
) -> Answer:
    """Ranks to within ``tolerance``, or what there is after ``max_iterations``; they stay on the device."""
    n, value = graph.num_vertices, np.dtype(dtype)
    rank = device.empty(n, value)
    if n == 0:
        return summary(rank, 0, True, np.empty(0))
    walk: dict[str, Any] = {"damping": damping, "tolerance": tolerance, "max_iterations": max_iterations}
    tuning = tuning or Tuning()
    pull = pull_rows(device, graph)
    rows = pull.rows
    uneven = pull.longest > UNEVEN_FROM
    spread, factors, _kept_alive = _passing(device, graph, rows, weighted, value)
    lead = None if jumps is None else device.upload(jumps.astype(value))
    first = lead if start is None else device.upload(start.astype(value))
    products = products_pay(pull.longest, rows.num_arcs) if tuning.products is None else tuning.products
    if products and not weighted:
        return rank_by_products(
            device,
            rows,
            spread,
            lead,
            first,
            value,
            layout=tuning.layout if rows.in_device_memory else "tiles",  # others are copies of the edges
            **walk,
        )
    binned = uneven if tuning.binned is None else tuning.binned
    threads = tuning.threads or (512 if binned else 256)
    resident = tuning.resident or (3 if binned else 6)
    defines = {
        **index_defines(np.dtype(rows.neighbours.dtype), rows.num_arcs),
        "value_t": ctype(value),
        "sum_t": ctype(np.float64 if value == np.float64 else tuning.sum_dtype),
        "FACTORS": int(weighted),
        "BINNED": int(binned),
        "LANES": tuning.lanes or _lanes(rows.num_arcs / n),
        "THREADS": threads,
        "RESIDENT": resident,
    }
    kernel = device.kernel("pagerank.cuh", "pagerank", defines)
    blocks = device.resident_blocks(kernel, threads)
    order = bounds = None
    if binned:
        parts = parts_of(device, pull, blocks)
        order, bounds = parts.order, parts.bounds
    even, odd = device.empty(n, value), device.empty(n, value)
    sums = device.empty(4 * blocks, np.float64)
    trace = room_for_rounds(device, max_iterations)
    control = device.zeros(GRID_BARRIER_WORDS + PROGRESS.itemsize // 4, np.uint32)
    progress = control[GRID_BARRIER_WORDS:]
    most = max(1, share_of(EDGES_PER_LAUNCH, rows) // (rows.num_arcs + n))
    left, found = max_iterations, None
    while left > 0 and (found is None or not found["converged"]):
        device.launch_cooperative(
            kernel,
            threads,
            np.uint64(n),
            rows.offsets,
            rows.neighbours,
            factors,
            spread,
            lead,
            first,
            np.float64(damping),
            np.float64(tolerance),
            np.uint32(min(most, left)),
            order,
            bounds,
            even,
            odd,
            sums,
            trace,
            np.uint32(trace.shape[0]),
            progress,
            control,
        )
        left -= min(most, left)
        if left > 0:
            found = device.download(progress).view(PROGRESS)[0]
    device.launch(
        device.kernel("pagerank.cuh", "ranks", defines),
        blocks_for(device, n, 256),
        256,
        np.uint64(n),
        rows.offsets,
        spread,
        even,
        odd,
        progress,
        rank,
    )
    found = device.download(progress).view(PROGRESS)[0]
    return ranks_with_trace(device, rank, rows, factors, found, trace)


def products_pay(longest: int, num_arcs: int) -> bool:
    """Whether rounds of products are faster than one launch for all rounds, by the longest row and the edges."""
    return longest > UNEVEN_FROM and num_arcs >= PRODUCTS_FROM


def _lanes(mean: float) -> int:
    """Threads to a row of so many edges on average."""
    lanes = 1
    while lanes < 32 and lanes * 4 < mean:
        lanes *= 2
    return lanes


def _passing(
    device: Device, graph: Graph, rows: DeviceRows, weighted: bool, value: np.dtype[Any]
) -> tuple[Any, Any, Any]:
    """By how much a vertex divides what it passes on (None: the length of its row), and the shares of the in-edges.

    The third is to be kept while the shares are used: on the host, where the edges are.
    """
    if weighted:
        leaving, shares = shares_of(graph.outgoing, graph.incoming)
        shares = shares.astype(value)
        placed = device.upload(shares) if rows.plan is None else _put_shares(device, shares, rows.plan)
        return device.upload((leaving > 0).astype(value)), placed, shares
    if not graph.directed:
        return None, None, None
    offsets = offsets_on(device, graph.outgoing)
    return (offsets[1:] - offsets[:-1]).astype(value), None, None


def _put_shares(device: Device, shares: Array, plan: EdgePlan) -> Any:
    """The shares of edges where the edges are; on the host where what edges may have of device memory is used up."""
    policy, fast = current(), (plan.num_arcs - plan.cut) * shares.itemsize
    limit = policy.fast_memory if policy.edges in ("auto", "tiered") else None
    if limit is not None and fast > limit - charged(device):
        plan, fast = replace(plan, mode="zero_copy", cut=plan.num_arcs), 0
    placed = put(device, shares, plan)
    charge(device, placed, fast, (id(device), id(shares)))
    return placed


def _variant(index: type, **more: Any) -> Program:
    wide = 1 << 32 if index is np.int64 else 0
    base = {"value_t": "float", "sum_t": "double", "FACTORS": 0, "BINNED": 0, "THREADS": 256, "RESIDENT": 6}
    return Program.of("pagerank.cuh", {**index_defines(np.dtype(index), wide), **base, **more})


VARIANTS = [
    _variant(np.int32),
    _variant(np.int32, LANES=1),
    _variant(np.int32, BINNED=1, THREADS=512, RESIDENT=3),
    _variant(np.int64, BINNED=1, value_t="double", FACTORS=1, THREADS=512, RESIDENT=2),
]
