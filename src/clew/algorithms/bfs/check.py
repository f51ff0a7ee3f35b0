"""Checkers of searches and shortest paths."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.checking import arc_places, arcs, counts_reached, named, require
from clew.graph import Graph
from clew.result import Result


@named
def bfs(graph: Graph, source: Any, result: Result) -> None:
    """Check depths and parents: the rules of Graph500.

    1. The source has depth 0 and is its own parent.
    2. Exactly the vertices with a depth have a parent, and a parent's depth is one less.
    3. From every parent an edge leads to its child.
    4. Over an edge, depth grows by at most one; so what can be reached has been, and over no detour.
    5. The vertices reached are counted rightly, where they are counted.
    """
    depth, parent = result.depth.astype(np.int64), result.parent.astype(np.int64)
    n, root = graph.num_vertices, graph.vertex(source)
    require(depth.size == n and parent.size == n, "there is an entry for every vertex")
    begins = [depth[root] == 0 and parent[root] == root]
    require(begins, "the source has depth 0 and is its own parent", np.array([root]))
    require(depth >= -1, "a depth is -1 or more")
    reached = depth >= 0
    require(reached == (parent >= 0), "exactly the vertices with a depth have a parent")
    require((parent < n) & (parent >= -1), "a parent is a vertex or -1")
    children = np.flatnonzero(reached & (np.arange(depth.size) != root))
    above = parent[children]
    require(depth[children] == depth[above] + 1, "a vertex is one deeper than its parent", children)
    require(arc_places(graph, above, children) >= 0, "an edge leads from a parent to its child", (above, children))
    u, v = arcs(graph)
    u, v = u[reached[u]], v[reached[u]]
    require(reached[v], "what an edge leads to from a reached vertex is reached", (u, v))
    require(depth[v] <= depth[u] + 1, "over an edge depth grows by at most one", (u, v))
    counts_reached(result, reached)
