"""What the checkers of shortest and widest paths share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clew.algorithms.checking import arcs, counts_reached, require
from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.result import Result


def weights_of(graph: Graph) -> Array:
    """The weights, without which paths cannot be checked."""
    if graph.weights is None:
        raise GraphError("the graph has no weights; paths over weights cannot be checked on it.")
    return graph.weights


def check_paths(
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
    """Following parents leads to the source: after doubling the step often enough, all vertices are there."""
    above = np.where(reached, parent, root)
    for _ in range(max(1, int(parent.size).bit_length())):
        above = above[above]
    require(above == root, "following parents leads to the source")
