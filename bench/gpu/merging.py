"""The three ways of merging in SpMSpV, and SpMV, over Kronecker scales: where the products come together, and when.

One level of a search pushes from the frontier (SpMSpV) or asks every vertex (SpMV). A whole search is timed with each
way used for all of its levels, and the best way chosen level by level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.gpu.graphs import Case
from bench.gpu.timing import Work
from clew import semirings
from clew.adjacency import Adjacency
from clew.engines.cuda.products.spmspv import spmspv
from clew.engines.cuda.products.spmv import spmv

#: Scales of the paper that compared them.
GRAPHS = tuple(f"kron{scale}" for scale in range(16, 22))


def cases(device: Any, case: Case) -> Iterator[Work]:
    """A search over the waist, one way of multiplying for all levels."""
    rows = Adjacency(case.graph.outgoing.indptr, case.graph.outgoing.indices)
    expected = _depths(device, rows, case.source, "none")

    def same(levels: Any) -> str:
        np.testing.assert_array_equal(device.download(levels), device.download(expected))
        return f"{int(levels.max())} levels"

    for way in ("none", "merge", "radix", "auto", "spmv"):
        yield Work("search", way, _search(device, rows, case.source, way), same)


def _search(device: Any, rows: Adjacency, source: int, way: str) -> Callable[[], Any]:
    return lambda: _depths(device, rows, source, way)


def _depths(device: Any, rows: Adjacency, source: int, way: str) -> Any:
    xp, n = device.xp, rows.num_vertices
    depth = device.full(n, -1, np.int32)
    depth[source] = 0
    unseen = depth < 0
    frontier = device.upload(np.array([source], dtype=rows.indices.dtype))
    dense = device.zeros(n, np.bool_)
    level = 0
    while frontier.size:
        level += 1
        if way == "spmv":
            dense.fill(False)
            dense[frontier] = True
            found = device.zeros(n, np.bool_)
            spmv(device, rows, dense, semirings.or_and, unseen, found)
            frontier = xp.flatnonzero(found & unseen).astype(rows.indices.dtype)
        else:
            ones = device.full(frontier.size, True, np.bool_)
            frontier, _ = spmspv(device, rows, frontier, ones, semirings.any_pair, unseen, way)
        depth[frontier] = level
        unseen[frontier] = False
    return depth
