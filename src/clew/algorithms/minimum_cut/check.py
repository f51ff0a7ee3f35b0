"""Checker of minimum cuts."""

from __future__ import annotations

from typing import Any

from clew.algorithms.checking import named, require
from clew.algorithms.flows.check import check_flow, cut_capacity
from clew.graph import Graph
from clew.result import Result


@named
def minimum_cut(graph: Graph, source: Any, sink: Any, result: Result) -> None:
    """Accept every cut of least weight. A flow of the same value proves that none is smaller."""
    start, end, side = graph.vertex(source), graph.vertex(sink), result.side
    require(side.size == graph.num_vertices, "there is an entry for every vertex")
    require(side[start] and not side[end], "the cut separates the source from the sink")
    slack = check_flow(graph, result.flow, result.value, start, end)
    first, second, _ = graph.edges()
    leaves = side[first] & ~side[second] if graph.directed else side[first] != side[second]
    require(result.cut == leaves, "the edges of the cut leave the source's side", (first, second))
    require(abs(cut_capacity(graph, side) - result.value) <= max(1, first.size) * slack, "the cut has the flow's value")
