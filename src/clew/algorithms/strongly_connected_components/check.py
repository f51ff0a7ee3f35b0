"""Checker of strongly connected components."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew.algorithms.checking import arcs, named, ranges, reachable, require
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
    inside, roots = label[u] == label[v], label == np.arange(label.size)
    for start, end, rule in (
        (u, v, "its label leads to every vertex of a component"),
        (v, u, "from every vertex of a component there is a way to its label"),
    ):
        require(reachable(roots, start[inside], end[inside]), rule)
    require(_acyclic(label, u[~inside], v[~inside]), "no cycle runs through several components")
    check_counts(label, result)


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
        hit, times = np.unique(targets[ranges(offsets[front], offsets[front + 1])], return_counts=True)
        before[hit] -= times
        front = hit[before[hit] == 0]
        done[front] = True
    return done
