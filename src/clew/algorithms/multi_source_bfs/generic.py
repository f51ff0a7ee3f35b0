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
    ids = waist.ids(graph)
    depth = np.full((ids.size, sources.size), -1, dtype=np.int32)
    rounds = first = level = levels = 0
    fresh = seen = _started(ids, sources[:WORD])
    while first < sources.size:
        counts = rounds, first, level, levels
        rounds, first, level, levels, fresh, seen, depth = waist.checkpoint(rounds, *counts, fresh, seen, depth)
        rounds += 1
        if not waist.any(fresh.any()):
            first, level, levels = first + WORD, 0, max(levels, level)
            fresh = seen = _started(ids, sources[first : first + WORD])
            continue
        for k in range(min(WORD, sources.size - first)):
            depth[waist.compact((fresh >> np.uint64(k)) & np.uint64(1) != 0), first + k] = level
        level += 1
        # What the neighbours learned last, without what is known already.
        heard = waist.spmv(graph, fresh, OR_SECOND, transpose=True)
        fresh = waist.elementwise(lambda heard, seen: heard & ~seen, heard, seen)
        seen = waist.elementwise(functions.bor, seen, fresh)
    reached = [int(waist.total(column.astype(np.int64))) for column in (depth >= 0).T]
    return summary(graph, sources, depth, np.array(reached, dtype=np.int64), levels)


def _started(ids: Array, starts: Array) -> Array:
    """The words of up to 64 sources."""
    words: Array = np.zeros(ids.size, dtype=np.uint64)
    for k, start in enumerate(starts):
        words[ids == start] |= np.uint64(1 << k)
    return words
