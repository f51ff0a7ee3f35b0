"""Checker of condensations."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import arcs, named, reachable, require
from clew.graph import Graph
from clew.result import Result


@named
def condensation(graph: Graph, result: Result) -> None:
    """Accept every numbering of the strong components in which no edge leads to a smaller number."""
    n, component, count = graph.num_vertices, result.component, result.count
    require(component.size == n, "there is an entry for every vertex")
    require((component >= 0) & (component < count), "components have the numbers 0 to count - 1")
    require(np.array_equal(np.bincount(component, minlength=count), result.sizes), "the sizes count the vertices")
    require(bool((result.sizes > 0).all()), "no component is empty")
    u, v = arcs(graph)
    # No cycle leads through several components, so they are not too small.
    require(component[u] <= component[v], "an edge leads to its own component or to a later one", (u, v))
    inside, roots = component[u] == component[v], np.zeros(n, dtype=np.bool_)
    roots[np.unique(component, return_index=True)[1]] = True
    for start, end in ((u, v), (v, u)):
        require(reachable(roots, start[inside], end[inside]), "two vertices of a component reach each other")
    expected = np.unique(component[u[~inside]].astype(np.int64) * count + component[v[~inside]])
    first, second = arcs(result.graph)
    require(result.graph.num_vertices == count and result.graph.directed, "the graph has a vertex per component")
    require(np.array_equal(first * count + second, expected), "the graph has every edge between components once")
