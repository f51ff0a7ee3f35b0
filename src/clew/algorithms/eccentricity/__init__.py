"""Eccentricities, the diameter and the radius."""

from __future__ import annotations

from clew.algorithms.distances import check_lengths
from clew.algorithms.registry import algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(distributed=True)
def eccentricity(graph: Graph, *, weighted: bool = False, device: str = "auto") -> Result:
    """Eccentricities: the distance from each vertex to the farthest vertex that it reaches.

    Parameters
    ----------
    graph
        Directed or undirected.
    weighted
        Use the weights as the lengths of edges: 0 or more. By default every edge counts 1.
    device
        "auto", "cpu" or "cuda". "cuda" searches on the GPU, and compares on the CPU.

    Returns
    -------
    Result
        ``eccentricity``: 0 for a vertex that reaches no other. ``diameter``: the largest. ``radius``: the smallest.
        ``iterations``: the number of searches.

    Notes
    -----
    An undirected graph without weights takes few searches. Each gives bounds for all vertices. The next ones start
    where the bounds are farthest apart. A social network of millions of vertices takes dozens, a road network
    thousands. Other graphs take a search from every vertex. 64 searches share a pass over the edges. The result is
    exact.

    References
    ----------
    F. W. Takes, W. A. Kosters: "Computing the eccentricity distribution of large graphs", Algorithms 6, 2013.

    Examples
    --------
    >>> import clew
    >>> found = clew.eccentricity(clew.generate.path(5))
    >>> found.eccentricity.tolist(), found.diameter, found.radius
    ([4, 3, 2, 3, 4], 4, 2)
    """
    check_lengths(graph, "eccentricity", weighted=weighted)
    return run("eccentricity", graph, device, weighted=weighted)
