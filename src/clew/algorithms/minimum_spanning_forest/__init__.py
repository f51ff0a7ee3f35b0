"""Minimum and maximum spanning forests."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew.algorithms.arguments import OTHER_WEIGHTS, OTHER_WEIGHTS_IN_SHELL, wrong_weights
from clew.algorithms.registry import Answer, algorithm, run
from clew.dtypes import Array
from clew.edge_result import EdgeResult
from clew.errors import GraphError
from clew.graph import Graph

SIGN = np.uint64(1 << 63)


@algorithm(per_edge=True)
def minimum_spanning_forest(graph: Graph, *, maximum: bool = False, device: str = "auto") -> EdgeResult:
    """Minimum spanning forest: the edges of least total weight that connect what the graph connects.

    A connected graph has a tree, another graph has one in every component. Of edges with equal weights, the first in
    the order of ``graph.edges()`` is taken, so the result is unique.

    Parameters
    ----------
    graph
        Directions are ignored. Without weights, every edge counts 1. Weights may be negative, but not NaN.
    maximum
        Take the edges of largest total weight instead.
    device
        "auto", "cpu" or "cuda". The edges are the same.

    Returns
    -------
    EdgeResult
        ``member``: whether each edge is in the forest. ``weight``: its total. ``trees``: the number of trees, isolated
        vertices included. ``graph.filter_edges(result.member)`` is the forest as a graph.

    Notes
    -----
    On the CPU, Kruskal's algorithm on one thread, without sorting edges whose ends are connected by lighter ones.
    Memory: 8 bytes per edge for the order, and three ids. On a GPU, Borůvka's rounds. Memory: 32 bytes per edge, or 48
    with weights of 64 bits, and 12 per vertex.

    References
    ----------
    A. Fallin, A. Gonzalez, J. Seo, M. Burtscher: "A high-performance MST implementation for GPUs", SC 2023.
    V. Osipov, P. Sanders, J. Singler: "The filter-Kruskal minimum spanning tree algorithm", ALENEX 2009.

    Examples
    --------
    >>> import clew
    >>> g = clew.Graph.from_edges(["a", "b", "c", "a"], ["b", "c", "d", "c"], [4, 1, 7, 2], directed=False)
    >>> found = clew.minimum_spanning_forest(g)
    >>> g.filter_edges(found.member).to_arrow().to_pydict()
    {'source': ['a', 'b', 'c'], 'target': ['c', 'c', 'd'], 'weight': [2, 1, 7]}
    >>> found.weight, found.trees
    (10, 1)
    """
    if graph.weights is not None and graph.weights.dtype.kind == "f" and np.isnan(graph.weights).any():
        problem = f"{wrong_weights(graph, np.isnan)} NaN, which is neither lighter nor heavier than others."
        raise GraphError(problem, remedy=OTHER_WEIGHTS, option=OTHER_WEIGHTS_IN_SHELL)
    found = run("minimum_spanning_forest", graph, device, maximum=maximum)
    assert isinstance(found, EdgeResult)
    return found


def sort_keys(weights: Array, *, maximum: bool) -> npt.NDArray[np.uint64]:
    """Unsigned integers in the order of the weights, or in the opposite order."""
    if weights.dtype.kind == "f":
        bits = (weights.astype(np.float64) + 0.0).view(np.uint64)  # -0.0 becomes 0.0
        keys = np.where(bits & SIGN, ~bits, bits | SIGN)
    elif weights.dtype.kind == "i":
        keys = weights.astype(np.int64).view(np.uint64) ^ SIGN
    else:
        keys = weights.astype(np.uint64)
    return ~keys if maximum else keys


def forest(graph: Graph, weights: Array | None, chosen: Array, rounds: int = 1) -> Answer:
    """The answer, from the numbers of the edges in the forest."""
    member = np.zeros(graph.num_edges, dtype=np.bool_)
    member[chosen] = True
    weight = chosen.size if weights is None else weights[np.sort(chosen)].sum().item()
    return Answer({"member": member}, {"weight": weight, "trees": graph.num_vertices - chosen.size}, iterations=rounds)
