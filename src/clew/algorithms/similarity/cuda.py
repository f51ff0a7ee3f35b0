"""Similarity of pairs on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.similarity import METHODS, values_of
from clew.algorithms.similarity.kernels import COSINE
from clew.dtypes import Array
from clew.engines.cuda.balance.edge_numbers import sources_of
from clew.engines.cuda.balance.launches import Pace, launch_over
from clew.engines.cuda.memory.device_graph import incoming_on, rows_on
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

FILE = "shared_neighbours.cuh"
PAIRS_PER_LAUNCH = 1 << 24  # then the host checks for Ctrl-C


def workspace(graph: Graph, num_pairs: int | None = None) -> Workspace:
    """The scores and the ends of all pairs, and for every vertex what it counts and how many neighbours it has."""
    n, size = graph.num_vertices, graph.num_edges if num_pairs is None else num_pairs
    return Workspace(
        score=result(size, np.float64),
        ends=scratch(2 * size, graph.outgoing.id_dtype, later=True),
        values=scratch(n, np.float64, later=True),
        neighbors=scratch(n, np.int64, later=True),
    )


def similarity(device: Device, graph: Graph, pairs: tuple[Array, Array] | None, method: str) -> Answer:
    """The score of every pair; see ``clew.similarity``."""
    rows = rows_on(device, graph.outgoing, weights=False)
    ids = rows.neighbours.dtype
    first, second = _ends(device, graph, rows) if pairs is None else (device.upload(e.astype(ids)) for e in pairs)
    size = int(first.size)
    scores = workspace(graph, size).allocate(device).score
    given = (rows.offsets, rows.neighbours, np.int32(METHODS.index(method)), *counts_of(device, graph, method), scores)
    pace = Pace(device)
    for begin in range(0, size, PAIRS_PER_LAUNCH):
        end = min(size, begin + PAIRS_PER_LAUNCH)
        part = (np.uint64(begin), np.uint64(end), first, second)
        launch_over(device, FILE, "score_pairs", defines_of(rows), (end - begin) * 32, *part, *given)
        pace.launched()
    return Answer({"score": scores}, pairs=pairs)


def counts_of(device: Device, graph: Graph, method: str) -> tuple[Any, Any]:
    """What every vertex counts as a shared neighbour, and how many neighbours it has."""
    count = _distinct(device, rows_on(device, graph.outgoing, weights=False))
    if METHODS.index(method) <= COSINE:
        return device.upload(np.ones(graph.num_vertices)), count
    back = _distinct(device, incoming_on(device, graph, weights=False)) if graph.directed else count
    return device.upload(values_of(device.download(back), method)), count


def defines_of(rows: DeviceRows) -> dict[str, str]:
    """The macros of kernels that look for shared neighbours."""
    return {name: rows.defines[name] for name in ("index_t", "offset_t")}


def _distinct(device: Device, rows: DeviceRows) -> Any:
    n = rows.num_vertices
    count = device.zeros(n, np.int64)
    if n:
        given = (np.uint64(n), rows.offsets, rows.neighbours, count)
        launch_over(device, FILE, "count_distinct", defines_of(rows), n * 32, *given)
    return count


def _ends(device: Device, graph: Graph, rows: DeviceRows) -> tuple[Any, Any]:
    """Both ends of every edge."""
    source, target = sources_of(device, rows).astype(rows.neighbours.dtype), rows.neighbours
    if graph.directed:
        return source, target
    once = source <= target
    return source[once], target[once]
