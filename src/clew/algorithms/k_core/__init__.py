"""Core numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.registry import Answer, algorithm, run
from clew.dtypes import MAX_INT32_VERTICES, Array
from clew.graph import Graph
from clew.result import Result


@algorithm(needs=("in_edges",), distributed=True, packed=("cpu", "cuda"), packed_slowdown=(1.95, 1.8), scattered=True)
def k_core(graph: Graph, *, device: str = "auto") -> Result:
    """Core numbers: the largest k for which each vertex belongs to the k-core.

    The k-core is the largest subgraph in which every vertex has at least k neighbours:
    ``graph.subgraph(clew.k_core(graph).core >= k)``.

    Parameters
    ----------
    graph
        Self-loops and duplicate edges are ignored. In a directed graph, in- and out-edges both count, so a neighbour in
        both directions counts twice. To count it once, pass ``graph.symmetrized()``.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``core`` (int32, or int64 if vertex ids are) and ``degeneracy`` (the largest core number). The trace has
        ``core`` and ``vertices`` (the number of vertices with that core number).

    Notes
    -----
    Parallel peeling in O(n + m) time. Memory: 12 bytes per vertex besides the graph (24 with 64-bit ids), and the
    in-edges of a directed graph. The result is unique, and does not depend on the number of threads.

    References
    ----------
    S. B. Seidman: "Network structure and minimum degree", Social Networks 5(3), 1983.
    H. Kabir, K. Madduri: "Parallel k-core decomposition on multicore platforms", IPDPS Workshops 2017.

    Examples
    --------
    >>> import clew
    >>> triangle_with_a_tail = clew.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False)
    >>> clew.k_core(triangle_with_a_tail).core.tolist()
    [2, 2, 2, 1]
    """
    return run("k_core", graph, device)


def core_dtype(graph: Graph) -> np.dtype[Any]:
    """The dtype of core numbers: a degree is below n, and in- and out-degree together are below 2n."""
    wide = graph.outgoing.id_dtype == np.int64 or (graph.directed and 2 * graph.num_vertices > MAX_INT32_VERTICES)
    return np.dtype(np.int64 if wide else np.int32)


def summary(core: Any, vertices: Array) -> Answer:
    """The answer, from the core numbers and the number of vertices with each."""
    levels = np.flatnonzero(vertices)
    trace = {"core": levels, "vertices": vertices[levels]}
    return Answer({"core": core}, {"degeneracy": max(0, vertices.size - 1)}, iterations=levels.size, trace=trace)
