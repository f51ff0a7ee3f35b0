"""Breadth-first search on a GPU: memory for the kernel, and its answer as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.arguments import check_balance
from clew.algorithms.paths.cuda import Problem, Search, Tuning, path_space, tuning_of
from clew.algorithms.paths.cuda_tree import tree_of_tight_edges
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cuda.memory.bandwidth import OnHost, on_host_by_plans, with_link
from clew.engines.cuda.memory.device_graph import incoming_on, rows_on
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import Device, blocks_for
from clew.engines.cuda.toolchain.source import KernelSource
from clew.graph import Graph
from clew.result import Trace, timed
from clew.workspace import Workspace, result, scratch

THREADS = 512
BIG = 1024  # edges of a row that one warp follows alone; longer ones are cut
TRACED_LEVELS = 1 << 16
LEVELS_PER_LAUNCH = 1 << 14  # then the host has a look, so that Ctrl-C is heard
PULL_COST = 2.0  # edges pushed along in the time that one vertex takes to look for a parent
CONTROL = np.dtype(
    [
        ("barrier", "u4", 64),
        ("levels", "u8", (4, 4)),
        ("queue_begin", "u8"),
        ("piece_begin", "u8"),
        ("reached", "u8"),
        ("level", "i8"),
        ("direction", "i4"),
        ("done", "i4"),
    ]
)
VARIANTS = [
    KernelSource.of("bfs.cuh", {"index_t": index, "offset_t": offset, "BIG": BIG, "ON_HOST": on_host})
    for index, offset, on_host in (("int", "unsigned int", 0), ("int", "long long", 1), ("long long", "long long", 0))
]


#: Paths whose edges all count 1, in one bucket.
UNREACHED = np.iinfo(np.uint32).max
EDGES = Problem(np.dtype(np.uint32), False, 0, 0, 0, UNREACHED, np.dtype(np.int32), -1, np.inf)


def workspace(
    graph: Graph, balance: str = "auto", cut: int | None = None, *, traced_levels: int = TRACED_LEVELS
) -> Workspace:
    """The arrays of a search."""
    if balance != "auto":
        return path_space(graph, "depth", EDGES.result, EDGES.value, tuning_of(balance, cut))
    n, ids = graph.num_vertices, graph.indices.dtype
    entry = 16 if ids.itemsize == 4 else 32
    return Workspace(
        depth=result(n, np.int32),
        parent=result(n, ids),
        trace=scratch((min(n, traced_levels) + 1 if traced_levels else 0, 4), np.int64),
        queue=scratch(n * entry, np.uint8),
        pieces_of_long_rows=scratch((2 * (graph.num_arcs // BIG) + 1) * entry, np.uint8),
        bitmaps=scratch(2 * -(-n // 32), np.uint32),
    )


def bfs(
    device: Device,
    graph: Graph,
    source: int,
    deterministic: bool = False,
    balance: str = "auto",
    cut: int | None = None,
    *,
    pull_cost: float = PULL_COST,
    threads: int = THREADS,
    traced_levels: int = TRACED_LEVELS,
) -> Answer:
    """Search from ``source``."""
    if balance != "auto" or cut is not None:
        check_balance(balance, cut)
        return bfs_balanced(device, graph, source, tuning_of(balance, cut), deterministic)
    out = rows_on(device, graph.outgoing, weights=False, parts=2 if graph.directed else 1)
    into = incoming_on(device, graph, weights=False)
    work = workspace(graph, traced_levels=traced_levels).allocate(device)
    told = _search(device, out, into, source, work, pull_cost, threads)
    if deterministic:
        kernel = device.kernel("bfs.cuh", "smallest_parents", _defines(out, into))
        n, blocks = out.neighbours.dtype.type(out.num_vertices), blocks_for(device, out.num_vertices * 32, 256)
        device.launch(kernel, blocks, 256, n, into.offsets, into.neighbours, work.depth, work.parent)
    levels, width, plans = int(told["level"]), out.neighbours.dtype.itemsize, (out.plan, into.plan)
    rows, emulated = work.trace[: levels + 1], isinstance(work.trace, np.ndarray)
    # Whoever has the trace must not hold the rows.
    trace = Trace.later(lambda: _columns(device.download(rows), width, on_host_by_plans(*plans, emulated)))
    values, facts = {"depth": work.depth, "parent": work.parent}, {"num_reached": int(told["reached"])}
    return Answer(values, facts, unreached=-1, iterations=levels, trace=trace)


def bfs_balanced(device: Device, graph: Graph, source: int, tuning: Tuning, deterministic: bool) -> Answer:
    """Search from ``source``, pushing along edges that are shared among threads as the tuning says."""
    search = Search(device, rows_on(device, graph.outgoing, weights=False), source, EDGES, tuning)
    search.run()
    kept = search.links_used and not deterministic
    found = search.finish() if kept else search.finish(tree_of_tight_edges(search, breadth_first=deterministic))
    levels = int(found.value.max()) + 1

    def columns() -> dict[str, Array]:
        told = dict(found.trace.columns)
        steps = told.pop("bucket").size
        return {**told, "direction": np.full(steps, "push")}

    values, facts = {"depth": found.value, "parent": found.parent}, {"num_reached": found.reached}
    return Answer(values, facts, unreached=-1, iterations=levels, trace=Trace.later(columns))


def _search(
    device: Device, out: DeviceRows, into: DeviceRows, source: int, work: Any, pull_cost: float, threads: int
) -> Any:
    """Launch until the search is done; what the kernel says of it at the end."""
    id_type = out.neighbours.dtype.type
    control = device.zeros(CONTROL.itemsize, np.uint8)
    kernel = device.kernel("bfs.cuh", "bfs", _defines(out, into))
    edges = (out.offsets, out.neighbours, into.offsets, into.neighbours)
    arrays = (work.depth, work.parent, work.queue, work.pieces_of_long_rows, work.bitmaps, work.trace)
    stop = LEVELS_PER_LAUNCH
    while True:
        device.launch_cooperative(
            kernel,
            threads,
            id_type(out.num_vertices),
            id_type(source),
            *edges,
            *arrays,
            np.int64(work.trace.shape[0]),
            np.int64(stop),
            np.float32(pull_cost),
            np.int32(stop == LEVELS_PER_LAUNCH),
            control,
        )
        told = device.download(control).view(CONTROL)[0]
        if told["done"]:
            return told
        stop += LEVELS_PER_LAUNCH


def _defines(out: DeviceRows, into: DeviceRows) -> dict[str, Any]:
    assert into.offsets.dtype == out.offsets.dtype
    on_host = int(out.on_host)
    return {"index_t": out.defines["index_t"], "offset_t": out.defines["offset_t"], "BIG": BIG, "ON_HOST": on_host}


def _columns(rows: Array, width: int, away: OnHost) -> dict[str, Array]:
    """Of rows of which the last has only the time at which the last level ended."""
    frontier, edges, direction, begun = rows.T
    told = {"frontier": frontier[:-1], "edges": edges[:-1], "direction": np.where(direction[:-1] == 1, "pull", "push")}
    return with_link(timed(told, begun, width), away)
