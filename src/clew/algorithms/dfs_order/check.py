"""Checker of depth-first searches."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import arc_places, arcs, counts_reached, named, reachable, require
from clew.graph import Graph
from clew.result import Result


@named
def dfs_order(graph: Graph, source: object, result: Result, *, whole: bool = False) -> None:
    """Accept the search for any order of neighbours: walk the tree again, and look for edges that were not followed."""
    n, start = graph.num_vertices, graph.vertex(source)
    pre, post, parent = result.preorder, result.postorder, result.parent
    require(pre.size == n, "there is an entry for every vertex")
    u, v = arcs(graph)
    roots = np.arange(n) == start
    expected = np.ones(n, dtype=np.bool_) if whole else reachable(roots, u, v)
    require((pre >= 0) == expected, "exactly the vertices that can be reached are reached")
    counts_reached(result, expected)
    require((parent >= 0) == expected, "exactly the reached vertices have a parent")
    order, left = np.argsort(pre, kind="stable")[n - int(expected.sum()) :], np.flatnonzero(expected)
    require(np.array_equal(pre[order], np.arange(order.size)), "preorder numbers the reached vertices from 0")
    require(order[0] == start and parent[start] == start, "the search begins at its source")
    tree = left[parent[left] != left]
    require(arc_places(graph, parent[tree], tree) >= 0, "an edge leads from the parent to the vertex", tree)
    expected_post, path, done = np.full(n, -1), list[int](), 0
    for vertex, before in zip(order.tolist(), parent[order].tolist(), strict=True):
        while path and (before == vertex or path[-1] != before):
            expected_post[path.pop()] = done
            done += 1
        require(bool(path) or before == vertex, "a vertex is discovered while its parent is on the path", None)
        path.append(vertex)
    for vertex in reversed(path):
        expected_post[vertex] = done
        done += 1
    require(post == expected_post, "postorder numbers the vertices in the order in which the search leaves them")
    followed = ~expected[u] | (pre[v] <= pre[u]) | (post[v] < post[u])
    require(followed, "the search leaves a vertex when all its neighbours were discovered", (u, v))
