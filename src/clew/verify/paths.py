"""Checkers of shortest and widest paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.result import Result
from clew.verify.rules import arcs, counts_reached, named, require


@named
def sssp(graph: Graph, source: Any, result: Result) -> None:
    """Check distances and parents.

    1. The source has distance 0 and is its own parent.
    2. Exactly the vertices with a distance have a parent, and following parents leads to the source.
    3. An edge from its parent gives every vertex its distance; so there is a path of that length.
    4. No edge gives a vertex a smaller distance; so there is no shorter path, and what can be reached has been.
    5. The vertices reached are counted rightly, where they are counted.
    """
    weights = _weights(graph)
    floating = weights.dtype.kind == "f"
    weights = weights if floating else weights.astype(np.int64)
    unreached = np.inf if floating else np.iinfo(np.int64).max
    _paths(graph, source, result, result.distance, weights, (0, unreached), np.add, np.less_equal)


bellman_ford = sssp  # the rules are the same whatever the signs of the weights


@named
def sswp(graph: Graph, source: Any, result: Result) -> None:
    """Check widths and parents; the rules are those of ``sssp``, with the smaller weight in place of the sum."""
    weights = _weights(graph)
    if weights.dtype.kind == "f":
        ends: tuple[Any, Any] = (np.inf, -np.inf)
    elif weights.dtype.kind == "b":
        ends = (True, False)
    else:
        ends = (np.iinfo(weights.dtype).max, np.iinfo(weights.dtype).min)
    _paths(graph, source, result, result.width, weights, ends, np.minimum, np.greater_equal)


def _weights(graph: Graph) -> Array:
    if graph.weights is None:
        raise GraphError("the graph has no weights; paths over weights cannot be checked on it.")
    return graph.weights


def _paths(
    graph: Graph,
    source: Any,
    result: Result,
    value: Array,
    weights: Array,
    ends: tuple[Any, Any],
    extend: Callable[[Array, Array], Array],
    no_worse: Callable[[Array, Array], Array],
) -> None:
    """The rules for any value of paths; ``ends`` are the value of the source and that of an unreached vertex."""
    n, root, parent = graph.num_vertices, graph.vertex(source), result.parent.astype(np.int64)
    require(value.size == n and parent.size == n, "there is an entry for every vertex")
    begins = [value[root] == ends[0] and parent[root] == root]
    require(begins, f"the source has value {ends[0]} and is its own parent", np.array([root]))
    require((parent < n) & (parent >= -1), "a parent is a vertex or -1")
    reached = parent >= 0
    require(reached == (value != ends[1]), "exactly the vertices with a value have a parent")
    require(reached[parent[reached]], "a parent has been reached", np.flatnonzero(reached))
    _tree(parent, reached, root)
    u, v = arcs(graph)
    u, v, along = u[reached[u]], v[reached[u]], weights[reached[u]]
    with np.errstate(over="ignore", invalid="ignore"):
        offered = extend(value[u], along)
    given = np.zeros(n, dtype=np.bool_)
    given[root] = True
    given[v[(parent[v] == u) & (offered == value[v])]] = True
    require(given | ~reached, "an edge from its parent gives a vertex its value")
    require(no_worse(value[v], offered), "no edge gives a vertex a better value", (u, v))
    counts_reached(result, reached)


def _tree(parent: Array, reached: Array, root: int) -> None:
    """Following parents leads to the source: after doubling the step often enough, everyone is there."""
    above = np.where(reached, parent, root)
    for _ in range(max(1, int(parent.size).bit_length())):
        above = above[above]
    require(above == root, "following parents leads to the source")
