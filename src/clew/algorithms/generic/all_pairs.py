"""Distances between all vertices: Floyd-Warshall as outer sums and element-wise minima."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.arguments import weights_of
from clew.algorithms.generic.waist import elementwise, outer
from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.layouts import coo
from clew.names import shown
from clew.operators import functions, monoids
from clew.result import Result

FAR = 2**62  # integers from here on mean "no path"
NO_PATH = 2**63 - 1


def all_pairs(graph: Graph, *, device: str = "auto") -> Result:
    """A row per source and a column per target; see ``clew.all_pairs``."""
    if graph.weighted:
        weights_of(graph, algorithm="all_pairs", negative=True)
    distance = _edges(graph)
    plus = functions.plus if distance.dtype.kind == "f" else _plus
    for k in range(graph.num_vertices):
        # D = min(D, D[:, k] + D[k, :]), the ways over vertex k
        over = outer(plus, distance[:, k], distance[k], device=device)
        distance = elementwise(functions.smaller, distance, over, device=device)
    below = np.flatnonzero(np.diagonal(distance) < 0)
    if below.size:
        raise GraphError(f"a cycle of negative weight leads through vertex {shown(graph.names, below[0])}; remove it.")
    return Result(
        "all_pairs",
        {"distance": distance},
        names=graph.names,
        unreached=monoids.min.identity(distance.dtype),
        facts={"method": "floyd_warshall"},
    )


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
