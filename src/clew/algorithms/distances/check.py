"""Distances by another method, for the checkers of what is computed from them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew.algorithms.checking import arcs
from clew.graph import Graph


def distances_from(graph: Graph, source: int, *, weighted: bool) -> npt.NDArray[np.float64]:
    """The length of the shortest path to every vertex, by relaxing all edges until nothing changes."""
    start, end = arcs(graph)
    length = graph.weights.astype(np.float64) if weighted and graph.weights is not None else np.ones(start.size)
    distance = np.full(graph.num_vertices, np.inf)
    distance[source] = 0
    while True:
        nearer = distance.copy()
        np.minimum.at(nearer, end, distance[start] + length)
        if (nearer == distance).all():
            return distance
        distance = nearer
