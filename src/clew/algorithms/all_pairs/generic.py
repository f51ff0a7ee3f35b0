"""Distances between all vertices: Floyd-Warshall as outer sums and element-wise minima.

On a cluster, every member has the rows of its own vertices. Members exchange the rows of a block of pivots at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.all_pairs import summary
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import functions

PIVOTS = 64  # rows in a block
FAR = 2**62  # integers from here on mean "no path"
NO_PATH = 2**63 - 1


def all_pairs(waist: Waist, graph: Graph) -> Answer:
    """A row per source and a column per target; see ``clew.all_pairs``."""
    distance, ids = _edges(waist, graph), waist.ids(graph)
    plus = functions.plus if distance.dtype.kind == "f" else _plus

    def over(matrix: Array, k: int, row: Array) -> Array:
        """D = min(D, D[:, k] + D[k, :]), the ways over vertex k"""
        ways = waist.outer(plus, matrix[:, k], row)
        shorter: Array = waist.elementwise(functions.smaller, matrix, ways)
        return shorter

    first = 0
    while first < graph.num_vertices:
        first, distance = waist.checkpoint(first, first, distance)
        pivots = np.arange(first, min(first + PIVOTS, graph.num_vertices))
        rows = waist.take(graph, distance, pivots)
        for place, k in enumerate(pivots):  # first the ways of the pivots themselves
            rows = over(rows, k, rows[place])
        for place, k in enumerate(pivots):
            distance = over(distance, k, rows[place])
        first += PIVOTS
    return summary(graph, distance, "floyd_warshall", waist.collect(ids[distance[np.arange(ids.size), ids] < 0]))


def _plus(a: Any, b: Any) -> Any:
    """The sum of two integers, of which the largest mean that there is no path."""
    return NO_PATH if a >= FAR or b >= FAR else a + b


def _edges(waist: Waist, graph: Graph) -> Array:
    """The lightest edge of every pair, and 0 from a vertex to itself."""
    rows, columns, weights = waist.out_edges(graph)
    weights = np.ones(rows.size, dtype=np.int64) if weights is None else weights
    floats = weights.dtype.kind == "f"
    dtype = weights.dtype if floats else np.dtype(np.int64)
    ids = waist.ids(graph)
    waist.check_memory(3 * ids.size * graph.num_vertices * dtype.itemsize, "all_pairs")
    distance: Array = np.full((ids.size, graph.num_vertices), np.inf if floats else NO_PATH, dtype=dtype)
    distance[np.arange(ids.size), ids] = 0
    np.minimum.at(distance, (rows, columns), weights.astype(dtype))
    return distance
