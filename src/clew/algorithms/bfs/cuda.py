"""Breadth-first search on a GPU: memory for the kernel, and its answer as arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from clew.algorithms.paths.cuda import Search
from clew.algorithms.paths.cuda_problem import Problem, Tuning, path_space, tuning_of
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cuda.balance.frontiers import entry_bytes
from clew.engines.cuda.balance.launches import launch_over
from clew.engines.cuda.memory.bandwidth import OnHost, on_host_by_plans, with_link
from clew.engines.cuda.memory.device_rows import DeviceRows, Room, form_of
from clew.engines.cuda.memory.packed_rows import both_directions_on, edges_on
from clew.engines.cuda.toolchain.device import Device, Grid
from clew.graph import Graph
from clew.result import TRACED_ROUNDS, timed_rows
from clew.workspace import Workspace, result, scratch

THREADS, FEWER_THREADS = 512, 384  # as in bfs.cuh
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
    directory = form_of(out, into).get("DIRECTORY")
    threads = threads or (THREADS if out.packed is None or directory else FEWER_THREADS)
    key = ("bfs", into.on_host, directory, threads, traced_levels)
    ready = out.prepared(key, lambda: _prepare(device, graph, out, into, threads, traced_levels))
    work, depth, parent, noted = out.take(device, ready.room)
    progress = _search(device, ready, (out, into), source, work, (depth, parent, noted), pull_cost)
    levels, reached = int(progress["level"]), int(progress["reached"])
    if deterministic:
        n = out.id_dtype.type(out.num_vertices)
        given = (n, into.offsets, into.ids, depth, parent)
        launch_over(device, "bfs.cuh", "smallest_parents", _defines(out, into), out.num_vertices * 32, *given)
    width, plans = out.bytes_per_edge, (out.plan, into.plan)

    def trace() -> dict[str, Array]:  # must not hold the rows
        away = on_host_by_plans(*plans, isinstance(noted, np.ndarray))
        return _columns(device.download(noted[: levels + 1]), width, away)

    out.give_back(work, trace)
    values, facts = {"depth": depth, "parent": parent}, {"num_reached": reached}
    return Answer(values, facts, unreached=-1, iterations=levels, trace=trace)


class Ready(NamedTuple):
    """What all searches over the same rows have in common."""

    kernel: Any
    grid: Grid
    room: Room
    traced: Any  # the rows of the trace, and the vertices, as the kernel takes them
    size: Any


def _prepare(
    device: Device, graph: Graph, out: DeviceRows, into: DeviceRows, threads: int, traced_levels: int
) -> Ready:
    def given(work: Any) -> tuple[Any, ...]:
        arrays = device.passed(work.queue, work.pieces_of_long_rows, work.bitmaps)
        return arrays, device.passed(work.control), device.reader(work.control, CONTROL)

    kernel = device.kernel("bfs.cuh", "bfs", _defines(out, into))
    room = out.room(device, ("bfs", traced_levels), lambda: workspace(graph, traced_levels=traced_levels), given)
    traced = np.int64(room.lasting[0][0][0])
    return Ready(kernel, device.together(kernel, threads), room, traced, out.id_dtype.type(out.num_vertices))


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
    device: Device,
    ready: Ready,
    rows: tuple[DeviceRows, DeviceRows],
    source: int,
    work: Any,
    results: tuple[Any, ...],
    pull_cost: float,
) -> Any:
    """Launch until the search is done; returns the kernel's last progress."""
    (out, into), (arrays, control, read) = rows, work.given
    vertices = (ready.size, type(ready.size)(source))
    *found, trace = device.passed(*results)
    given = (*vertices, *out.shape(device), *into.shape(device), *found, *arrays, trace, ready.traced)
    stop = LEVELS_PER_LAUNCH
    while True:
        first = np.int32(stop == LEVELS_PER_LAUNCH)
        device.start(ready.kernel, ready.grid, (*given, np.int64(stop), np.float32(pull_cost), first, *control))
        progress = read()
        if progress["done"]:
            return progress
        stop += LEVELS_PER_LAUNCH


def _defines(out: DeviceRows, into: DeviceRows) -> dict[str, Any]:
    assert into.offsets.dtype == out.offsets.dtype
    return {
        "index_t": out.defines["index_t"],
        "offset_t": out.defines["offset_t"],
        "BIG": BIG,
        "ON_HOST": int(out.on_host),
        **form_of(out, into),
    }


def _columns(rows: Array, width: float, away: OnHost) -> dict[str, Array]:
    """The trace, from the rows that the kernel writes."""
    columns = timed_rows(rows, ("frontier", "edges", "direction"), width)
    columns["direction"] = np.where(columns["direction"] == 1, "pull", "push")
    return with_link(columns, away)
