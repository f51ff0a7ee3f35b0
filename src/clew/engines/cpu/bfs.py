"""Breadth-first search on the CPU: memory for the kernel, and its answer as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clew import threads
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.engines.cpu import team
from clew.engines.cpu.rows import rows_of
from clew.graph import Graph
from clew.result import Trace
from clew.tracing import edge_bytes, timed

TRACED_LEVELS = 1 << 16


class Found(NamedTuple):
    """Depths and parents (-1 where unreached), how many were reached, in how many levels, and what each of them did."""

    depth: Array
    parent: Array
    reached: int
    levels: int
    trace: Trace


def bfs(graph: Graph, source: int, *, deterministic: bool = False) -> Found:
    """Search from ``source``. Depths are unique; parents are, with ``deterministic``, the smallest possible."""
    from clew.engines.cpu import kernels_bfs as kernels

    n = graph.num_vertices
    depth = np.empty(n, dtype=np.int32)
    parent = np.empty(n, dtype=graph.indices.dtype)
    queue = np.empty(n, dtype=as_bits(graph.indices).dtype)
    front, behind = (np.empty(-(-n // 64), dtype=np.uint64) for _ in range(2))
    trace = np.empty((min(n, TRACED_LEVELS) + 1, kernels.COLUMNS), dtype=np.int64)
    out, into = (rows_of(rows) for rows in (graph.outgoing, graph.incoming))
    work = (depth, parent, queue, front, behind, trace)
    levels, reached = team.run(kernels.bfs, graph.num_arcs, out, into, np.uint64(source), *work, bounded=True)
    if deterministic:
        bounds = blocks_of(graph.incoming)
        threads.each(kernels.smallest_parents, bounds.size - 1, bounds, into, depth, parent)
    rows, width = trace[: levels + 1], edge_bytes(graph.indices)
    noted = Trace.later(lambda: _columns(rows, kernels.PULL, width))
    return Found(depth, parent, int(reached), int(levels), noted)


def _columns(rows: Array, pull: int, width: int) -> dict[str, Array]:
    """Of rows of which the last has only the time at which the last level ended."""
    frontier, edges, direction, begun = rows.T
    told = {
        "frontier": frontier[:-1],
        "edges": edges[:-1],
        "direction": np.where(direction[:-1] == pull, "pull", "push"),
    }
    return timed(told, begun, width)
