"""Random walk with restart."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, get_args

from clew.algorithms.arguments import check_flow_weights, check_fraction, check_rounds, jumps_of
from clew.algorithms.pagerank import Precision, Walk
from clew.algorithms.registry import ALGORITHMS, Answer, algorithm, run
from clew.checks import one_of
from clew.graph import Graph
from clew.result import Result


def _visits(engine: str, *given: Any, **options: Any) -> Answer:
    """PageRank on an engine, with its ranks called visits."""
    answer: Answer = ALGORITHMS["pagerank"].load(engine)(*given, **options)
    return replace(answer, values={"visiting": answer.values["rank"]})


@algorithm(
    **{engine: partial(_visits, engine) for engine in ("generic", "cpu", "cuda", "cluster")},
    needs=("in_edges",),
    distributed=True,
    dense_rounds=True,
)
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
    """Random walk with restart: how often a walk that keeps returning to ``source`` visits each vertex.

    It measures proximity to the source over all paths, not only the shortest. It is personalized PageRank whose jumps
    all lead to the source. From a vertex without out-edges, the walk returns at once.

    Parameters
    ----------
    graph
        Directed or undirected. Parallel edges count individually. Self-loops lead back to their vertex.
    source
        The name of the vertex to start at.
    restart
        The probability of returning to the source at each step.
    tolerance
        Stop when the probabilities change by less than this in total per iteration. With 0, exactly
        ``max_iterations`` iterations are run, which gives the probabilities after that many steps.
    max_iterations
        The maximum number of iterations.
    weighted
        Follow the edges of a vertex in proportion to their weights, which must be 0 or more.
    dtype
        "float64" or "float32".
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``visiting``, which sums to 1. ``converged``: whether the tolerance was reached. The trace has ``change``.

    Notes
    -----
    Time O(n + m) per iteration, and about log(tolerance) / log(1 - restart) iterations. Memory: five arrays of
    probabilities besides the graph and its in-edges.

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
    damping = 1 - check_fraction("restart", restart)
    tolerance, max_iterations = check_rounds(tolerance, max_iterations)
    one_of("dtype", dtype, get_args(Precision))
    if weighted:
        check_flow_weights(graph, "random_walk_with_restart")
    home = graph.vertex(source)
    jumps = jumps_of(graph, lambda ids: ids == home)
    walk = Walk(damping, tolerance, max_iterations, jumps, None, weighted, dtype)
    return run("random_walk_with_restart", graph, device, walk=walk)
