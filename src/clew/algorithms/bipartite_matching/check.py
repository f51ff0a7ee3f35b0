"""Checker of bipartite matchings."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import arcs, named, ranges, require
from clew.dtypes import Array
from clew.graph import Graph
from clew.result import Result


@named
def bipartite_matching(graph: Graph, result: Result, *, maximum: bool = True) -> None:
    """Check a matching: partners are mutual and neighbours, no edge could be added, and it is as large as can be.

    König's theorem shows that it is maximum. Take the vertices on the right that alternating paths from free left
    vertices reach, and those on the left that they do not. If these touch every edge, they are a vertex cover. A
    matching of as many edges is maximum, because each of its edges needs a vertex of the cover for itself.
    """
    mate, left = result.mate.astype(np.int64), np.asarray(result.left, dtype=np.bool_)
    vertices = np.arange(graph.num_vertices)
    require(mate.size == vertices.size and left.size == vertices.size, "there is an entry for every vertex")
    require((mate >= -1) & (mate < vertices.size), "a mate is a vertex or -1")
    matched = mate >= 0
    require(mate[mate[matched]] == vertices[matched], "mates are mutual", vertices[matched])
    require(matched.sum() == 2 * result.size, "size is the number of pairs")
    u, v = arcs(graph)
    require(left[u] != left[v], "an edge has one end on either side", (u, v))
    u, v = np.where(left[u], u, v), np.where(left[u], v, u)
    joined = np.zeros(vertices.size, dtype=np.bool_)
    joined[u[mate[u] == v]] = True
    require(joined | ~matched | ~left, "an edge joins the two of a pair")
    require(matched[u] | matched[v], "no edge has two free ends", (u, v))
    if maximum:
        reached = _reached(u, v, mate, left)
        cover = left != reached
        require(cover[u] | cover[v], "every edge touches the vertex cover", (u, v))
        require(cover.sum() == result.size, "no augmenting path is left, so that the matching is maximum")


def _reached(u: Array, v: Array, mate: Array, left: Array) -> Array:
    """Vertices on alternating paths from free left vertices; the edges lead from u on the left to v on the right."""
    order = np.argsort(u, kind="stable")
    targets = v[order]
    starts = np.searchsorted(u[order], np.arange(mate.size + 1))
    reached = left & (mate < 0)
    front = np.flatnonzero(reached)
    while front.size:
        right = np.unique(targets[ranges(starts[front], starts[front + 1])])
        right = right[~reached[right]]
        reached[right] = True
        front = mate[right]
        front = front[front >= 0]
        reached[front] = True
    return reached
