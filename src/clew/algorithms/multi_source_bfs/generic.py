"""Breadth-first search from many sources, 64 to a word: a bit of a vertex's word says that a source reached it."""

from __future__ import annotations

import numpy as np

from clew.algorithms.multi_source_bfs import summary
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import Semiring, functions, monoids

OR_SECOND = Semiring(monoids.bor, functions.second)
WORD = 64


def multi_source_bfs(waist: Waist, graph: Graph, sources: Array) -> Answer:
    """Depths, a column per source; see ``clew.multi_source_bfs``."""
    depth = np.full((waist.ids(graph).size, sources.size), -1, dtype=np.int32)
    levels = [
        _search(waist, graph, sources[i : i + WORD], depth[:, i : i + WORD]) for i in range(0, sources.size, WORD)
    ]
    reached = [int(waist.total(column.astype(np.int64))) for column in (depth >= 0).T]
    return summary(graph, sources, depth, np.array(reached, dtype=np.int64), max(levels, default=0))


def _search(waist: Waist, graph: Graph, starts: Array, depth: Array) -> int:
    """Fill the columns of up to 64 sources; returns the number of levels."""
    ids = waist.ids(graph)
    fresh: Array = np.zeros(ids.size, dtype=np.uint64)
    for k, start in enumerate(starts):
        fresh[ids == start] |= np.uint64(1 << k)
    seen = fresh
    level = 0
    while True:
        arrivals = [waist.compact((fresh >> np.uint64(k)) & np.uint64(1) != 0) for k in range(starts.size)]
        if not waist.any(fresh.any()):
            return level
        for k, vertices in enumerate(arrivals):
            depth[vertices, k] = level
        level += 1
        # What the neighbours learned last, without what is known already.
        heard = waist.spmv(graph, fresh, OR_SECOND, transpose=True)
        fresh = waist.elementwise(lambda heard, seen: heard & ~seen, heard, seen)
        seen = waist.elementwise(functions.bor, seen, fresh)
