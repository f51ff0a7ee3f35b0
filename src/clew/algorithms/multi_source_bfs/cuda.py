"""Breadth-first searches from many sources on a GPU, 64 at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.multi_source_bfs import summary
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cuda.balance.launches import clear_steps, control_of, share_of
from clew.engines.cuda.memory.device_graph import incoming_on
from clew.engines.cuda.memory.packed_rows import packed_incoming_on
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

SEARCHES = 64  # bits of a word
THREADS = 512
STEPS_PER_LAUNCH = 1 << 17  # as steps.cuh counts; then the host checks for Ctrl-C
#: As in many_searches.cuh.
CONTROL = control_of(("level", "done"), counters=2)


def workspace(graph: Graph, num_sources: int) -> Workspace:
    """The arrays of the searches."""
    n = graph.num_vertices
    words = {name: scratch(n, np.uint64) for name in ("seen", "fresh", "heard")}
    depth = result((n, num_sources), np.int32, -1)
    return Workspace(depth=depth, **words, listed=scratch(n, graph.outgoing.id_dtype))


def multi_source_bfs(device: Device, graph: Graph, sources: Array) -> Answer:
    """Depths from every source, as many columns as there are sources."""
    work, levels = workspace(graph, sources.size).allocate(device), 0
    for first in range(0, sources.size, SEARCHES):
        levels = max(levels, _search(device, graph, sources[first : first + SEARCHES], first, work))
    reached = (work.depth >= 0).sum(axis=0)
    return summary(graph, sources, work.depth, device.download(reached.astype(np.int64)), levels)


def _search(device: Device, graph: Graph, starts: Array, first: int, work: Any) -> int:
    """Fill the columns of up to 64 sources from ``first`` on; returns the number of levels."""
    n = graph.num_vertices
    rows = packed_incoming_on(device, graph) or incoming_on(device, graph, weights=False)
    bits = np.uint64(1) << np.arange(starts.size, dtype=np.uint64)
    vertices, place = np.unique(starts, return_inverse=True)
    words = np.zeros(vertices.size, np.uint64)
    np.bitwise_or.at(words, place, bits)
    there = device.upload(vertices.astype(np.int64))
    work.heard.fill(0)
    for array in (work.seen, work.fresh):
        array.fill(0)
        array[there] = device.upload(words)
    work.depth[device.upload(starts.astype(np.int64)), first + device.xp.arange(starts.size)] = 0
    defines = {**{name: rows.defines[name] for name in ("index_t", "offset_t")}, **rows.form}
    kernel, memory = device.kernel("many_searches.cuh", "many_searches", defines), device.zeros(CONTROL.itemsize, "u1")
    edges = (np.uint64(n), np.uint64(rows.num_arcs), rows.offsets, rows.ids)
    limits = (np.int32(share_of(STEPS_PER_LAUNCH, rows)), np.bitwise_or.reduce(bits))
    used = (work.seen, work.fresh, work.heard, work.listed, work.depth)
    while True:
        where = (np.uint64(work.depth.shape[1]), np.uint64(first))
        device.launch_cooperative(kernel, THREADS, *edges, *limits, *used, *where, memory, most=max(1, -(-n // 32)))
        progress = device.download(memory).view(CONTROL)[0]  # waits, and then Python looks for signals
        if progress["done"]:
            return int(progress["level"])
        clear_steps(memory, CONTROL)
