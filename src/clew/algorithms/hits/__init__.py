"""Hubs and authorities."""

from __future__ import annotations

from clew.algorithms.pagerank.arguments import check_rounds
from clew.algorithms.registry import algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(generic="generic", cpu="cpu", check="check", needs=("in_edges",))
def hits(graph: Graph, *, tolerance: float = 1e-8, max_iterations: int = 100, device: str = "auto") -> Result:
    """Hubs, which point at good authorities, and authorities, which good hubs point at.

    A vertex's authority is proportional to the sum of the hub scores of those that point at it, and its hub score to
    the sum of the authorities that it points at: the leading singular vectors of the adjacency matrix.

    Parameters
    ----------
    graph
        Directed or not (undirected: both scores are the same in the limit). Parallel edges count each; weights do not
        matter.
    tolerance
        Stop when a round changes the hub scores by less than this in all. With 0, exactly ``max_iterations`` rounds
        are run.
    max_iterations
        The most rounds to run. Where no part of the graph stands out, as in grids and roads, thousands are needed.
    device
        "auto" and "cpu" run on the CPU; "cuda" as products on the GPU, whose vectors travel there and back.

    Returns
    -------
    Result
        ``hub`` and ``authority``, which sum to 1 each, or are all 0 where there are no edges; ``converged`` says
        whether the tolerance was met; the trace has ``change`` and, on the CPU, ``frontier``, ``edges``, ``bytes``
        and ``seconds``. Scores do not depend on the number of threads.

    Notes
    -----
    Time O(n + m) a round; 24 bytes a vertex beside the graph and its in-edges. Where several pairs of singular vectors
    lead, as in equal components, the scores are what the uniform start leads to; other tools may give other ones.

    References
    ----------
    J. Kleinberg: "Authoritative sources in a hyperlinked environment", JACM 46 (5), 1999.

    Examples
    --------
    >>> import clew
    >>> scores = clew.hits(clew.Graph.from_edges([0, 0, 1], [2, 3, 3]))
    >>> scores.hub.round(3).tolist()
    [0.618, 0.382, 0.0, 0.0]
    >>> scores.authority.round(3).tolist()
    [0.0, 0.0, 0.382, 0.618]
    """
    tolerance, max_iterations = check_rounds(tolerance, max_iterations)
    return run("hits", graph, device, tolerance=tolerance, max_iterations=max_iterations)
