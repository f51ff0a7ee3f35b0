"""Maximum flows on the CPU, by Dinic's algorithm."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clew import transform
from clew.adjacency import Adjacency
from clew.algorithms.flows import kernels
from clew.dtypes import Array, as_bits, id_dtype
from clew.graph import Graph
from clew.workspace import Space, Workspace, scratch


class Flow(NamedTuple):
    """The flow on every edge, its value, the vertices that cannot reach the sink any more, and the phases."""

    flow: Array
    value: Any
    side: Array
    phases: int


def space(graph: Graph, **results: Space) -> Workspace:
    """The arrays of a run: the results, and those of the search."""
    n, m, ids = graph.num_vertices, graph.num_edges, graph.indices.itemsize
    return Workspace(
        **results,
        left=scratch(2 * m, np.int64, later=True),
        rows=scratch(2 * m * (8 + ids) if graph.directed else 0, np.uint8, later=True),
        codes=scratch(2 * m, id_dtype(2 * m), later=True),
        search=scratch(5 * n, np.int64, later=True),
    )


class Network(NamedTuple):
    """Rows of both directions, the code of every entry, and what the arc of every code takes."""

    rows: Adjacency
    codes: Array
    left: Array


def residual_network(graph: Graph) -> Network:
    """The network before anything flows. The arcs of edge e have the codes 2e and 2e + 1: forwards and backwards."""
    first, second, weights = graph.edges()
    kind = np.float64 if weights is not None and weights.dtype.kind == "f" else np.int64
    capacity = np.ones(first.size, dtype=kind) if weights is None else weights.astype(kind)
    left = np.zeros(2 * first.size, dtype=kind)
    left[::2] = capacity
    rows, numbers = graph.outgoing, np.arange(first.size, dtype=id_dtype(2 * first.size))
    if graph.directed:
        both = Graph.from_edges(first, second, numbers, graph.num_vertices, directed=False)
        rows, numbers = both.outgoing, both.edges()[2]  # type: ignore[assignment]
    else:
        left[1::2] = capacity
    number = transform.of_arcs(rows, numbers, directed=False)
    tails = np.repeat(np.arange(graph.num_vertices, dtype=first.dtype), rows.degrees())
    return Network(rows, 2 * number + (tails != first[number]), left)


def flow_of(graph: Graph, left: Array, source: int, side: Array, phases: int) -> Flow:
    """The flow, from what the arcs still take."""
    first, second, weights = graph.edges()
    flow = (1 if weights is None else weights.astype(left.dtype)) - left[::2]
    flow[first == second] = 0
    value = flow[first == source].sum() - flow[second == source].sum()
    return Flow(flow, value.item(), side, phases)


def maximum_flow(graph: Graph, source: int, sink: int) -> Flow:
    """As much as can flow; of an undirected edge, a flow from the larger to the smaller vertex is negative."""
    rows, codes, left = residual_network(graph)
    side = np.empty(graph.num_vertices, dtype=np.bool_)
    phases = kernels.dinic(*rows.unsigned(), as_bits(codes), left, np.uint64(source), np.uint64(sink), side)
    return flow_of(graph, left, source, side, int(phases))
