"""Communities by the Leiden algorithm."""

from __future__ import annotations

from clew.algorithms.communities import start_communities
from clew.algorithms.registry import algorithm
from clew.graph import Graph
from clew.result import Result


@algorithm()
def leiden(
    graph: Graph,
    *,
    resolution: float = 1.0,
    max_iterations: int = 2,
    seed: int | None = None,
    hierarchy: bool = False,
    device: str = "auto",
) -> Result:
    """Communities of high modularity by the Leiden algorithm; every community is connected.

    Vertices move to neighbours' communities while that raises the modularity. Each community is then refined into parts
    that are well connected, and the parts are the vertices of the next, smaller graph. The result is the same for any
    number of threads.

    Parameters
    ----------
    graph
        Weights, if there are any, are the strengths of edges: finite and 0 or more. Directions are ignored.
    resolution
        Larger values give more and smaller communities; see ``clew.modularity``.
    max_iterations
        The maximum number of times that the whole is repeated, each time from the communities before.
    seed
        Process vertices in a random order that depends on this number. By default they are processed in their order.
    hierarchy
        Whether to return the communities of all levels.
    device
        "auto", "cpu" or "cuda". "cuda" and clusters move vertices in other groups, so communities differ from those
        of "cpu"; levels with few edges are computed on the CPU. They are the same in every run.

    Returns
    -------
    Result
        ``community`` (numbers from 0, the largest community first), ``count`` and ``modularity``. With ``hierarchy``,
        also ``hierarchy``: a list of arrays like ``community``, the smallest communities first. The trace has ``moves``
        (of vertices, per iteration).

    Notes
    -----
    If there may be more than one iteration, the first is one of Louvain: the next refines its communities.

    Time O(m) per pass, typically 10 to 30 passes. Memory: up to 24 bytes per stored edge for the next graphs, 16
    without weights; 41 bytes per vertex; and 16 bytes per vertex and thread.
    On a GPU, contracting the graph takes up to 48 bytes per stored edge.

    References
    ----------
    V. A. Traag, L. Waltman, N. J. van Eck: "From Louvain to Leiden: guaranteeing well-connected communities",
    Scientific Reports 9, 2019.

    Examples
    --------
    >>> import clew
    >>> graph = clew.Graph.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], directed=False)
    >>> found = clew.leiden(graph)
    >>> found.community.tolist(), round(found.modularity, 4)
    ([0, 0, 0, 1, 1, 1], 0.3571)
    """
    return start_communities("leiden", graph, resolution, max_iterations, seed, hierarchy, device)
