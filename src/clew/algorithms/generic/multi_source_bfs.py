"""Breadth-first search from many sources, 64 to a word: a bit of a vertex's word says that a source reached it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from clew.algorithms.generic.waist import compact, elementwise, spmv
from clew.algorithms.sources import vertices_of
from clew.dtypes import Array
from clew.graph import Graph
from clew.names import Name, called
from clew.operators import Semiring, functions, monoids
from clew.result import Result

OR_SECOND = Semiring(monoids.bor, functions.second)
WORD = 64


def multi_source_bfs(graph: Graph, sources: Iterable[Name] = (0,), *, device: str = "auto") -> Result:
    """Depths, a column per source; see ``clew.multi_source_bfs``."""
    starts = vertices_of(graph, sources)
    depth = np.full((graph.num_vertices, starts.size), -1, dtype=np.int32)
    levels = [_search(graph, starts[i : i + WORD], depth[:, i : i + WORD], device) for i in range(0, starts.size, WORD)]
    return Result(
        "multi_source_bfs",
        {"depth": depth},
        names=graph.names,
        unreached=-1,
        facts={"sources": called(graph.names, starts), "num_reached": (depth >= 0).sum(axis=0)},
        iterations=max(levels, default=0),
    )


def _search(graph: Graph, starts: Array, depth: Array, device: str) -> int:
    """Fill the columns of up to 64 sources; returns the number of levels."""
    fresh: Array = np.zeros(graph.num_vertices, dtype=np.uint64)
    np.bitwise_or.at(fresh, starts, np.uint64(1) << np.arange(starts.size, dtype=np.uint64))
    seen = fresh
    level = 0
    while True:
        arrivals = [compact((fresh >> np.uint64(k)) & np.uint64(1) != 0, device=device) for k in range(starts.size)]
        if not any(vertices.size for vertices in arrivals):
            return level
        for k, vertices in enumerate(arrivals):
            depth[vertices, k] = level
        level += 1
        # What the neighbours learned last, without what is known already.
        heard = spmv(graph, fresh, OR_SECOND, transpose=True, device=device)
        fresh = elementwise(lambda heard, seen: heard & ~seen, heard, seen, device=device)
        seen = elementwise(functions.bor, seen, fresh, device=device)
