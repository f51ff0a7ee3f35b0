"""Distances between all vertices: Floyd-Warshall as outer sums and element-wise minima."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.all_pairs import summary
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.layouts import coo
from clew.operators import functions

FAR = 2**62  # integers from here on mean "no path"
NO_PATH = 2**63 - 1


def all_pairs(waist: Waist, graph: Graph) -> Answer:
    """A row per source and a column per target; see ``clew.all_pairs``."""
    distance = _edges(graph)
    plus = functions.plus if distance.dtype.kind == "f" else _plus
    for k in range(graph.num_vertices):
        # D = min(D, D[:, k] + D[k, :]), the ways over vertex k
        over = waist.outer(plus, distance[:, k], distance[k])
        distance = waist.elementwise(functions.smaller, distance, over)
    return summary(graph, distance, "floyd_warshall")


def _plus(a: Any, b: Any) -> Any:
    """The sum of two integers, of which the largest mean that there is no path."""
    return NO_PATH if a >= FAR or b >= FAR else a + b


def _edges(graph: Graph) -> Array:
    """The lightest edge of every pair, and 0 from a vertex to itself."""
    arcs = coo(graph)
    weights = np.ones(arcs.rows.size, dtype=np.int64) if arcs.weights is None else arcs.weights
    floats = weights.dtype.kind == "f"
    dtype = weights.dtype if floats else np.dtype(np.int64)
    shape = (graph.num_vertices, graph.num_vertices)
    distance: Array = np.full(shape, np.inf if floats else NO_PATH, dtype=dtype)
    np.fill_diagonal(distance, 0)
    np.minimum.at(distance, (arcs.rows, arcs.columns), weights.astype(dtype))
    return distance
