"""Breadth-first searches from many sources on the CPU, 64 at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.algorithms.multi_source_bfs import kernels, summary
from clew.algorithms.registry import Answer
from clew.checks import counted
from clew.dtypes import Array, as_bits
from clew.engines.base import check_available
from clew.engines.cpu import team
from clew.graph import Graph
from clew.workspace import Space, Workspace, result, scratch

MOST_IN_A_BYTE = 255
BATCHES_PER_THREAD = 2  # from here on, threads search on their own rather than together


def threads_search_alone(num_sources: int) -> bool:
    """Whether there are enough batches of sources for every thread to search on its own."""
    batches = -(-num_sources // kernels.SEARCHES)
    return threads.count() == 1 or batches >= BATCHES_PER_THREAD * threads.count()


def workspace(graph: Graph, num_sources: int) -> Workspace:
    """The arrays of the searches."""
    depth = result((graph.num_vertices, num_sources), np.int32, -1)
    return Workspace(depth=depth, **search_spaces(graph.outgoing, num_sources))


def search_spaces(rows: Adjacency, num_sources: int) -> dict[str, Space]:
    """What ``search`` works in; threads that search on their own allocate it themselves."""
    n, alone = rows.num_vertices, threads_search_alone(num_sources)
    teams = threads.count() if alone else 1
    return {
        "seen_and_frontiers": scratch((teams, 3, n), np.uint64, later=alone),
        "queues": scratch((teams, 2, n), f"u{rows.id_dtype.itemsize}", later=alone),
    }


def search(outgoing: Adjacency, incoming: Adjacency, sources: Array, depth: Array, work: Any) -> int:
    """Set ``depth[v, i]``, wherever v can be reached from source number i; returns the largest number of levels.

    Other entries of ``depth`` stay as they are. ``work`` has the arrays of ``search_spaces``.
    """
    out, into, starts = outgoing.unsigned(), incoming.unsigned(), as_bits(sources)
    members = threads.count()
    if threads_search_alone(sources.size):
        batches = -(-sources.size // kernels.SEARCHES)
        given = (out, into, starts, depth)
        levels = team.take(
            kernels.many_searches, members, batches, batches * outgoing.num_arcs, *given, shown="searching"
        )
        return max(levels, default=0)
    arrays = (*work.seen_and_frontiers[0], *work.queues[0])
    firsts = range(0, sources.size, kernels.SEARCHES)
    graph = (outgoing.num_arcs, out, into)
    return max((team.run(kernels.search, *graph, starts, first, arrays, depth) for first in firsts), default=0)


def multi_source_bfs(graph: Graph, sources: Array) -> Answer:
    """Depths from every source, as many columns as there are sources."""
    space = workspace(graph, sources.size)
    what = f"depths of {counted(graph.num_vertices, 'vertex')} from {counted(sources.size, 'source')}"
    check_available(sum(each.nbytes for _, each in space if each.role == "result"), what, "take fewer")
    work = space.allocate()
    levels = search(graph.outgoing, graph.incoming, sources, work.depth, work)
    return summary(graph, sources, work.depth, _reached(work.depth), levels)


def _reached(depth: Array) -> Array:
    """The number of vertices that each source reaches: sums of bytes, up to 255 rows each, which NumPy vectorizes."""
    found = (depth >= 0).view(np.uint8)
    rows = -(-len(found) // MOST_IN_A_BYTE)
    total = np.zeros((rows, depth.shape[1]), np.uint8)
    for first in range(0, len(found), max(rows, 1)):
        part = found[first : first + rows]
        total[: len(part)] += part
    counts: Array = total.sum(axis=0, dtype=np.int64)
    return counts
