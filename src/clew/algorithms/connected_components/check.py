"""Checker of connected components."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew.algorithms.checking import arcs, named, require
from clew.graph import Graph
from clew.result import Result

Ids = npt.NDArray[np.int64]


@named
def connected_components(graph: Graph, result: Result) -> None:
    """Check labels against a spread of the smallest id over edges until nothing changes.

    1. A label is the smallest vertex that has it.
    2. No edge leads from one label to another: components are not too small.
    3. Vertices with one label are connected: components are not too large.
    """
    label = labels_of(graph, result)
    u, v = arcs(graph)
    require(label[u] == label[v], "both ends of an edge have the same label", (u, v))
    require(smallest_reachable(graph.num_vertices, u, v) == label, "vertices with one label are connected")
    check_counts(label, result)


def labels_of(graph: Graph, result: Result) -> Ids:
    """The labels, each the smallest vertex that has it."""
    label: Ids = result.label.astype(np.int64)
    require(label.size == graph.num_vertices, "there is a label for every vertex")
    require((label >= 0) & (label < label.size), "a label is a vertex")
    require(label <= np.arange(label.size), "a label is the smallest vertex that has it")
    require(label[label] == label, "the vertex that a label names has that label itself")
    return label


def check_counts(label: Ids, result: Result) -> None:
    """The numbers that go with labels."""
    found, sizes = np.unique(label, return_counts=True)
    require(result.count == found.size, "the count is the number of labels")
    require(np.array_equal(result.sizes, sizes), "the sizes count the vertices of each label")
    if "largest" in result.facts:
        require(result.largest == sizes.max(initial=0), "largest is the largest size")


def smallest_reachable(num_vertices: int, u: Ids, v: Ids) -> Ids:
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
