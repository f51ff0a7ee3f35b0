"""Breadth-first searches from many sources on the CPU, 64 at a time."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.dtypes import Array, as_bits
from clew.engines.cpu import team
from clew.engines.cpu.rows import rows_of

BATCHES_PER_THREAD = 2  # from here on, threads search on their own rather than together


def threads_search_alone(num_sources: int) -> bool:
    """Whether there are batches of sources enough for every thread to search on its own."""
    from clew.engines.cpu import kernels_multi_source as kernels

    batches = -(-num_sources // kernels.SEARCHES)
    return threads.count() == 1 or batches >= BATCHES_PER_THREAD * threads.count()


def search(outgoing: Adjacency, incoming: Adjacency, sources: Array, depth: Array) -> int:
    """Set ``depth[v, i]``, wherever v can be reached from source number i; returns the largest number of levels.

    Other entries of ``depth`` stay as they are.
    """
    from clew.engines.cpu import kernels_multi_source as kernels

    out, into, starts = rows_of(outgoing), rows_of(incoming), as_bits(sources)
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
