"""Breadth-first search on the CPU: memory for the kernel, and its answer as arrays."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.algorithms.bfs import kernels
from clew.algorithms.registry import Answer
from clew.build.rows import blocks_of
from clew.dtypes import Array
from clew.engines.cpu import team
from clew.engines.cpu.team.kernels import COLUMNS, PULL
from clew.graph import Graph
from clew.result import TRACED_ROUNDS, timed_rows
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph) -> Workspace:
    """The arrays of a search."""
    n, ids = graph.num_vertices, graph.outgoing.id_dtype
    return Workspace(
        depth=result(n, np.int32),
        parent=result(n, ids),
        queue=scratch(n, f"u{ids.itemsize}"),
        front=scratch(-(-n // 64), np.uint64),
        behind=scratch(-(-n // 64), np.uint64),
        trace=scratch((min(n, TRACED_ROUNDS) + 1, COLUMNS), np.int64),
    )


def bfs(graph: Graph, source: int, deterministic: bool = False) -> Answer:
    """Search from ``source``. Depths are unique; parents are, with ``deterministic``, the smallest possible."""
    work = workspace(graph).allocate()
    depth, parent = work.depth, work.parent
    out, into = graph.outgoing.readable(), graph.incoming.readable()
    scratch_arrays = (work.queue, work.front, work.behind, work.trace)
    start = np.uint64(source)
    levels, reached = team.run(
        kernels.bfs, graph.num_arcs, out, into, start, depth, parent, *scratch_arrays, bounded=True
    )
    if deterministic:
        bounds = blocks_of(graph.incoming)
        threads.each(kernels.smallest_parents, bounds.size - 1, bounds, into, depth, parent)
    rows, width = work.trace[: levels + 1], graph.outgoing.neighbour_bytes
    values, facts = {"depth": depth, "parent": parent}, {"num_reached": int(reached)}
    return Answer(values, facts, unreached=-1, iterations=int(levels), trace=lambda: _columns(rows, width))


def _columns(rows: Array, width: float) -> dict[str, Array]:
    """The trace, from the rows that the kernel writes."""
    columns = timed_rows(rows, ("frontier", "edges", "direction"), width)
    columns["direction"] = np.where(columns["direction"] == PULL, "pull", "push")
    return columns
