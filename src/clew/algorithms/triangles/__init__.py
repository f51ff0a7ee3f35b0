"""Triangles."""

from __future__ import annotations

from clew.algorithms.registry import algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(generic="generic", cpu="cpu", cuda="cuda", check="check")
def triangles(graph: Graph, *, per_vertex: bool = True, device: str = "auto") -> Result:
    """How many triangles there are, and how many every vertex is in.

    A triangle is three vertices with an edge between any two of them.

    Parameters
    ----------
    graph
        A directed graph is taken as undirected. Self-loops and duplicate edges do not count; weights do not matter.
    per_vertex
        Whether to count for every vertex too. The total alone is found in a half to four fifths of the time.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``count`` (int64; left out without ``per_vertex``) and ``total``. The same for any number of threads.

    Notes
    -----
    Time O(m√m) at worst: vertices are sorted by degree, so that no list to look through is longer than √(2m). Beside
    the graph, 28 bytes a vertex, one more for every thread, and as much as its edges take; for a directed graph,
    44 bytes a vertex, its in-edges and 18 bytes an edge. A graph with short rows throughout, such as a road network,
    needs none of that but the counts.

    On a GPU, every vertex puts its list into a hash table in shared memory and looks up its neighbours' shorter lists.
    8 bytes a vertex beside the counts, and twice what the edges take (of a directed graph, in both directions).

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
