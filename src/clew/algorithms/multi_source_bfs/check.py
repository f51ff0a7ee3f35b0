"""Checker of depths from several sources."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.checking import arcs, named, require
from clew.graph import Graph
from clew.result import Result


@named
def multi_source_bfs(graph: Graph, sources: Any, result: Result) -> None:
    """Check depths from each source.

    1. There is a row for every vertex and a column for every source. Only the source has depth 0 there.
    2. Over an edge, depth grows by at most one; so what can be reached has been, and over no detour.
    3. To every vertex reached, but the source, an edge leads from one that is a step closer.
    """
    starts = np.array([graph.vertex(source) for source in sources], dtype=np.int64)
    shape = (graph.num_vertices, starts.size)
    require(result.depth.shape == shape, "there is a row per vertex and a column per source")
    u, v = arcs(graph)
    for source, column in zip(starts, result.depth.T, strict=True):
        depth = column.astype(np.int64)
        own = np.arange(depth.size) == source
        require((depth == 0) == own, "{source}, a source, and no other vertex has depth 0 from it", source=source)
        require(depth >= -1, "a depth is -1 or more")
        a, b = u[depth[u] >= 0], v[depth[u] >= 0]
        require(depth[b] >= 0, "an edge from what is reached from {source} leads to what is", (a, b), source=source)
        grows = depth[b] <= depth[a] + 1
        require(grows, "over an edge the depth from {source} grows by at most one", (a, b), source=source)
        closer = np.zeros(depth.size, dtype=np.bool_)
        closer[b[depth[b] == depth[a] + 1]] = True
        rule = "an edge leads to what is reached from {source} from one that is a step closer"
        require(closer | (depth <= 0), rule, source=source)
