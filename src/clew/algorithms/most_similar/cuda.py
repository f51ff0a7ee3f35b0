"""The most similar vertices on a GPU: every block adds up what one vertex shares with all others."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.similarity import METHODS
from clew.algorithms.similarity.cuda import counts_of, defines_of
from clew.dtypes import Array
from clew.engines.cuda.balance.launches import Pace, launch_over
from clew.engines.cuda.memory.device_graph import incoming_on, rows_on
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

FILE = "two_steps.cuh"
FEW_PATHS = 512  # as in two_steps.cuh
THREADS, MANY_THREADS = 128, 512
MOST_BLOCKS = 512  # that have an array of sums each
SUM_BYTES = 4 << 30  # for those arrays, unless one of them is larger
PATHS_PER_LAUNCH = 1 << 32  # then the host checks for Ctrl-C


def workspace(graph: Graph, k: int) -> Workspace:
    """The lists, and the sums of every block for vertices with many paths."""
    n, ids = graph.num_vertices, graph.outgoing.id_dtype
    blocks = blocks_of(graph, k)
    return Workspace(
        score=result((n, k), np.float64, 0),
        similar=result((n, k), ids, -1),
        paths=scratch(n, np.uint64),
        values=scratch(n, np.float64, later=True),
        neighbors=scratch(n, np.int64, later=True),
        order=scratch(n, ids, later=True),
        sums=scratch(blocks * n, np.float64, 0, later=True),
        near=scratch(blocks * n, ids, later=True),
        chosen=scratch(blocks * k, ids, later=True),
        chosen_scores=scratch(blocks * k, np.float64, later=True),
    )


def blocks_of(graph: Graph, k: int) -> int:
    """How many blocks have sums of their own."""
    size = (graph.num_vertices + k) * (8 + int(graph.outgoing.id_dtype.itemsize))
    return max(1, min(MOST_BLOCKS, graph.num_vertices, SUM_BYTES // max(size, 1)))


def most_similar(device: Device, graph: Graph, k: int, method: str) -> Answer:
    """The best others of every vertex; see ``clew.most_similar``."""
    xp, n, space = device.xp, graph.num_vertices, workspace(graph, k)
    work = space.allocate(device)
    rows, back = rows_on(device, graph.outgoing, weights=False), incoming_on(device, graph, weights=False)
    if rows.num_arcs:
        edges, defines = (rows.offsets, rows.neighbours, back.offsets), defines_of(rows)
        launch_over(device, FILE, "count_paths", defines, n * 32, np.uint64(n), *edges, work.paths)
        order = device.empty(n, rows.neighbours.dtype)
        order[...] = xp.argsort(work.paths)[::-1]  # the most paths first
        paths = device.download(work.paths[order])
        many, some = int((paths > FEW_PATHS).sum()), int((paths > 0).sum())
        counted = (np.int32(METHODS.index(method)), *counts_of(device, graph, method), np.uint64(k))
        given = (order, *edges, back.neighbours, *counted, work.similar, work.score)
        _run_many(device, defines, given, space, paths[:many], n)
        kernel, pace = device.kernel(FILE, "best_of_few", defines), Pace(device)
        for begin, end in _parts(paths[:some], many):
            blocks = min(end - begin, device.num_processors * 16)
            device.launch(kernel, blocks, THREADS, np.uint64(begin), np.uint64(end), *given)
            pace.launched()
    found = int((work.similar >= 0).sum())
    return Answer({"score": work.score, "similar": work.similar}, {"num_pairs": found})


def _run_many(device: Device, defines: Any, given: Any, space: Workspace, paths: Array, n: int) -> None:
    """Vertices with many paths, by blocks with a sum for every vertex."""
    if not paths.size:
        return
    names = ("sums", "near", "chosen", "chosen_scores")
    spaces: Any = {name: space.spaces[name] for name in names}
    room = Workspace(**{name: one._replace(later=False) for name, one in spaces.items()}).allocate(device)
    arrays = [getattr(room, name) for name in names]
    kernel, blocks, pace = device.kernel(FILE, "best_of_many", defines), int(room.sums.size) // n, Pace(device)
    for begin, end in _parts(paths, 0):
        part = (np.uint64(n), np.uint64(begin), np.uint64(end))
        device.launch(kernel, min(blocks, end - begin), MANY_THREADS, *part, *given, *arrays)
        pace.launched()


def _parts(paths: Array, begin: int) -> list[tuple[int, int]]:
    """Ranges of vertices from ``begin`` on with no more paths than a launch takes, or of one vertex."""
    ends = np.cumsum(paths, dtype=np.float64)
    parts = []
    while begin < paths.size:
        before = ends[begin - 1] if begin else 0.0
        end = max(begin + 1, int(np.searchsorted(ends, before + PATHS_PER_LAUNCH, side="right")))
        parts.append((begin, end))
        begin = end
    return parts
