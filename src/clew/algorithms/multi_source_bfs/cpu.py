"""Breadth-first searches from many sources on the CPU, 64 at a time."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.algorithms.multi_source_bfs import summary
from clew.algorithms.registry import Answer
from clew.counts import counted
from clew.dtypes import Array, as_bits
from clew.engines.cpu import memory, team
from clew.graph import Graph

BATCHES_PER_THREAD = 2  # from here on, threads search on their own rather than together


def threads_search_alone(num_sources: int) -> bool:
    """Whether there are batches of sources enough for every thread to search on its own."""
    from clew.algorithms.multi_source_bfs import kernels

    batches = -(-num_sources // kernels.SEARCHES)
    return threads.count() == 1 or batches >= BATCHES_PER_THREAD * threads.count()


def search(outgoing: Adjacency, incoming: Adjacency, sources: Array, depth: Array) -> int:
    """Set ``depth[v, i]``, wherever v can be reached from source number i; returns the largest number of levels.

    Other entries of ``depth`` stay as they are.
    """
    from clew.algorithms.multi_source_bfs import kernels

    out, into, starts = outgoing.unsigned(), incoming.unsigned(), as_bits(sources)
    members = threads.count()
    if threads_search_alone(sources.size):
        batches = -(-sources.size // kernels.SEARCHES)
        work = (starts, depth)
        levels = team.take(
            kernels.many_searches, members, batches, batches * outgoing.num_arcs, out, into, *work, shown="searching"
        )
        return max(levels, default=0)
    n = outgoing.num_vertices
    words = np.empty((3, n), dtype=np.uint64)
    work = (*words, *np.empty((2, n), dtype=out[1].dtype))
    firsts = range(0, sources.size, kernels.SEARCHES)
    graph = (outgoing.num_arcs, out, into)
    return max((team.run(kernels.search, *graph, starts, first, work, depth) for first in firsts), default=0)


def multi_source_bfs(graph: Graph, sources: Array) -> Answer:
    """Depths from every source, as many columns as there are sources."""
    shape = (graph.num_vertices, sources.size)
    memory.check(
        4 * shape[0] * shape[1],
        f"depths of {counted(shape[0], 'vertex')} from {counted(shape[1], 'source')}",
        "take fewer",
    )
    depth = np.full(shape, -1, dtype=np.int32)
    return summary(graph, sources, depth, search(graph.outgoing, graph.incoming, sources, depth))
