"""Strongly connected components."""

from __future__ import annotations

from clew.algorithms.registry import algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(needs=("in_edges",), distributed=True)
def strongly_connected_components(graph: Graph, *, device: str = "auto") -> Result:
    """Strongly connected components: sets of vertices with directed paths between any two.

    In an undirected graph, these are the connected components.

    Parameters
    ----------
    graph
        Directed or undirected. Weights are ignored.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``label``: the smallest vertex id in the component. ``count``: the number of components. ``sizes``: their sizes,
        in ascending order of label. ``largest``: the largest size.

    Notes
    -----
    On the CPU, one depth-first search on one thread, in O(n + m) time. Memory: 20 bytes per vertex besides the graph,
    including labels (32 with 64-bit ids). With millions of edges, the component of the vertex with the most in- and
    out-edges is found first. That takes a parallel breadth-first search along the edges and one against them, which
    needs the in-edges. On a GPU, every vertex learns the first one, in a random order, that leads to it and that it
    leads to. Memory there: 12 bytes per vertex and 16 per edge. The result is unique, and does not depend on the number
    of threads.

    References
    ----------
    G. Alabandi, W. Sands, G. Biros, M. Burtscher: "A GPU algorithm for detecting strongly connected components", SC
    2023.
    L. K. Fleischer, B. Hendrickson, A. Pınar: "On identifying strongly connected components in parallel", IPDPS
    Workshops 2000.
    D. J. Pearce: "A space-efficient algorithm for finding strongly connected components", Information Processing
    Letters 116(1), 2016.

    Examples
    --------
    >>> import clew
    >>> result = clew.strongly_connected_components(clew.Graph.from_edges([0, 1, 2, 2], [1, 2, 1, 3]))
    >>> result.label.tolist(), result.count, result.largest
    ([0, 1, 1, 3], 3, 2)
    """
    return run("strongly_connected_components", graph, device)
