"""Hubs and authorities."""

from __future__ import annotations

from clew.algorithms.arguments import check_rounds
from clew.algorithms.registry import algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(needs=("in_edges",), distributed=True, dense_rounds=True, packed=("cpu",), packed_slowdown=(1.07, 2.0))
def hits(graph: Graph, *, tolerance: float = 1e-8, max_iterations: int = 100, device: str = "auto") -> Result:
    """HITS: the hub and authority scores of each vertex.

    A vertex's authority is proportional to the sum of the hub scores of its in-neighbours. Its hub score is
    proportional to the sum of the authorities of its out-neighbours. These are the leading singular vectors of the
    adjacency matrix.

    Parameters
    ----------
    graph
        Directed or undirected. In an undirected graph, both scores converge to the same values. Parallel edges count
        individually. Weights are ignored.
    tolerance
        Stop when the hub scores change by less than this in total per iteration. With 0, exactly ``max_iterations``
        iterations are run.
    max_iterations
        The maximum number of iterations. Graphs without a dominant part, such as grids and roads, need thousands.
    device
        The CPU for "auto" and "cpu"; products on the GPU, with vectors copied there and back, for "cuda".

    Returns
    -------
    Result
        ``hub`` and ``authority``, which sum to 1 each, or are 0 if there are no edges. ``converged``: whether the
        tolerance was reached. The trace has ``change`` and, on the CPU, ``frontier``, ``edges``, ``bytes`` and
        ``seconds``. Scores do not depend on the number of threads.

    Notes
    -----
    Time O(n + m) per iteration. Memory: 24 bytes per vertex besides the graph and its in-edges. If the leading singular
    value is not unique, as with equal components, the scores depend on the uniform start. Other tools may then differ.

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
