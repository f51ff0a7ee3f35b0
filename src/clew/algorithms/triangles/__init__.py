"""Triangles."""

from __future__ import annotations

from clew.algorithms.registry import algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(packed=("cuda",), packed_slowdown=(1.04, 1.6))
def triangles(graph: Graph, *, per_vertex: bool = True, device: str = "auto") -> Result:
    """Triangle counts: the total, and the number of triangles at each vertex.

    A triangle is three vertices with an edge between any two.

    Parameters
    ----------
    graph
        A directed graph is treated as undirected. Self-loops, duplicate edges and weights are ignored.
    per_vertex
        Whether to count for every vertex too. The total alone takes half to four fifths of the time.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``count`` (int64; only with ``per_vertex``) and ``total``. The result does not depend on the number of threads.

    Notes
    -----
    Time O(m√m) in the worst case: vertices are sorted by degree, so no scanned list is longer than √(2m). Memory
    besides the graph: 28 bytes per vertex, one more per thread, and as much as the edges take. A directed graph takes
    44 bytes per vertex, its in-edges and 18 bytes per edge. A graph with only short rows, such as a road network, needs
    the counts alone.

    On a GPU, every vertex puts its list into a hash table in shared memory and looks up its neighbours' shorter lists.
    Memory besides the counts: 8 bytes per vertex, and twice the edges (in both directions if directed).

    References
    ----------
    T. Schank, D. Wagner: "Finding, counting and listing all triangles in large graphs, an experimental study",
    WEA 2005.

    Examples
    --------
    >>> import clew
    >>> found = clew.triangles(clew.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False))
    >>> found.total, found.count.tolist()
    (1, [1, 1, 1, 0])
    """
    return run("triangles", graph, device, per_vertex=per_vertex)
