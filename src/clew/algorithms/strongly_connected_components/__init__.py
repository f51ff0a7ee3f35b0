"""Strongly connected components."""

from __future__ import annotations

from clew.algorithms.registry import algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(generic="generic", cpu="cpu", check="check", needs=("in_edges",))
def strongly_connected_components(graph: Graph, *, device: str = "auto") -> Result:
    """Which vertices lead to each other: in a component, a path leads from every vertex to every other and back.

    Of an undirected graph, these are its connected components.

    Parameters
    ----------
    graph
        Directed or not; weights do not matter.
    device
        "auto" and "cpu" run on the CPU; "cuda" as products on the GPU, whose vectors travel there and back, which is
        slower where there are long chains of small components.

    Returns
    -------
    Result
        ``label`` (the smallest vertex id in the component), ``count`` (of components), ``sizes`` (of the components,
        in ascending order of their labels), ``largest`` (the largest size).

    Notes
    -----
    One depth-first search on one thread, O(n + m); 20 bytes a vertex beside the graph, labels included (32 with 64-bit
    ids). Of a graph with millions of edges, the component of the vertex with most edges both in and out is found first,
    on all threads, by a breadth-first search along the edges and one against them; those need the in-edges. The answer
    is unique and does not depend on the number of threads.

    References
    ----------
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
