"""Local clustering coefficients."""

from __future__ import annotations

from clew.algorithms.registry import algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(generic="generic", cpu="cpu", cuda="cuda", check="check", needs=("in_edges",))
def clustering_coefficient(graph: Graph, *, device: str = "auto") -> Result:
    """How close the neighbours of every vertex are to being linked to each other, from 0 to 1.

    For a vertex with d neighbours, the number of edges among those neighbours, divided by the d·(d-1) that are possible
    in a directed graph, or the d·(d-1)/2 in an undirected one; 0 where d is less than 2. In a directed graph, the
    neighbours are those over out- and in-edges, and an edge among them counts for each of its directions. This is LCC
    of LDBC Graphalytics.

    Parameters
    ----------
    graph
        Directed or not. Self-loops and duplicate edges do not count; weights do not matter.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``coefficient`` (float64); ``average`` of them all, and ``transitivity``: the edges among neighbours of all
        vertices, divided by those that are possible (0 where none are).

    Notes
    -----
    Time and memory as ``clew.triangles``, 16 bytes a vertex and 2 an edge more. The same for any number of threads.

    References
    ----------
    D. J. Watts, S. H. Strogatz: "Collective dynamics of 'small-world' networks", Nature 393, 1998.
    A. Iosup et al.: "The LDBC Graphalytics benchmark", arXiv:2011.15028.

    Examples
    --------
    >>> import clew
    >>> found = clew.clustering_coefficient(clew.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False))
    >>> found.coefficient.round(3).tolist(), round(found.transitivity, 3)
    ([1.0, 1.0, 0.333, 0.0], 0.6)
    """
    return run("clustering_coefficient", graph, device)
