"""Random walk with restart."""

from __future__ import annotations

from typing import Any

from clew.algorithms.arguments import vertex_of
from clew.algorithms.flow import check_flow_weights, check_fraction
from clew.algorithms.pagerank import Precision, pagerank
from clew.algorithms.registry import algorithm
from clew.graph import Graph
from clew.result import Result


@algorithm
def random_walk_with_restart(
    graph: Graph,
    source: Any = 0,
    *,
    restart: float = 0.15,
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    weighted: bool = False,
    dtype: Precision = "float64",
    device: str = "auto",
) -> Result:
    """How likely a walker is at each vertex who follows edges at random and now and then goes back to ``source``.

    A measure of how near vertices are to the source that counts all ways, not only the shortest. It is the PageRank
    whose jumps all lead to the source; from a vertex without out-edges the walker goes back at once.

    Parameters
    ----------
    graph
        Directed or not. Parallel edges count each, and self-loops lead back to their vertex.
    source
        Where to start, by name.
    restart
        How likely a step goes back to the source.
    tolerance
        Stop when a round changes the probabilities by less than this in all. With 0, exactly ``max_iterations`` rounds
        are run: the probabilities after so many steps.
    max_iterations
        The most rounds to run.
    weighted
        Edges of a vertex are followed in proportion to their weights, which must be 0 or more.
    dtype
        "float64" or "float32".
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``visiting``, which sums to 1; ``converged`` says whether the tolerance was met; the trace has ``change``.

    Notes
    -----
    Time O(n + m) a round, and about log(tolerance) / log(1 - restart) rounds. Memory: five arrays of probabilities
    beside the graph and its in-edges.

    References
    ----------
    H. Tong, C. Faloutsos, J.-Y. Pan: "Fast random walk with restart and its applications", ICDM 2006.

    Examples
    --------
    >>> import clew
    >>> near = clew.random_walk_with_restart(clew.generate.path(4), 0)
    >>> near.visiting.round(2).tolist()
    [0.3, 0.36, 0.24, 0.1]
    """
    restart = check_fraction("restart", restart)
    if weighted:
        check_flow_weights(graph, "random_walk_with_restart")
    ranks = pagerank(
        graph,
        damping=1 - restart,
        tolerance=tolerance,
        max_iterations=max_iterations,
        personalization={graph.name(vertex_of(graph, source)): 1.0},
        weighted=weighted,
        dtype=dtype,
        device=device,
    )
    return Result(
        "random_walk_with_restart",
        {"visiting": ranks.rank},
        names=graph.names,
        iterations=ranks.iterations,
        converged=ranks.converged,
        trace=ranks.trace,
    )
