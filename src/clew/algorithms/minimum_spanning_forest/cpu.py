"""Spanning forests on the CPU."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew.algorithms.minimum_spanning_forest import forest, kernels, sort_keys
from clew.algorithms.registry import Answer
from clew.dtypes import Array, as_bits, id_dtype
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    n, m, ids = graph.num_vertices, graph.num_edges, graph.indices.dtype
    return Workspace(
        member=result(m, np.bool_, later=True),
        keys=scratch(m, np.uint64, later=True),
        ends=scratch(2 * m, ids, later=True),
        numbers=scratch(m, id_dtype(m), later=True),
        above=scratch(n, ids, later=True),
        chosen=scratch(n, np.int64, later=True),
    )


def minimum_spanning_forest(graph: Graph, maximum: bool) -> Answer:
    """The edges of least or largest total weight; see ``clew.minimum_spanning_forest``."""
    source, target, weights = graph.edges()
    keys = None if weights is None else sort_keys(weights, maximum=maximum)
    return forest(graph, weights, chosen_edges(source, target, keys, graph.num_vertices))


def chosen_edges(
    source: Array, target: Array, keys: npt.NDArray[np.uint64] | None, num_vertices: int
) -> npt.NDArray[np.int64]:
    """The numbers of the edges in the forest, in the order of ``keys``; equal ones, or without keys, in their own."""
    ids = id_dtype(num_vertices)
    numbers = np.arange(source.size, dtype=id_dtype(source.size))
    edges = as_bits(source.astype(ids)), as_bits(target.astype(ids)), as_bits(numbers)
    above, chosen = np.arange(num_vertices, dtype=ids), np.empty(num_vertices, dtype=np.int64)
    order = np.zeros(source.size, np.uint64) if keys is None else keys
    return chosen[: kernels.filter_kruskal(order, *edges, keys is None, as_bits(above), chosen)]
