"""Breadth-first search on a GPU: memory for the kernel, and its answer as arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clew.algorithms.paths.cuda import Search
from clew.algorithms.paths.cuda_problem import Problem, Tuning, path_space, tuning_of
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cuda.balance.frontiers import entry_bytes
from clew.engines.cuda.balance.launches import launch_over
from clew.engines.cuda.memory.bandwidth import OnHost, on_host_by_plans, with_link
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.memory.packed_rows import both_directions_on, edges_on
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.result import TRACED_ROUNDS, timed_rows
from clew.workspace import Workspace, result, scratch

THREADS, PACKED_THREADS = 512, 384  # as in bfs.cuh
BIG = 1024  # edges of a row that one warp follows alone; longer ones are cut
LEVELS_PER_LAUNCH = 1 << 14  # then the host checks for Ctrl-C
PULL_COST = 2.0  # edges pushed along in the time that one vertex takes to look for a parent
#: As in bfs.cuh.
CONTROL = np.dtype(
    [("barrier", "u4", 64), ("levels", "u8", (4, 4))]
    + [(name, "u8") for name in ("queue_begin", "piece_begin", "reached")]
    + [("level", "i8"), ("direction", "i4"), ("done", "i4")]
)


#: Paths whose edges all count 1, in one bucket.
UNREACHED = np.iinfo(np.uint32).max
EDGES = Problem(np.dtype(np.uint32), False, 0, 0, 0, UNREACHED, np.dtype(np.int32), -1, np.inf)


def workspace(
    graph: Graph, balance: str = "auto", cut: int | None = None, *, traced_levels: int = TRACED_ROUNDS
) -> Workspace:
    """The arrays of a search."""
    if balance != "auto":
        return path_space(graph, "depth", EDGES.result, EDGES.value, tuning_of(balance, cut))
    n, ids = graph.num_vertices, graph.outgoing.id_dtype
    entry = entry_bytes(np.dtype(np.int64), ids, np.dtype(np.uint32))  # Entry in bfs.cuh
    return Workspace(
        depth=result(n, np.int32),
        parent=result(n, ids),
        trace=scratch((min(n, traced_levels) + 1 if traced_levels else 0, 4), np.int64, lasts=True),
        queue=scratch(n * entry, np.uint8),
        pieces_of_long_rows=scratch((2 * (graph.num_arcs // BIG) + 1) * entry, np.uint8),
        bitmaps=scratch(2 * -(-n // 32), np.uint32),
        control=scratch(CONTROL.itemsize, np.uint8, 0),  # of which only the barrier must be zero
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
    threads: int | None = None,
    traced_levels: int = TRACED_ROUNDS,
) -> Answer:
    """Search from ``source``."""
    if balance != "auto" or cut is not None:
        return bfs_balanced(device, graph, source, tuning_of(balance, cut), deterministic)
    out, into = both_directions_on(device, graph, firsts=True)
    work = out.take(device, ("bfs", traced_levels), lambda: workspace(graph, traced_levels=traced_levels))
    threads = threads or (THREADS if out.packed is None else PACKED_THREADS)
    progress = _search(device, out, into, source, work, pull_cost, threads)
    out.give_back(work)
    if deterministic:
        n = out.id_dtype.type(out.num_vertices)
        given = (n, into.offsets, into.ids, work.depth, work.parent)
        launch_over(device, "bfs.cuh", "smallest_parents", _defines(out, into), out.num_vertices * 32, *given)
    levels, width, plans = int(progress["level"]), out.bytes_per_edge, (out.plan, into.plan)
    noted = work.trace

    def trace() -> dict[str, Array]:  # must not hold the rows
        away = on_host_by_plans(*plans, isinstance(noted, np.ndarray))
        return _columns(device.download(noted[: levels + 1]), width, away)

    values, facts = {"depth": work.depth, "parent": work.parent}, {"num_reached": int(progress["reached"])}
    return Answer(values, facts, unreached=-1, iterations=levels, trace=trace)


def bfs_balanced(device: Device, graph: Graph, source: int, tuning: Tuning, deterministic: bool) -> Answer:
    """Search from ``source``, pushing along edges that are shared among threads as the tuning says."""
    search = Search(device, edges_on(device, graph.outgoing, weights=False), source, EDGES, tuning)
    search.run(deterministic=deterministic)
    answer = search.answer("depth", deterministic=deterministic)
    steps = answer.trace

    def columns() -> dict[str, Array]:
        pushed = {name: column for name, column in steps().items() if name != "bucket"}
        return {**pushed, "direction": np.full(len(pushed["edges"]), "push")}

    return replace(answer, unreached=-1, iterations=int(answer.depth.max()) + 1, trace=columns)


def _search(
    device: Device, out: DeviceRows, into: DeviceRows, source: int, work: Any, pull_cost: float, threads: int
) -> Any:
    """Launch until the search is done; returns the kernel's last progress."""
    id_type = out.id_dtype.type
    kernel = out.once(("bfs", into.on_host), lambda: device.kernel("bfs.cuh", "bfs", _defines(out, into)))
    edges = (out.offsets, out.ids, into.offsets, into.ids)
    arrays = (work.depth, work.parent, work.queue, work.pieces_of_long_rows, work.bitmaps, work.trace)
    vertices = (id_type(out.num_vertices), id_type(source))
    stop = LEVELS_PER_LAUNCH
    while True:
        limits = (np.int64(work.trace.shape[0]), np.int64(stop), np.float32(pull_cost))
        first = np.int32(stop == LEVELS_PER_LAUNCH)
        device.launch_cooperative(kernel, threads, *vertices, *edges, *arrays, *limits, first, work.control)
        progress = device.download(work.control).view(CONTROL)[0]
        if progress["done"]:
            return progress
        stop += LEVELS_PER_LAUNCH


def _defines(out: DeviceRows, into: DeviceRows) -> dict[str, Any]:
    assert into.offsets.dtype == out.offsets.dtype
    on_host = int(out.on_host or (into.on_host and out.packed is not None))
    return {
        "index_t": out.defines["index_t"],
        "offset_t": out.defines["offset_t"],
        "BIG": BIG,
        **out.form,
        "ON_HOST": on_host,
    }


def _columns(rows: Array, width: float, away: OnHost) -> dict[str, Array]:
    """The trace, from the rows that the kernel writes."""
    columns = timed_rows(rows, ("frontier", "edges", "direction"), width)
    columns["direction"] = np.where(columns["direction"] == 1, "pull", "push")
    return with_link(columns, away)
