"""Breadth-first search on a GPU: memory for the kernel, and its answer as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.device import Device, blocks_for
from clew.engines.cuda.paths import Problem, Search, Tuning
from clew.engines.cuda.rows import DeviceRows, incoming_on, rows_on
from clew.engines.cuda.source import Program
from clew.engines.cuda.tight import tree_of_tight_edges
from clew.engines.cuda.traffic import OnHost, on_host, with_link
from clew.graph import Graph
from clew.result import Trace
from clew.tracing import edge_bytes, timed

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
    Program.of("bfs.cuh", {"index_t": index, "offset_t": offset, "BIG": BIG, "ON_HOST": on_host})
    for index, offset, on_host in (("int", "unsigned int", 0), ("int", "long long", 1), ("long long", "long long", 0))
]


#: Paths whose edges all count 1, in one bucket.
UNREACHED = np.iinfo(np.uint32).max
EDGES = Problem(np.dtype(np.uint32), False, 0, 0, 0, UNREACHED, np.dtype(np.int32), -1, np.inf)


class Found(NamedTuple):
    """Depths and parents (-1 where unreached) on the device, the number of levels and what each of them did."""

    depth: Any
    parent: Any
    levels: int
    reached: int
    trace: Trace


def bfs(
    device: Device,
    graph: Graph,
    source: int,
    *,
    deterministic: bool = False,
    pull_cost: float = PULL_COST,
    threads: int = THREADS,
    traced_levels: int = TRACED_LEVELS,
) -> Found:
    """Search from ``source``."""
    out = rows_on(device, graph.outgoing, weights=False, parts=2 if graph.directed else 1)
    into = incoming_on(device, graph, weights=False)
    n = out.num_vertices
    depth = device.empty(n, np.int32)
    parent = device.empty(n, out.neighbours.dtype)
    trace = device.empty((min(n, traced_levels) + 1 if traced_levels else 0, 4), np.int64)
    told = _search(device, out, into, source, depth, parent, trace, pull_cost, threads)
    if deterministic:
        kernel = device.kernel("bfs.cuh", "smallest_parents", _defines(out, into))
        blocks = blocks_for(device, n * 32, 256)
        id_type = out.neighbours.dtype.type
        device.launch(kernel, blocks, 256, id_type(n), into.offsets, into.neighbours, depth, parent)
    levels, width, away = int(told["level"]), edge_bytes(out.neighbours), on_host(out, into)
    kept = Trace.later(lambda: _columns(device.download(trace[: levels + 1]), width, away))
    return Found(depth, parent, levels, int(told["reached"]), kept)


def bfs_balanced(device: Device, graph: Graph, source: int, tuning: Tuning, *, deterministic: bool = False) -> Found:
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

    return Found(found.value, found.parent, levels, found.reached, Trace.later(columns))


def _search(
    device: Device,
    out: DeviceRows,
    into: DeviceRows,
    source: int,
    depth: Any,
    parent: Any,
    trace: Any,
    pull_cost: float,
    threads: int,
) -> Any:
    """Launch until the search is done; what the kernel says of it at the end."""
    n, arcs = out.num_vertices, out.num_arcs
    id_type = out.neighbours.dtype.type
    entry = 16 if out.neighbours.dtype.itemsize == 4 else 32
    queue = device.empty(n * entry, np.uint8)
    pieces = device.empty((2 * (arcs // BIG) + 1) * entry, np.uint8)
    maps = device.empty(2 * -(-n // 32), np.uint32)
    control = device.zeros(CONTROL.itemsize, np.uint8)
    kernel = device.kernel("bfs.cuh", "bfs", _defines(out, into))
    stop = LEVELS_PER_LAUNCH
    while True:
        device.launch_cooperative(
            kernel,
            threads,
            id_type(n),
            id_type(source),
            out.offsets,
            out.neighbours,
            into.offsets,
            into.neighbours,
            depth,
            parent,
            queue,
            pieces,
            maps,
            trace,
            np.int64(trace.shape[0]),
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
