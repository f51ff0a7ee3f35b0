"""Local clustering coefficients."""

from __future__ import annotations

from clew.algorithms.registry import algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(needs=("in_edges",))
def clustering_coefficient(graph: Graph, *, device: str = "auto") -> Result:
    """Local clustering coefficient: how connected the neighbours of each vertex are, from 0 to 1.

    For a vertex with d neighbours, it is the number of edges among those neighbours divided by the number possible.
    That is d·(d-1) in a directed graph, and d·(d-1)/2 in an undirected one. The coefficient is 0 if d is less than 2.
    In a directed graph, both out- and in-neighbours count, and so does each direction of an edge among them. This is
    LCC of LDBC Graphalytics.

    Parameters
    ----------
    graph
        Directed or undirected. Self-loops, duplicate edges and weights are ignored.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``coefficient``: float64. ``average``: the mean coefficient. ``transitivity``: the number of edges among the
        neighbours of all vertices, divided by the number possible (0 if none are possible).

    Notes
    -----
    Time and memory as in ``clew.triangles``, plus 16 bytes per vertex and 2 per edge. The result does not depend on the
    number of threads.

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
