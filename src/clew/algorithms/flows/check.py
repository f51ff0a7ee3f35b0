"""What proves a flow: it keeps to the capacities, nothing is lost on the way, and a cut has its value."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew.algorithms.checking import require
from clew.graph import Graph

TOLERANCE = 1e-9


def capacities(graph: Graph) -> npt.NDArray[Any]:
    """The capacity of every edge."""
    source, _, weights = graph.edges()
    if weights is None:
        return np.ones(source.size, dtype=np.int64)
    return weights.astype(np.float64 if weights.dtype.kind == "f" else np.int64)


def check_flow(graph: Graph, flow: npt.NDArray[Any], value: Any, source: int, sink: int) -> float:
    """Check a flow; returns how far sums of floats may be apart."""
    first, second, _ = graph.edges()
    capacity, ends = capacities(graph), (first, second)
    require(flow.size == first.size, "there is an entry for every edge")
    slack = TOLERANCE * float(capacity.sum()) if capacity.dtype.kind == "f" else 0.0
    low = np.zeros(1, dtype=capacity.dtype) if graph.directed else -capacity
    require((flow >= low - slack) & (flow <= capacity + slack), "a flow keeps to the capacity", ends)
    net = np.zeros(graph.num_vertices, dtype=flow.dtype)
    np.add.at(net, first, flow)
    np.subtract.at(net, second, flow)
    inner = np.ones(net.size, dtype=np.bool_)
    inner[[source, sink]] = False
    require(~inner | (np.abs(net) <= slack), "what flows into a vertex flows out of it")
    require(abs(net[source] - value) <= slack, "the value is what leaves the source")
    return slack


def cut_capacity(graph: Graph, side: npt.NDArray[np.bool_]) -> Any:
    """The capacity of the edges that leave a side."""
    first, second, _ = graph.edges()
    leaves = side[first] & ~side[second]
    if not graph.directed:
        leaves |= side[second] & ~side[first]
    return capacities(graph)[leaves].sum()
