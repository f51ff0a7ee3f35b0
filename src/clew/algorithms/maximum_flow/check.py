"""Checker of maximum flows."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.checking import named, reachable, require
from clew.algorithms.flows.check import capacities, check_flow, cut_capacity
from clew.graph import Graph
from clew.result import Result


@named
def maximum_flow(graph: Graph, source: Any, sink: Any, result: Result) -> None:
    """Accept every maximum flow: where nothing more can flow, there is a cut of the flow's value."""
    start, end = graph.vertex(source), graph.vertex(sink)
    slack = check_flow(graph, result.flow, result.value, start, end)
    first, second, _ = graph.edges()
    capacity, back = capacities(graph), result.flow if graph.directed else capacities(graph) + result.flow
    open_, returns = capacity - result.flow > slack, back > slack
    ends = np.append(first[open_], second[returns]), np.append(second[open_], first[returns])
    side = reachable(np.arange(graph.num_vertices) == start, *(one.astype(np.int64) for one in ends))
    require(not side[end], "no path takes more than a maximum flow")
    require(abs(cut_capacity(graph, side) - result.value) <= max(1, first.size) * slack, "a cut has the flow's value")
