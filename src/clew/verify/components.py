"""Checkers of connected and strongly connected components."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew.graph import Graph
from clew.result import Result
from clew.verify.rules import arcs, named, require

Ids = npt.NDArray[np.int64]


@named
def connected_components(graph: Graph, result: Result) -> None:
    """Check labels against a spread of the smallest id over edges until nothing changes.

    1. A label is the smallest vertex that has it.
    2. No edge leads from one label to another: components are not too small.
    3. What has one label hangs together: components are not too large.
    """
    label = _labels(graph, result)
    u, v = arcs(graph)
    require(label[u] == label[v], "both ends of an edge have the same label", (u, v))
    require(_spread(graph.num_vertices, u, v) == label, "what has one label hangs together")
    _counts(label, result)


@named
def strongly_connected_components(graph: Graph, result: Result) -> None:
    """Check labels by searching every component from its label, along the edges and against them.

    1. A label is the smallest vertex that has it.
    2. Within each component, its label reaches every vertex and every vertex reaches it: it is not too large.
    3. With every component taken as one vertex, no cycle is left: they are not too small.
    """
    label = _labels(graph, result)
    u, v = arcs(graph)
    inside = label[u] == label[v]
    for start, end, rule in (
        (u, v, "its label leads to every vertex of a component"),
        (v, u, "from every vertex of a component there is a way to its label"),
    ):
        require(_reached(label, start[inside], end[inside]), rule)
    require(_acyclic(label, u[~inside], v[~inside]), "no cycle runs through several components")
    _counts(label, result)


def _labels(graph: Graph, result: Result) -> Ids:
    label: Ids = result.label.astype(np.int64)
    require(label.size == graph.num_vertices, "there is a label for every vertex")
    require((label >= 0) & (label < label.size), "a label is a vertex")
    require(label <= np.arange(label.size), "a label is the smallest vertex that has it")
    require(label[label] == label, "the vertex that a label names has that label itself")
    return label


def _counts(label: Ids, result: Result) -> None:
    found, sizes = np.unique(label, return_counts=True)
    require(result.count == found.size, "the count is the number of labels")
    require(np.array_equal(result.sizes, sizes), "the sizes count the vertices of each label")
    if "largest" in result.facts:
        require(result.largest == sizes.max(initial=0), "largest is the largest size")


def _spread(num_vertices: int, u: Ids, v: Ids) -> Ids:
    """The smallest vertex of each component: every label takes the smallest next to it, then that one's own."""
    label: Ids = np.arange(num_vertices)
    while True:
        before = label.copy()
        np.minimum.at(label, label[u], before[v])
        np.minimum.at(label, label[v], before[u])
        while not np.array_equal(label, jumped := label[label]):
            label = jumped
        if np.array_equal(label, before):
            return label


def _reached(label: Ids, start: Ids, end: Ids) -> npt.NDArray[np.bool_]:
    """Which vertices can be reached over arcs start → end from the vertices that are their own label."""
    order = np.argsort(start, kind="stable")
    offsets = np.searchsorted(start[order], np.arange(label.size + 1))
    targets = end[order]
    found: npt.NDArray[np.bool_] = label == np.arange(label.size)
    front: Ids = np.flatnonzero(found)
    while front.size:
        front = np.unique(targets[_ranges(offsets[front], offsets[front + 1])])
        front = front[~found[front]]
        found[front] = True
    return found


def _acyclic(label: Ids, u: Ids, v: Ids) -> npt.NDArray[np.bool_]:
    """Whether each label is free of cycles, by taking away those that nothing leads to until no more fall."""
    start, end = label[u], label[v]
    order = np.argsort(start, kind="stable")
    offsets = np.searchsorted(start[order], np.arange(label.size + 1))
    targets = end[order]
    before = np.bincount(targets, minlength=label.size)
    done: npt.NDArray[np.bool_] = before == 0
    front: Ids = np.flatnonzero(done)
    while front.size:
        hit, times = np.unique(targets[_ranges(offsets[front], offsets[front + 1])], return_counts=True)
        before[hit] -= times
        front = hit[before[hit] == 0]
        done[front] = True
    return done


def _ranges(start: Ids, stop: Ids) -> Ids:
    """All numbers from each start to its stop, one range after the other."""
    sizes = stop - start
    ends = np.cumsum(sizes)
    return np.arange(int(sizes.sum())) + np.repeat(stop - ends, sizes)
