"""Truss numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew.algorithms.registry import Answer, algorithm, run
from clew.dtypes import Array
from clew.edge_result import EdgeResult
from clew.graph import Graph


@algorithm(per_edge=True)
def k_truss(graph: Graph, *, device: str = "auto") -> EdgeResult:
    """Truss numbers: the largest k for which each edge is in the k-truss.

    The k-truss is the largest subgraph in which every edge is in k - 2 triangles or more. An edge that is in no
    triangle has the number 2. ``graph.filter_edges(result.truss >= k)`` is the k-truss, with the vertices around it.

    Parameters
    ----------
    graph
        Directions, weights and self-loops are ignored. Parallel edges count as one, and have the same number.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    EdgeResult
        ``truss``: int32; 0 for self-loops. ``largest``: the largest k with a k-truss.

    Notes
    -----
    All threads count the triangles of every edge, then one thread removes edges by ascending count. Time O(m·√m).
    Memory: 56 bytes per edge, and 20 per vertex. On a GPU, edges that fall together are removed together. Memory: 60
    bytes per edge.

    References
    ----------
    H. Kabir, K. Madduri: "Parallel k-truss decomposition on multicore systems", HPEC 2017.
    J. Cohen: "Trusses: cohesive subgraphs for social network analysis", 2008.
    J. Wang, J. Cheng: "Truss decomposition in massive networks", PVLDB 5, 2012.

    Examples
    --------
    >>> import clew
    >>> g = clew.Graph.from_edges([0, 0, 0, 1, 1, 2, 3], [1, 2, 3, 2, 3, 3, 4], directed=False)
    >>> found = clew.k_truss(g)
    >>> found.truss.tolist(), g.filter_edges(found.truss >= 4).num_edges
    ([4, 4, 4, 4, 4, 4, 2], 6)
    """
    found = run("k_truss", graph, device)
    assert isinstance(found, EdgeResult)
    return found


def of_pairs(graph: Graph, keys: npt.NDArray[np.int64], truss: Array) -> Answer:
    """The answer, from the numbers of pairs of neighbours; keys are first · n + second, ascending, first < second."""
    n, (source, target, _) = graph.num_vertices, graph.edges()
    if graph.directed or keys.size < source.size:
        first, second = np.minimum(source, target).astype(np.int64), np.maximum(source, target)
        place = np.minimum(np.searchsorted(keys, first * n + second), keys.size - 1)
        truss = np.where(source == target, 0, truss[place]) if keys.size else np.zeros(source.size, truss.dtype)
    truss = truss.astype(np.int32, copy=False)
    return Answer({"truss": truss}, {"largest": int(truss.max(initial=0))})
