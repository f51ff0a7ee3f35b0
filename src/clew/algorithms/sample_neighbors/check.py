"""Checker of sampled neighbourhoods."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.checking import arcs, named, require
from clew.graph import Graph
from clew.result import Result


@named
def sample_neighbors(
    graph: Graph,
    sources: Any,
    result: Result,
    *,
    fanouts: Any = (10, 10),
    replace: bool = False,
    weighted: bool = False,
) -> None:
    """Check drawn edges.

    1. The batch comes first, no vertex is there twice, and every other vertex is the end of an edge.
    2. Edges are edges of the graph, from neighbour to vertex, with weights above 0 if these count.
    3. A vertex is drawn for in the hop after it was added, as often as the fan-out and its edges say.
    4. Without replacement, no edge is drawn twice.
    """
    node, row, col, edge = (np.asarray(getattr(result, name)) for name in ("node", "row", "col", "edge"))
    batch = np.array([graph.vertex(name) for name in sources], np.int64)
    require(np.array_equal(node[: batch.size], batch), "the batch comes first")
    require(np.unique(node).size == node.size, "no vertex is there twice")
    require(np.isin(np.arange(batch.size, node.size), row), "every other vertex was drawn", node[batch.size :])
    source, target = arcs(graph)
    able = np.ones(source.size, np.bool_) if not weighted or graph.weights is None else graph.weights > 0
    if not graph.directed:  # an edge is in the row of the vertex that it was drawn for
        source, target = target, source
    real = (edge >= 0) & (edge < source.size)
    require(real, "an edge is an edge of the graph", node[col])
    ends = (node[row], node[col])
    require((source[edge] == ends[0]) & (target[edge] == ends[1]), "an edge leads from row to col", ends)
    require(able[edge], "no edge of weight 0 is drawn", ends)
    require(replace or -1 in fanouts or np.unique(edge).size == edge.size, "no edge is drawn twice")
    added, drawn = result.num_sampled_nodes, result.num_sampled_edges
    require(sum(added) == node.size and sum(drawn) == edge.size, "the numbers of all hops add up")
    possible = np.bincount(target[able], minlength=graph.num_vertices)
    begin = first = 0
    for fanout, vertices, edges in zip(fanouts, added, drawn, strict=False):
        here = np.arange(begin, begin + vertices)
        counts = np.bincount(col[first : first + edges], minlength=node.size)[here]
        most = possible[node[here]]
        expected = most if fanout < 0 else np.where(most > 0, fanout, 0) if replace else np.minimum(most, fanout)
        require(counts == expected, "a vertex has as many edges as the fan-out and the graph allow", node[here])
        begin, first = begin + vertices, first + edges
