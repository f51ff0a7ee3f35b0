"""Checker of strongly connected components."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew.algorithms.checking import arcs, named, require
from clew.algorithms.connected_components.check import Ids, check_counts, labels_of
from clew.graph import Graph
from clew.result import Result


@named
def strongly_connected_components(graph: Graph, result: Result) -> None:
    """Check labels by searching every component from its label, along the edges and against them.

    1. A label is the smallest vertex that has it.
    2. Within each component, its label reaches every vertex and every vertex reaches it: it is not too large.
    3. With every component taken as one vertex, no cycle is left: they are not too small.
    """
    label = labels_of(graph, result)
    u, v = arcs(graph)
    inside = label[u] == label[v]
    for start, end, rule in (
        (u, v, "its label leads to every vertex of a component"),
        (v, u, "from every vertex of a component there is a way to its label"),
    ):
        require(_reached(label, start[inside], end[inside]), rule)
    require(_acyclic(label, u[~inside], v[~inside]), "no cycle runs through several components")
    check_counts(label, result)


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
