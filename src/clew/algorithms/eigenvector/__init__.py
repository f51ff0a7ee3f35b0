"""Eigenvector centrality."""

from __future__ import annotations

from clew.algorithms.arguments import check_flow_weights, check_rounds, jumps_of
from clew.algorithms.registry import algorithm, run
from clew.dtypes import Numbers
from clew.graph import Graph
from clew.result import Result


@algorithm(needs=("in_edges",), distributed=True, dense_rounds=True)
def eigenvector(
    graph: Graph,
    *,
    weighted: bool = False,
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    start: Numbers | None = None,
    device: str = "auto",
) -> Result:
    """Eigenvector centrality: vertices are central if edges from central vertices lead to them.

    It is the leading eigenvector of the transposed adjacency matrix, with length 1.

    Parameters
    ----------
    graph
        Directed or undirected. Parallel edges count individually. In a directed graph, in-edges count. Use
        ``graph.reversed()`` for out-edges.
    weighted
        Multiply by the weights of the edges: 0 or more. By default every edge counts 1.
    tolerance
        Stop when the scores change by less than this in total per iteration. With 0, exactly ``max_iterations``
        iterations are run.
    max_iterations
        The maximum number of iterations. Grids, roads and directed graphs without cycles need thousands.
    start
        The initial scores: a number of 0 or more per vertex, as an array, a dict by name or a pandas Series. Scores of
        an earlier run save iterations. The default is uniform.
    device
        "auto", "cpu" or "cuda". "cuda" runs products on the GPU, with vectors copied there and back.

    Returns
    -------
    Result
        ``centrality`` (float64), whose squares sum to 1. ``converged``: whether the tolerance was reached. The trace
        has ``change``.

    Notes
    -----
    Time O(n + m) per iteration: power iteration with A + I, which converges on bipartite graphs too. If the leading
    eigenvalue is not unique, as with equal components, the scores depend on the start. Scores do not depend on the
    number of threads.

    References
    ----------
    P. Bonacich: "Power and centrality: a family of measures", American Journal of Sociology 92 (5), 1987.

    Examples
    --------
    >>> import clew
    >>> clew.eigenvector(clew.generate.star(5)).centrality.round(3).tolist()
    [0.707, 0.354, 0.354, 0.354, 0.354]
    """
    tolerance, max_iterations = check_rounds(tolerance, max_iterations)
    if weighted:
        check_flow_weights(graph, "eigenvector")
    first = jumps_of(graph, start, "start")
    options = {"weighted": weighted, "tolerance": tolerance, "max_iterations": max_iterations}
    return run("eigenvector", graph, device, start=first, **options)
